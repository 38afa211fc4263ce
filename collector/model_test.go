package collector

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"precount/internal/counters"
	"precount/internal/sites"
)

// A model counts in plain maps what the documents should say: its own few lines, sharing no code with the way of a hit.
type model struct {
	pages, hours map[string]int64 // "2026-11 example.a/x 21", "2026-11 example.a 21 13"
	journaled    uint64
}

func (m *model) add(s *sites.Site, path string, now time.Time) {
	in := now.In(s.Location())
	m.pages[fmt.Sprintf("%s %s%s %d", in.Format("2006-01"), s.Base, path, in.Day())]++
	m.hours[fmt.Sprintf("%s %s %d %d", in.Format("2006-01"), s.Base, in.Day(), in.Hour())]++
	m.journaled++
}

// TestModel: any interleaving of hits, flushes, failing flushes, crashes, and leaps of the clock gives the model's counts.
func TestModel(t *testing.T) {
	all := []*sites.Site{site(t, "a.example", "America/Los_Angeles"), site(t, "b.example", "Asia/Kolkata")}
	paths := []string{"/", "/x", "/docs/", "/docs/a/b/c/d/e/f", "/ä?b"}
	rapid.Check(t, func(rt *rapid.T) {
		p := newPipeline(t, all...)
		m := &model{pages: map[string]int64{}, hours: map[string]int64{}}
		p.now = time.Date(2026, 12, 30, rapid.IntRange(0, 23).Draw(rt, "hour"), 0, 0, 0, time.UTC)
		months := map[counters.Month]bool{}
		rt.Repeat(map[string]func(*rapid.T){
			"hit": func(rt *rapid.T) {
				s := rapid.SampledFrom(all).Draw(rt, "site")
				path := rapid.SampledFrom(paths).Draw(rt, "path")
				for range rapid.IntRange(1, 50).Draw(rt, "times") {
					if status := p.hit(s.Host, path).StatusCode(); status != 200 {
						rt.Fatalf("status %d", status)
					}
					if path == "/ä?b" {
						m.add(s, "/ä", p.now)
					} else {
						m.add(s, path, p.now)
					}
				}
				months[counters.MonthOf(p.now.In(s.Location()))] = true
			},
			"bad hit": func(rt *rapid.T) {
				if status := p.hit(rapid.SampledFrom([]string{"", "c.example"}).Draw(rt, "host"), "/").StatusCode(); status == 200 {
					rt.Fatal("was counted")
				}
			},
			"flush": func(*rapid.T) { p.mustFlush() },
			"cancelled flush": func(*rapid.T) {
				ctx, cancel := context.WithCancel(context.Background())
				cancel()
				_ = p.flusher.flush(ctx) // whatever it did, the counts must come out right
			},
			"applied, but the process dies before it knows": func(*rapid.T) {
				p.journal.Seal()
				if segment, ok := p.journal.Oldest(); ok {
					batch, err := p.flusher.batch(segment)
					must(t, err)
					must(t, p.store.Apply(context.Background(), batch))
				}
				p.crash()
			},
			"crash": func(*rapid.T) { p.crash() },
			"clock": func(rt *rapid.T) {
				p.now = p.now.Add(time.Duration(rapid.IntRange(-600, 40_000).Draw(rt, "seconds")) * time.Second)
			},
			"": func(rt *rapid.T) {
				if err := p.Ledger().Check(); err != nil {
					rt.Fatal(err)
				}
			},
		})
		p.mustFlush()
		if err := p.compare(m, months); err != nil {
			rt.Fatal(err)
		}
	})
}

func (p *pipeline) compare(m *model, months map[counters.Month]bool) error {
	var failures []error
	check := func(what string, got int64, want map[string]int64) {
		if got != want[what] {
			failures = append(failures, fmt.Errorf("%s: counted %d, the model says %d", what, got, want[what]))
		}
		delete(want, what)
	}
	for month := range months {
		var root, total int64
		for _, d := range p.documents(counters.Pages, month) {
			total += d.Total
			for i, n := range d.Counts {
				if n != 0 {
					check(fmt.Sprintf("%v %s%s %d", month, d.Key.Base, d.Key.Path, i+1), n, m.pages)
				}
			}
		}
		for _, d := range p.documents(counters.Hours, month) {
			for i, n := range d.Counts {
				if n != 0 {
					check(fmt.Sprintf("%v %s %d %d", month, d.Key.Base, d.Key.Day, i), n, m.hours)
				}
			}
		}
		for _, d := range p.documents(counters.Sections, month) {
			if d.Key.Depth == 0 {
				root += d.Total
			}
		}
		if root != total {
			failures = append(failures, fmt.Errorf("%v: the pages sum up to %d, the sections / to %d", month, total, root))
		}
	}
	if len(m.pages)+len(m.hours) > 0 {
		failures = append(failures, fmt.Errorf("not counted: %v %v", m.pages, m.hours))
	}
	return errors.Join(failures...)
}
