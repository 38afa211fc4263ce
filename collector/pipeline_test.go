package collector

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/valyala/fasthttp"

	"precount/internal/counters"
	"precount/internal/journal"
	"precount/internal/sites"
	"precount/internal/sqlitestore"
)

// A pipeline is the whole way of a hit, with a real journal and a real store, and a clock of the test's.
type pipeline struct {
	t          testing.TB
	root       string // of all images
	dir        string // the data of the running one
	now        time.Time
	caps       Caps
	journalMax int64
	directory  *sites.Directory
	journal    *journal.Journal
	store      *sqlitestore.Store
	*Collector
}

func newPipeline(t testing.TB, all ...*sites.Site) *pipeline {
	t.Helper()
	d, err := sites.NewDirectory(all)
	must(t, err)
	root := t.TempDir()
	p := &pipeline{t: t, root: root, dir: filepath.Join(root, "data"), now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), directory: d, journalMax: 1 << 20}
	p.open()
	t.Cleanup(p.close)
	return p
}

func (p *pipeline) open() {
	p.t.Helper()
	var err error
	p.journal, err = journal.Open(journal.Options{Dir: filepath.Join(p.dir, "journal"), SegmentBytes: min(p.journalMax/16, 8<<20), MaxBytes: p.journalMax})
	must(p.t, err)
	p.store, err = sqlitestore.Open(sqlitestore.Options{Dir: p.dir})
	must(p.t, err)
	p.Collector, err = New(Options{Journal: p.journal, Store: p.store, Sites: func() *sites.Directory { return p.directory },
		Caps: p.caps, Now: func() time.Time { return p.now }, Log: zerolog.Nop()})
	must(p.t, err)
}

func (p *pipeline) close() {
	must(p.t, p.store.Close())
	must(p.t, p.journal.Close())
}

// crash goes on with what a process that is killed at this moment leaves on disk: a copy of the files as they are. The
// journal prepares and recycles files in the background, so a copy counts only if the names were the same before and after.
func (p *pipeline) crash() {
	p.t.Helper()
	for try := 0; ; try++ {
		image, err := os.MkdirTemp(p.root, "image")
		must(p.t, err)
		before, err := filepath.Glob(filepath.Join(p.dir, "*", "*"))
		must(p.t, err)
		copying := os.CopyFS(filepath.Join(image, "data"), os.DirFS(p.dir))
		after, err := filepath.Glob(filepath.Join(p.dir, "*", "*"))
		must(p.t, err)
		if copying == nil && slices.Equal(before, after) {
			p.close()
			must(p.t, os.RemoveAll(p.dir))
			p.dir = filepath.Join(image, "data")
			p.open()
			return
		}
		if try == 100 {
			p.t.Fatalf("the files never stand still: %v", copying)
		}
	}
}

// hit sends one request through the handler and returns its answer.
func (p *pipeline) hit(host, path string) *fasthttp.Response {
	return p.get("host="+url.QueryEscape(host)+"&path="+url.QueryEscape(path), nil)
}

func (p *pipeline) get(query string, header map[string]string) *fasthttp.Response {
	var ctx fasthttp.RequestCtx
	var request fasthttp.Request
	request.SetRequestURI("/pixel.gif?" + query)
	for name, value := range header {
		request.Header.Set(name, value)
	}
	ctx.Init(&request, nil, nil)
	p.Pixel(&ctx)
	return &ctx.Response
}

func (p *pipeline) mustFlush() {
	p.t.Helper()
	must(p.t, p.flusher.flush(context.Background()))
}

// documents returns all documents of a collection by _id.
func (p *pipeline) documents(kind counters.Kind, month counters.Month) map[string]counters.Document {
	p.t.Helper()
	all := map[string]counters.Document{}
	for d, err := range p.store.Scan(context.Background(), counters.Collection{Month: month, Kind: kind}, "") {
		must(p.t, err)
		all[d.Key.ID()] = d
	}
	return all
}

func site(t testing.TB, host, zone string) *sites.Site {
	t.Helper()
	s, err := sites.New(host)
	must(t, err)
	must(t, s.Set("timezone", zone))
	return s
}

