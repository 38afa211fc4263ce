package retention

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"precount/internal/counters"
	"precount/internal/sites"
)

// one is a reader of a single document.
type one struct{}

func (one) Collections(context.Context) ([]counters.Collection, error) { return nil, nil }

func (one) Scan(context.Context, counters.Collection, string) iter.Seq2[counters.Document, error] {
	doc := oneOfEach()[0]
	return func(yield func(counters.Document, error) bool) { yield(doc, nil) }
}

// TestThreeYears lets a scheduled retention run beside hits for three years of fake time. At every moment there are exactly 13
// months of detail and rollups for the rest, and all views ever counted are in the one or the other.
func TestThreeYears(t *testing.T) {
	dir, archive := t.TempDir(), t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := open(t, dir)
		o := options(s, archive)
		o.Now = time.Now
		ctx, cancel := context.WithCancel(t.Context())
		scheduled := make(chan struct{})
		go func() {
			defer close(scheduled)
			retention(t, o).Schedule(ctx, func(_ []Outcome, err error) {
				if err != nil {
					t.Error(err)
				}
			})
		}()
		time.Sleep(6 * time.Hour) // hits come between the runs
		begin := time.Now().UTC()
		days := map[counters.Month][]int64{}
		for day := 0; ; day++ {
			now := time.Now().UTC()
			if now.After(begin.AddDate(3, 0, 0)) {
				break
			}
			m := counters.MonthOf(now)
			if day%3 == 0 || now.Day() == 1 {
				if days[m] == nil {
					days[m] = make([]int64, m.Days())
				}
				n := int64(day%17 + 1)
				days[m][now.Day()-1] += n
				field := []counters.Delta{{Field: counters.Total, N: n}, {Field: counters.Day(now.Day()), N: n}}
				apply(t, s, []counters.Update{
					{Key: counters.PageKey(m, base, "/"), Inc: field},
					{Key: counters.HoursKey(m, base, now.Day()), Inc: []counters.Delta{{Field: counters.Total, N: n}, {Field: counters.Hour(6), N: n}}}})
			}
			if now.Day() <= 2 || now.Day() > 27 || now.Day() == 15 {
				checkMoment(t, s, m, days)
			}
			time.Sleep(24 * time.Hour)
			synctest.Wait()
		}
		cancel()
		<-scheduled
		must(t, s.Close())
	})
}

func checkMoment(t *testing.T, s Store, current counters.Month, days map[counters.Month][]int64) {
	t.Helper()
	all, err := s.Collections(t.Context())
	must(t, err)
	var detail []counters.Month
	for _, c := range all {
		if !slices.Contains(detail, c.Month) {
			detail = append(detail, c.Month)
		}
	}
	if want := min(len(days), 13); len(detail) != want || detail[len(detail)-1].Add(1-want) != detail[0] {
		t.Fatalf("in %s the detail is of %v, want %d months", current, detail, want)
	}
	for m, want := range days {
		r, rolled := rollupOf(t, s, base, m)
		if kept := slices.Contains(detail, m); kept == rolled {
			t.Fatalf("in %s, %s: detail %v, rollup %v", current, m, kept, rolled)
		}
		got := r.Days
		if !rolled {
			got = make([]int64, m.Days())
			for doc, err := range s.Scan(t.Context(), counters.Collection{Month: m, Kind: counters.Hours}, "") {
				must(t, err)
				got[doc.Key.Day-1] += doc.Total
			}
		}
		if !slices.Equal(got, want) || rolled && r.Total != sum(want) {
			t.Fatalf("in %s, %s has %v, want %v", current, m, got, want)
		}
	}
}

