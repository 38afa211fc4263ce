package collector

import (
	"context"
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"precount/internal/counters"
	"precount/internal/lease"
	"precount/internal/sites"
	"precount/internal/sqlitestore"
	"precount/preallocator"
)

// An interrupted store stops a preallocation at its n-th Insert, before or after it is done.
type interrupted struct {
	*sqlitestore.Store
	n     int
	after bool
	stop  func()
}

func (i *interrupted) Insert(ctx context.Context, c counters.Collection, keys []counters.Key, collectors []string) (int, error) {
	i.n--
	if i.n == 0 && !i.after {
		i.stop()
	}
	n, err := i.Store.Insert(ctx, c, keys, collectors)
	if i.n == 0 && i.after {
		i.stop()
	}
	return n, err
}

// preallocate prepares a month as a process of its own would, that stops at its n-th Insert.
func (p *pipeline) preallocate(ctx context.Context, month counters.Month, n int, after bool, stop func()) error {
	one, err := preallocator.New(preallocator.Options{
		Store:    &interrupted{p.store, n, after, stop},
		Records:  p.store,
		Sites:    func() *sites.Directory { return p.directory },
		Owner:    time.Now().String(),
		MinViews: 1,
		Caps:     preallocator.Caps{Pages: 4, Sections: 4},
		Now:      func() time.Time { return p.now },
	})
	must(p.t, err)
	_, err = one.Prepare(ctx, month, nil)
	return err
}

// TestModelAroundTheTurn: any interleaving of hits, flushes, crashes, leaps of the clock over months' ends, and of
// preallocations that finish, are cut off, or are killed gives the model's counts; all documents have all their zeros.
func TestModelAroundTheTurn(t *testing.T) {
	all := []*sites.Site{site(t, "a.example", "America/Los_Angeles"), site(t, "b.example", "Asia/Kolkata")}
	rapid.Check(t, func(rt *rapid.T) {
		p := newPipeline(t, all...)
		m := &model{pages: map[string]int64{}, hours: map[string]int64{}}
		p.now = time.Date(2026, time.Month(rapid.IntRange(11, 13).Draw(rt, "month")), 29, 20, 0, 0, 0, time.UTC)
		months := map[counters.Month]bool{}
		month := func(rt *rapid.T) (m counters.Month) {
			if ahead := rapid.IntRange(-1, 2).Draw(rt, "ahead"); ahead >= 0 {
				m = counters.MonthOf(p.now).Add(ahead)
			}
			return m
		}
		fine := func(rt *rapid.T, err error, and ...error) {
			for _, is := range append(and, lease.ErrHeld) {
				if errors.Is(err, is) {
					return
				}
			}
			if err != nil {
				rt.Fatal(err)
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"hit": func(rt *rapid.T) {
				s := rapid.SampledFrom(all).Draw(rt, "site")
				path := rapid.SampledFrom([]string{"/", "/x", "/docs/", "/docs/a/b/c/d/e/f", "/y"}).Draw(rt, "path")
				if status := p.hit(s.Host, path).StatusCode(); status != 200 {
					rt.Fatalf("status %d", status)
				}
				m.add(s, path, p.now)
				months[counters.MonthOf(p.now.In(s.Location()))] = true
			},
			"flush": func(*rapid.T) { p.mustFlush() },
			"crash": func(*rapid.T) { p.crash() },
			"preallocate": func(rt *rapid.T) {
				fine(rt, p.preallocate(context.Background(), month(rt), 0, false, nil))
			},
			"preallocate, cut off": func(rt *rapid.T) {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				n := rapid.IntRange(1, 12).Draw(rt, "insert")
				fine(rt, p.preallocate(ctx, month(rt), n, rapid.Bool().Draw(rt, "after"), cancel), context.Canceled)
			},
			"preallocate, killed": func(rt *rapid.T) {
				n, killed := rapid.IntRange(1, 12).Draw(rt, "insert"), false
				err := p.preallocate(context.Background(), month(rt), n, rapid.Bool().Draw(rt, "after"), func() { p.crash(); killed = true })
				if !killed {
					fine(rt, err)
				}
			},
			"preallocate, a flush in the middle": func(rt *rapid.T) {
				n := rapid.IntRange(1, 12).Draw(rt, "insert")
				fine(rt, p.preallocate(context.Background(), month(rt), n, false, p.mustFlush))
			},
			"clock": func(rt *rapid.T) {
				p.now = p.now.Add(time.Duration(rapid.IntRange(-100_000, 200_000).Draw(rt, "seconds")) * time.Second)
			},
		})
		p.mustFlush()
		if err := p.compare(m, months); err != nil {
			rt.Fatal(err)
		}
	})
}
