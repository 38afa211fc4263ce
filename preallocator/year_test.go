package preallocator

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"precount/internal/counters"
	"precount/internal/sites"
)

// busyPages are visited all year, rarePages once a month.
var busyPages = []string{"/", "/docs/", "/docs/a/b", "/news?x"}

// A year is what was visited: by month, site and path.
type year struct {
	*world
	visits map[string]int64
}

func (y *year) visit(s *sites.Site, path string) {
	y.hit(s, path)
	month := counters.MonthOf(time.Now().In(s.Location()))
	y.visits[fmt.Sprintf("%s %s%s", month, s.Base, cutQuery(path))]++
}

func cutQuery(path string) string {
	path, _, _ = strings.Cut(path, "?")
	return path
}

// TestYear: a year and thirteen turns, with a leap February and a new year's file, of two sites whose months end 17 hours
// apart. Run does it all by itself: before each turn everything is there, after it no busy page needs a new document,
// and every view is counted.
func TestYear(t *testing.T) {
	both := []*sites.Site{site(t, "tokyo.example", "Asia/Tokyo"), site(t, "angeles.example", "America/Los_Angeles")}
	inWorld(t, "2028-01-01T12:00:00Z", func(w *world) {
		y := &year{w, map[string]int64{}}
		o := w.options("a")
		o.Poll = 30 * time.Minute
		defer w.run(o)()
		for now := time.Now(); now.Before(instant(t, "2029-02-02T00:00:00Z")); now = time.Now() {
			for _, s := range both {
				for _, path := range busyPages {
					y.visit(s, path)
				}
				if in := now.In(s.Location()); in.Day() == 15 && in.Hour() < 12 {
					y.visit(s, fmt.Sprintf("/rare/%d", in.Month()))
				}
			}
			y.passTurns(now.Add(12*time.Hour), both)
		}
		w.flushed()
		for _, s := range both {
			for m := (counters.Month{Year: 2028, Month: 1}); !(counters.Month{Year: 2029, Month: 2}).Before(m); m = m.Add(1) {
				y.compare(s, m)
			}
		}
		if len(y.visits) > 0 {
			t.Errorf("not counted: %v", y.visits)
		}
	}, both...)
}

// compare checks a month's pages, and takes their visits off the list.
func (y *year) compare(s *sites.Site, m counters.Month) {
	for id, n := range y.views(m, counters.Pages, s.Base) {
		visit := fmt.Sprintf("%s %s", m, id)
		if y.visits[visit] != n {
			y.t.Errorf("%s: %d views counted, %d visits", visit, n, y.visits[visit])
		}
		delete(y.visits, visit)
	}
}

// passTurns sleeps until the given time, and looks around the turns of the sites' months on the way.
func (y *year) passTurns(until time.Time, all []*sites.Site) {
	for _, s := range all {
		next := counters.MonthOf(time.Now().In(s.Location())).Add(1)
		if turn := next.Start(s.Location()); turn.Before(until) && turn.After(time.Now()) {
			time.Sleep(time.Until(turn) - time.Second)
			y.checkTurn(s, next)
		}
	}
	time.Sleep(time.Until(until))
}

// checkTurn looks at a month a second before it begins, and at what its first hits do.
func (y *year) checkTurn(s *sites.Site, m counters.Month) {
	y.t.Helper()
	if _, err := os.Stat(filepath.Join(y.dir, m.Database()+".db")); err != nil {
		y.t.Error(err)
	}
	pages, sections, hours := y.views(m, counters.Pages, s.Base), y.views(m, counters.Sections, s.Base), y.views(m, counters.Hours, s.Base)
	if len(pages) != len(busyPages) || len(sections) != 3 || len(hours) != m.Days() {
		y.t.Errorf("%s, before %s begins: pages %v, sections %v, %d hours", s.Host, m, pages, sections, len(hours))
	}
	for _, path := range busyPages {
		if n, ok := pages[s.Base+cutQuery(path)]; !ok || n != 0 {
			y.t.Errorf("%s, before %s begins: page %s has %d views", s.Host, m, path, n)
		}
	}
	before := y.count(m, s.Base)
	time.Sleep(time.Second)
	for _, path := range busyPages {
		y.visit(s, path)
	}
	y.flushed()
	if after := y.count(m, s.Base); after != before {
		y.t.Errorf("%s: the first hits of %s made %d documents of %d", s.Host, m, after, before)
	}
	if n := y.views(m, counters.Pages, s.Base)[s.Base+"/"]; n != 1 {
		y.t.Errorf("%s: %d views of / in the first hour of %s", s.Host, n, m)
	}
}
