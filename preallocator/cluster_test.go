package preallocator

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"precount/internal/counters"
	"precount/internal/lease"
)

// A router writes down what it is told, and fails at the n-th command.
type router struct {
	shards []string
	failAt int
	told   []string
}

func (r *router) Shards(context.Context) ([]string, error) { return r.shards, nil }

func (r *router) Admin(_ context.Context, command []byte) error {
	r.told = append(r.told, string(command))
	if len(r.told) == r.failAt {
		return errors.New("no such command")
	}
	return nil
}

// TestCluster: all collections of a month are split before a document goes into any, once, also after an error in between.
func TestCluster(t *testing.T) {
	s := site(t, "a.example", "UTC")
	inWorld(t, midNovember, func(w *world) {
		w.fill(nov26, s, 1000)
		r := &router{shards: []string{"x", "y"}, failAt: 7}
		o := w.options("a")
		o.Cluster = r
		p := w.start(o)
		if _, err := p.Prepare(context.Background(), dec26, nil); err == nil || !strings.Contains(err.Error(), r.told[6]) {
			t.Errorf("%v", err)
		}
		if w.store.inserts != 0 {
			t.Error("documents came before the splits")
		}
		r.told, r.failAt = nil, 0
		w.store.before = func() {
			for _, kind := range counters.Kinds() {
				name := counters.Collection{Month: dec26, Kind: kind}.String()
				if !strings.Contains(strings.Join(r.told, "\n"), `{"shardCollection":"`+name+`","key":{"_id":1}}`) {
					t.Errorf("%s is not sharded when documents come", name)
				}
			}
		}
		_, err := p.Prepare(context.Background(), dec26, nil)
		must(t, err)
		counts := map[string]int{}
		for _, command := range r.told {
			if strings.Contains(command, ".sites-dec") {
				counts[strings.SplitN(command, `"`, 3)[1]]++
			}
		}
		if fmt.Sprint(counts) != "map[moveChunk:8 shardCollection:1 split:7]" {
			t.Errorf("for the pages: %v", counts)
		}
		told := len(r.told)
		_, err = p.Prepare(context.Background(), dec26, nil)
		must(t, err)
		for _, command := range r.told[told:] {
			if strings.Contains(command, "sites-dec") || strings.Contains(command, "hours-dec") {
				t.Errorf("told again: %s", command)
			}
		}
	}, s)
}

// TestNoRouter: a server that is no router is told nothing.
func TestNoRouter(t *testing.T) {
	s := site(t, "a.example", "UTC")
	inWorld(t, midNovember, func(w *world) {
		r := &router{}
		o := w.options("a")
		o.Cluster = r
		_, err := w.start(o).Prepare(context.Background(), dec26, nil)
		must(t, err)
		if len(r.told) > 0 {
			t.Error(r.told)
		}
	}, s)
}

// TestLiveCollectors: templates have a token for each collector that may come back this month.
func TestLiveCollectors(t *testing.T) {
	s := site(t, "a.example", "UTC")
	inWorld(t, midNovember, func(w *world) {
		now := time.Now().UTC()
		for id, body := range map[string]string{
			"live":       fmt.Sprintf(`{"lease_until":%q}`, now.Add(time.Minute).Format(time.RFC3339)),
			"away":       fmt.Sprintf(`{"lease_until":%q}`, now.Add(-34*24*time.Hour).Format(time.RFC3339)),
			"long-gone":  fmt.Sprintf(`{"lease_until":%q}`, now.Add(-36*24*time.Hour).Format(time.RFC3339)),
			"released":   `{"lease_until":"0001-01-01T00:00:00Z"}`,
			"unreadable": `{"lease_until":7}`,
			"strange":    `{}`,
		} {
			_, err := w.store.Put(context.Background(), counters.CollectorsRecords, counters.Record{ID: id, Body: []byte(body)})
			must(t, err)
		}
		_, err := w.start(w.options("a")).Prepare(context.Background(), dec26, nil)
		must(t, err)
		if fmt.Sprint(w.store.tokensOf) != "[away live]" {
			t.Errorf("tokens of %v", w.store.tokensOf)
		}
	}, s)
}

// TestClockLeaps: a clock that goes wrong and comes back, over the month's end in both ways, loses nothing and doubles nothing.
func TestClockLeaps(t *testing.T) {
	s := site(t, "a.example", "UTC")
	inWorld(t, "2026-11-30T22:00:00Z", func(w *world) {
		w.fill(nov26, s, 100)
		var leap time.Duration
		o := w.options("a")
		o.Now = func() time.Time { return time.Now().Add(leap) }
		p := w.start(o)
		for _, leap = range []time.Duration{0, 3 * time.Hour, -3 * time.Hour, 40 * 24 * time.Hour, -24 * time.Hour, 2 * time.Hour, 0} {
			time.Sleep(lease.DefaultTTL) // a job taken in the future is free only then, to the clock that came back
			if err := p.step(context.Background()); err != nil {
				t.Errorf("leap of %v: %v", leap, err)
			}
		}
		if n := w.count(nov26, s.Base); n != 100+templates(nov26) {
			t.Errorf("November has %d documents", n)
		}
		if n := w.count(dec26, s.Base); n != 100+templates(dec26) {
			t.Errorf("December has %d documents", n)
		}
		for path, n := range w.views(nov26, counters.Pages, s.Base) {
			if n < 10 && path != "example.a/" || n > 19 {
				t.Errorf("%s has %d views", path, n)
			}
		}
	}, s)
}
