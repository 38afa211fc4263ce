package preallocator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"precount/internal/counters"
	"precount/internal/lease"
	"precount/internal/sites"
	"precount/internal/sqlitestore"
)

var (
	nov26 = counters.Month{Year: 2026, Month: 11}
	dec26 = counters.Month{Year: 2026, Month: 12}
)

const midNovember = "2026-11-20T12:00:00Z"

// fill counts n pages of a site, with 10 to 19 views each, in a month.
func (w *world) fill(m counters.Month, s *sites.Site, n int) {
	w.t.Helper()
	batch := counters.Batch{Collector: "filler", Token: uint64(time.Now().UnixNano())}
	for i := range n {
		views := int64(10 + i%10)
		batch.Updates = append(batch.Updates, counters.Update{Key: counters.PageKey(m, s.Base, fmt.Sprint("/", i)),
			Inc: []counters.Delta{{Field: counters.Total, N: views}, {Field: counters.Day(7), N: views}}})
	}
	must(w.t, w.store.Apply(context.Background(), batch))
}

// templates is how many documents a site gets without any view: its start page and section, and its days.
func templates(m counters.Month) int { return 2 + m.Days() }

// TestAtOnce: a start with an unprepared month, and a site added in its middle, get their templates at once.
func TestAtOnce(t *testing.T) {
	first, second := site(t, "a.example", "UTC"), site(t, "b.example", "UTC")
	inWorld(t, midNovember, func(w *world) {
		w.fill(nov26.Add(-1), first, 3000)
		w.hit(first, "/1")
		w.flushed() // the first hit of the month comes before its template
		defer w.run(w.options("a"))()
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if n := w.count(nov26, first.Base); n != 3000+templates(nov26) {
			t.Errorf("%d documents", n)
		}
		if w.store.most > chunk {
			t.Errorf("%d templates in one insert", w.store.most)
		}
		if n := w.views(nov26, counters.Pages, first.Base)["example.a/1"]; n != 1 {
			t.Errorf("the page with a view has %d", n)
		}
		w.directory.Store(directory(t, first, second))
		time.Sleep(6 * time.Second)
		synctest.Wait()
		if n := w.count(nov26, second.Base); n != templates(nov26) {
			t.Errorf("the new site has %d documents", n)
		}
		before := w.store.inserts
		time.Sleep(24 * time.Hour)
		if w.store.inserts != before {
			t.Errorf("%d inserts on a quiet day", w.store.inserts-before)
		}
		if n := w.count(dec26, first.Base); n != 0 {
			t.Errorf("%d documents of the next month on the 21st", n)
		}
	}, first)
}

// TestSpread: what is inserted ahead is spread over the last days, at a bounded rate, and stops with Run.
func TestSpread(t *testing.T) {
	s := site(t, "a.example", "Europe/Berlin")
	inWorld(t, midNovember, func(w *world) {
		w.fill(nov26, s, 2_400)
		stop := w.run(w.options("a"))
		start, end := window(dec26, s.Location(), DefaultDays)
		var counts []int
		for at := start.Add(-time.Second); at.Before(end); at = at.Add(end.Sub(start) / 6) {
			time.Sleep(time.Until(at))
			counts = append(counts, w.count(dec26, s.Base))
		}
		whole := 2_400 + templates(dec26)
		if counts[0] != 0 {
			t.Errorf("too early: %v", counts)
		}
		for i := 1; i < len(counts)-1; i++ { // the last steps only add what became busy
			if grown := counts[i] - counts[i-1]; grown < whole/6 || grown > whole/4 {
				t.Errorf("not spread: %v", counts)
				break
			}
		}
		time.Sleep(time.Until(end))
		if n := w.count(dec26, s.Base); n != whole {
			t.Errorf("at the turn %d of %d are there", n, whole)
		}
		stop()
		inserts := w.store.inserts
		w.fill(dec26, s, 100)
		time.Sleep(60 * 24 * time.Hour)
		if w.store.inserts != inserts {
			t.Error("Run goes on after it returned")
		}
	}, s)
}