// TestMonths is arithmetic: what runs, and what is past its time.
func TestMonths(t *testing.T) {
	zone := func(names ...string) (zones []*time.Location) {
		for _, name := range names {
			l, err := time.LoadLocation(name)
			must(t, err)
			zones = append(zones, l)
		}
		return zones
	}
	for _, test := range []struct {
		at    string
		zones []*time.Location
		want  string
	}{
		{"2026-11-01T00:00:00Z", zone("UTC"), "2026-11"},
		{"2026-10-31T23:59:59Z", zone("UTC"), "2026-10"},
		{"2026-11-01T05:00:00Z", zone("Asia/Tokyo", "America/Los_Angeles", "UTC"), "2026-10"},
		{"2026-11-01T07:00:00Z", zone("Asia/Tokyo", "America/Los_Angeles", "UTC"), "2026-11"},
		{"2027-01-01T11:59:59Z", nil, "2026-12"},
		{"2027-01-01T12:00:00Z", nil, "2027-01"},
		{"2026-10-31T12:00:00Z", zone("Pacific/Kiritimati"), "2026-11"},
	} {
		at, err := time.Parse(time.RFC3339, test.at)
		must(t, err)
		if got := running(at, test.zones); got.String() != test.want {
			t.Errorf("at %s in %v: %s, want %s", test.at, test.zones, got, test.want)
		}
	}
	var all []counters.Collection
	for _, m := range []counters.Month{nov26, oct26, jan26, nov25, oct25, nov26.Add(1), nov26.Add(14)} {
		all = append(all, counters.Collection{Month: m}, counters.Collection{Month: m, Kind: counters.Hours})
	}
	for keep, want := range map[int]string{1: "[2025-10 2025-11 2026-01 2026-10]", 2: "[2025-10 2025-11 2026-01]", 11: "[2025-10 2025-11]",
		12: "[2025-10 2025-11]", 13: "[2025-10]", 14: "[]", 1200: "[]"} {
		if got := fmt.Sprint(expired(all, nov26, keep)); got != want {
			t.Errorf("keep %d: %s, want %s", keep, got, want)
		}
	}
	for _, keep := range []int{0, -1, 1201} {
		if CheckKeep(keep) == nil {
			t.Errorf("keep %d is accepted", keep)
		}
	}
}

// TestTheWesternmostSiteDecides: while a month runs anywhere it is not put away.
func TestTheWesternmostSiteDecides(t *testing.T) {
	s := open(t, t.TempDir())
	apply(t, s, month(oct26, 1))
	west, err := sites.New("example.org")
	must(t, err)
	must(t, west.Set("timezone", "America/Los_Angeles"))
	o := options(s, t.TempDir())
	o.Keep = 1
	o.Sites = func() *sites.Directory {
		d, err := sites.NewDirectory([]*sites.Site{west, noSites().All()[0]})
		must(t, err)
		return d
	}
	o.Now = fixed(time.Date(2026, 11, 1, 6, 59, 0, 0, time.UTC))
	if got := run(t, o); len(got) != 0 {
		t.Errorf("put away %v", got)
	}
	o.Now = fixed(time.Date(2026, 11, 1, 7, 0, 0, 0, time.UTC))
	if got := run(t, o); len(got) != 1 {
		t.Errorf("put away %v", got)
	}
}

// TestDryRun says what would go and changes nothing.
func TestDryRun(t *testing.T) {
	s, archive, _ := stored(t)
	apply(t, s, month(nov26, 3))
	want := export(t, s)
	r := retention(t, options(s, archive))
	p, err := r.Plan(t.Context())
	must(t, err)
	if len(p.Months) != 1 || p.Months[0].Month != "2025-10" || len(p.Months[0].Collections) != 5 || p.Before != "2025-11" {
		t.Fatalf("plan %+v", p)
	}
	for _, c := range p.Months[0].Collections {
		lines := want["stats-2025."+c.Collection]
		if c.Bytes != int64(len(lines)) || c.Archive < 50 {
			t.Errorf("%+v, want %d bytes", c, len(lines))
		}
	}
	same(t, "after a dry run", export(t, s), want)
	if names := files(t, archive); len(names) != 0 {
		t.Errorf("left: %v", names)
	}
	for _, collection := range []string{counters.JobsRecords, counters.RollupsRecords, counters.AuditRecords, counters.RetentionRecords} {
		if records, err := s.List(t.Context(), collection); err != nil || len(records) != 0 {
			t.Errorf("%s has %d records, %v", collection, len(records), err)
		}
	}
	done, err := r.Run(t.Context())
	must(t, err)
	if len(done) != 1 || done[0].Documents == 0 {
		t.Errorf("%+v", done)
	}
}