// TestCalendar: a hit counts on the day, in the hour and in the month of its site's time zone.
func TestCalendar(t *testing.T) {
	type spot struct {
		month     string
		day, hour int
	}
	for _, c := range []struct {
		name, at      string
		berlin, tokyo spot
	}{
		{"one instant, two days", "2026-11-20T15:30:00Z", spot{"2026-11", 20, 16}, spot{"2026-11", 21, 0}},
		{"last second of the day", "2026-11-20T22:59:59Z", spot{"2026-11", 20, 23}, spot{"2026-11", 21, 7}},
		{"midnight", "2026-11-20T23:00:00Z", spot{"2026-11", 21, 0}, spot{"2026-11", 21, 8}},
		{"two months", "2026-10-31T15:00:00Z", spot{"2026-10", 31, 16}, spot{"2026-11", 1, 0}},
		{"month's end", "2026-11-30T23:00:00Z", spot{"2026-12", 1, 0}, spot{"2026-12", 1, 8}},
		{"two years", "2026-12-31T15:00:00Z", spot{"2026-12", 31, 16}, spot{"2027-01", 1, 0}},
		{"leap day", "2028-02-28T23:00:00Z", spot{"2028-02", 29, 0}, spot{"2028-02", 29, 8}},
		{"after the leap day", "2028-02-29T23:00:00Z", spot{"2028-03", 1, 0}, spot{"2028-03", 1, 8}},
		{"no leap day", "2027-02-28T23:00:00Z", spot{"2027-03", 1, 0}, spot{"2027-03", 1, 8}},
		{"spring skips an hour", "2026-03-29T01:00:00Z", spot{"2026-03", 29, 3}, spot{"2026-03", 29, 10}},
		{"autumn has an hour twice", "2026-10-25T01:15:00Z", spot{"2026-10", 25, 2}, spot{"2026-10", 25, 10}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPipeline(t, site(t, "berlin.example", "Europe/Berlin"), site(t, "tokyo.example", "Asia/Tokyo"))
			var err error
			p.now, err = time.Parse(time.RFC3339, c.at)
			must(t, err)
			for host, want := range map[string]spot{"berlin.example": c.berlin, "tokyo.example": c.tokyo} {
				if status := p.hit(host, "/").StatusCode(); status != 200 {
					t.Fatal(status)
				}
				p.mustFlush()
				month, err := counters.ParseMonth(want.month)
				must(t, err)
				base := sites.Base(host)
				page := p.documents(counters.Pages, month)[base+"/"]
				if page.Total != 1 || page.Counts[want.day-1] != 1 || len(page.Counts) != month.Days() {
					t.Errorf("%s: page %+v, want day %d of %v", host, page, want.day, month)
				}
				hours := p.documents(counters.Hours, month)[counters.HoursKey(month, base, want.day).ID()]
				if hours.Total != 1 || hours.Counts[want.hour] != 1 {
					t.Errorf("%s: hours %+v, want hour %d", host, hours, want.hour)
				}
			}
		})
	}
}

// TestTheHourThatComesTwice counts both of its halves in the one hour that the clock on the wall shows.
func TestTheHourThatComesTwice(t *testing.T) {
	p := newPipeline(t, site(t, "berlin.example", "Europe/Berlin"))
	for p.now = time.Date(2026, 10, 24, 22, 0, 0, 0, time.UTC); p.now.Before(time.Date(2026, 10, 25, 23, 0, 0, 0, time.UTC)); p.now = p.now.Add(30 * time.Minute) {
		p.hit("berlin.example", "/")
	}
	p.mustFlush()
	day := p.documents(counters.Hours, counters.Month{Year: 2026, Month: 10})["example.berlin|25"]
	if day.Total != 50 || day.Counts[2] != 4 || day.Counts[1] != 2 || day.Counts[3] != 2 {
		t.Errorf("a day of 25 hours with a hit every half: total %d, hours %v", day.Total, day.Counts)
	}
}

// TestWishes: who asks not to be counted is not, and is told so.
func TestWishes(t *testing.T) {
	honours := site(t, "honours.example", "UTC")
	must(t, honours.Set("dnt", "true"))
	p := newPipeline(t, honours, site(t, "other.example", "UTC"))
	for _, c := range []struct{ host, header, value, want string }{
		{"other.example", "Sec-Purpose", "prefetch", "ignored: prefetch"},
		{"other.example", "Sec-Purpose", "prefetch;prerender", "ignored: prefetch"},
		{"other.example", "DNT", "1", ""},
		{"honours.example", "DNT", "1", "ignored: opt-out"},
		{"honours.example", "DNT", "0", ""},
		{"honours.example", "Sec-GPC", "1", "ignored: opt-out"},
	} {
		answer := p.get("host="+c.host+"&path=/", map[string]string{c.header: c.value})
		if got := string(answer.Header.Peek("X-Precount")); answer.StatusCode() != 200 || got != c.want {
			t.Errorf("%s with %s: %s gave %d %q, want 200 %q", c.host, c.header, c.value, answer.StatusCode(), got, c.want)
		}
	}
	l := p.Ledger()
	if l.Received != 6 || l.Ignored() != 4 || l.Journaled != 2 {
		t.Errorf("ledger %+v", l)
	}
	must(t, l.Check())
}