// TestRate: Run inserts no more than so many a second.
func TestRate(t *testing.T) {
	s := site(t, "a.example", "UTC")
	inWorld(t, midNovember, func(w *world) {
		w.fill(nov26.Add(-1), s, 10_000)
		o := w.options("a")
		o.Rate = 500
		defer w.run(o)()
		time.Sleep(10 * time.Second)
		if n := w.count(nov26, s.Base); n < 5_000 || n > 6_000 {
			t.Errorf("%d after 10 seconds", n)
		}
		time.Sleep(20 * time.Second)
		if n := w.count(nov26, s.Base); n != 10_000+templates(nov26) {
			t.Errorf("%d after 30 seconds", n)
		}
		if lines := strings.Join(w.log.all(), ""); !strings.Contains(lines, `"left":`) || !strings.Contains(lines, `"inserted":10032`) {
			t.Errorf("logged\n%s", lines)
		}
	}, s)
}

// TestStoreAway: Run goes on trying, says so once in a while, and goes on where it was.
func TestStoreAway(t *testing.T) {
	s := site(t, "a.example", "UTC")
	inWorld(t, midNovember, func(w *world) {
		w.store.setAway(true)
		defer w.run(w.options("a"))()
		time.Sleep(10 * time.Minute)
		if lines := w.log.all(); len(lines) < 5 || len(lines) > 11 || !strings.Contains(lines[0], "away") {
			t.Errorf("%d lines in ten minutes: %v", len(lines), lines)
		}
		w.store.setAway(false)
		time.Sleep(longestPause + time.Second)
		if n := w.count(nov26, s.Base); n != templates(nov26) {
			t.Errorf("%d documents", n)
		}
		if lines := w.log.all(); !strings.Contains(lines[len(lines)-1], "recovered") {
			t.Errorf("%v", lines)
		}
	}, s)
}

// TestTwoAtOnce: of two processes one does the work; the other is refused, or finds nothing left to do.
func TestTwoAtOnce(t *testing.T) {
	s := site(t, "a.example", "UTC")
	dir := t.TempDir()
	var reports [2][]Report
	var errs [2]error
	var group sync.WaitGroup
	for i := range 2 {
		store, err := sqlitestore.Open(sqlitestore.Options{Dir: dir})
		must(t, err)
		defer store.Close()
		w := &world{t: t, store: &guarded{Store: store}, log: &logged{}}
		w.directory.Store(directory(t, s))
		if i == 0 {
			w.fill(counters.MonthOf(time.Now()), s, 5000)
		}
		p := w.start(w.options(fmt.Sprint(i)))
		group.Go(func() { reports[i], errs[i] = p.Prepare(context.Background(), counters.Month{}, nil) })
	}
	group.Wait()
	inserted := reports[0][0].Inserted + reports[1][0].Inserted
	if want := 5000 + templates(counters.MonthOf(time.Now()).Add(1)); inserted != want {
		t.Errorf("%d inserted by both, want %d", inserted, want)
	}
	for i, err := range errs {
		if err != nil && !errors.Is(err, lease.ErrHeld) {
			t.Error(err)
		}
		t.Log(reports[i][0].Inserted, err)
	}
}

// TestTwoServe: two processes run all the time; nothing is logged as an error; one dies, and the other goes on alone.
func TestTwoServe(t *testing.T) {
	s := site(t, "a.example", "UTC")
	inWorld(t, "2026-11-27T23:00:00Z", func(w *world) {
		w.fill(nov26, s, 2_000)
		a, b := w.options("a"), w.options("b")
		a.Rate, b.Rate = 5, 5
		dying := &dying{guarded: w.store}
		a.Store, a.Records = dying, dying
		stopA := w.run(a)
		time.Sleep(time.Second)
		defer w.run(b)()
		time.Sleep(3 * time.Hour)
		dying.kill()
		time.Sleep(time.Until(dec26.Start(time.UTC)))
		stopA()
		if n := w.count(dec26, s.Base); n != 2_000+templates(dec26) {
			t.Errorf("%d documents", n)
		}
		for _, line := range w.log.all() {
			if strings.Contains(line, "warn") && !strings.Contains(line, "killed") {
				t.Error(line)
			}
		}
	}, s)
}

// A dying store is that of a process that is killed: nothing it does after that happens.
type dying struct {
	*guarded
	mu   sync.Mutex
	dead bool
}

var errKilled = errors.New("killed")

func (d *dying) kill() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dead = true
}

func (d *dying) killed() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dead {
		return errKilled
	}
	return nil
}

func (d *dying) Insert(ctx context.Context, c counters.Collection, keys []counters.Key, collectors []string) (int, error) {
	if err := d.killed(); err != nil {
		return 0, err
	}
	return d.guarded.Insert(ctx, c, keys, collectors)
}

func (d *dying) Put(ctx context.Context, collection string, r counters.Record) (counters.Record, error) {
	if err := d.killed(); err != nil {
		return r, err
	}
	return d.guarded.Put(ctx, collection, r)
}

// TestKilledHalfWay: what a dead process left is taken over when its lease runs out, not before, and finished.
func TestKilledHalfWay(t *testing.T) {
	s := site(t, "a.example", "UTC")
	inWorld(t, midNovember, func(w *world) {
		ctx := context.Background()
		w.fill(nov26, s, 5000)
		d := &dying{guarded: w.store}
		o := w.options("a")
		o.Store, o.Records = d, d
		half := w.start(o)
		_, err := half.Prepare(ctx, dec26, func(p Progress) {
			if p.Done == 2000 {
				d.kill()
			}
		})
		if !errors.Is(err, errKilled) || w.count(dec26, s.Base) != 2000 {
			t.Fatalf("%v, %d documents", err, w.count(dec26, s.Base))
		}
		next := w.start(w.options("b"))
		if _, err := next.Prepare(ctx, dec26, nil); !errors.Is(err, lease.ErrHeld) {
			t.Fatalf("while the lease holds: %v", err)
		}
		time.Sleep(lease.DefaultTTL)
		reports, err := next.Prepare(ctx, dec26, nil)
		must(t, err)
		if got := reports[0].Inserted; got != 3000+templates(dec26) || reports[0].Planned != got {
			t.Errorf("%+v", reports[0])
		}
		reports, err = next.Prepare(ctx, dec26, nil)
		must(t, err)
		if reports[0].Planned != 0 || reports[0].Inserted != 0 {
			t.Errorf("again: %+v", reports[0])
		}
		w.checkJob("done")
	}, s)
}

// TestStopped: a run that is told to stop between chunks gives the job up at once.
func TestStopped(t *testing.T) {
	s := site(t, "a.example", "UTC")
	inWorld(t, midNovember, func(w *world) {
		w.fill(nov26, s, 5000)
		ctx, cancel := context.WithCancel(context.Background())
		p := w.start(w.options("a"))
		reports, err := p.Prepare(ctx, dec26, func(p Progress) {
			if p.Done == 3000 {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) || reports[0].Inserted != 3000 || reports[0].Planned != 5000+templates(dec26) {
			t.Fatalf("%v, %+v", err, reports)
		}
		w.checkJob("running")
		reports, err = w.start(w.options("b")).Prepare(context.Background(), dec26, nil)
		must(t, err)
		if reports[0].Inserted != 2000+templates(dec26) {
			t.Errorf("%+v", reports)
		}
	}, s)
}

func (w *world) checkJob(state string) {
	w.t.Helper()
	r, err := w.store.Get(context.Background(), counters.JobsRecords, "preallocate-2026-12")
	must(w.t, err)
	var job struct{ State string }
	must(w.t, json.Unmarshal(r.Body, &job))
	if job.State != state {
		w.t.Errorf("the job is %s", r.Body)
	}
}
