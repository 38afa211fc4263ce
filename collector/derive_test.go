package collector

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"precount/internal/counters"
	"precount/internal/sites"
)

var november = counters.Month{Year: 2026, Month: 11}

func TestSectionsOf(t *testing.T) {
	for _, c := range []struct {
		path     string
		admitted int
		want     []string
	}{
		{"/", 4, []string{"/"}},
		{"/index.html", 4, []string{"/"}},
		{"/docs/", 4, []string{"/", "/docs/"}},
		{"/docs/a/b", 4, []string{"/", "/docs/", "/docs/a/"}},
		{"/1/2/3/4/5/6/", 4, []string{"/", "/1/", "/1/2/", "/1/2/3/", "/1/2/3/4/"}},
		{"/1/2/3", 1, []string{"/", "/1/", "/(other)"}},
		{"/1/2/3", 0, []string{"/", "/(other)", "/(other)"}},
		{"//a", 4, []string{"/", "//"}},
		{"/a?next=/b/c", 4, []string{"/"}},
		{"/d/a?next=/b/c", 4, []string{"/", "/d/"}},
	} {
		var got []string
		for _, section := range sectionsOf(c.path, c.admitted) {
			got = append(got, section)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s with depth %d: %q, want %q", c.path, c.admitted, got, c.want)
		}
	}
}

// TestUpdatesSumUp: whatever hits come, the sums over pages, over hours and over the sections of depth 0 are the number of
// hits, and no document has two updates.
func TestUpdatesSumUp(t *testing.T) {
	site, err := sites.New("mongodb.org")
	must(t, err)
	rapid.Check(t, func(t *rapid.T) {
		hits := rapid.IntRange(0, 60).Draw(t, "hits")
		tally := newTally()
		for range hits {
			local := sites.Local{Month: november.Add(rapid.IntRange(0, 1).Draw(t, "month")), Day: rapid.IntRange(1, 30).Draw(t, "day"),
				Hour: rapid.IntRange(0, 23).Draw(t, "hour")}
			path := rapid.StringMatching(`/([ab]{1}/){0,6}[ab]?`).Draw(t, "path")
			if err := tally.add(appendRecord(nil, site, local, rapid.IntRange(0, 4).Draw(t, "depth"), []byte(path))); err != nil {
				t.Fatal(err)
			}
		}
		sums, seen := map[string]int64{}, map[string]bool{}
		for _, u := range tally.updates() {
			id := u.Key.Collection.String() + " " + u.Key.ID()
			if seen[id] {
				t.Fatalf("%s has two updates", id)
			}
			seen[id] = true
			sums[u.Key.Collection.Kind.String()+fmt.Sprint(u.Key.Depth)] += u.Inc[0].N
			var fields int64
			for _, d := range u.Inc[1:] {
				fields += d.N
			}
			if u.Inc[0].Field != counters.Total || u.Inc[0].N != fields {
				t.Fatalf("%s: total %d, fields %d", id, u.Inc[0].N, fields)
			}
		}
		for _, kind := range []string{"sites0", "hours0", "sections0"} {
			if sums[kind] != int64(hits) {
				t.Fatalf("%d hits, but %s sums up to %d", hits, kind, sums[kind])
			}
		}
	})
}

func TestUpdates(t *testing.T) {
	site, err := sites.New("mongodb.org")
	must(t, err)
	tally := newTally()
	for _, hour := range []int{22, 22, 23} {
		must(t, tally.add(appendRecord(nil, site, sites.Local{Month: november, Day: 20, Hour: hour}, 1, []byte("/docs/"))))
	}
	must(t, tally.add(appendRecord(nil, site, sites.Local{Month: november, Day: 21, Hour: 0}, 1, []byte("/docs/"))))
	inc := func(pairs ...any) (deltas []counters.Delta) {
		for i := 0; i < len(pairs); i += 2 {
			deltas = append(deltas, counters.Delta{Field: pairs[i].(counters.Field), N: int64(pairs[i+1].(int))})
		}
		return deltas
	}
	days := inc(counters.Total, 4, counters.Day(20), 3, counters.Day(21), 1)
	want := []counters.Update{
		{Key: counters.PageKey(november, "org.mongodb", "/docs/"), Inc: days},
		{Key: counters.HoursKey(november, "org.mongodb", 20), Inc: inc(counters.Total, 3, counters.Hour(22), 2, counters.Hour(23), 1)},
		{Key: counters.HoursKey(november, "org.mongodb", 21), Inc: inc(counters.Total, 1, counters.Hour(0), 1)},
		{Key: counters.SectionKey(november, "org.mongodb", 0, "/"), Inc: days},
		{Key: counters.SectionKey(november, "org.mongodb", 1, "/docs/"), Inc: days},
	}
	if got := tally.updates(); !reflect.DeepEqual(got, want) {
		t.Errorf("updates\n%+v\nwant\n%+v", got, want)
	}
}

func TestParseRecordRefuses(t *testing.T) {
	site, err := sites.New("mongodb.org")
	must(t, err)
	good := appendRecord(nil, site, sites.Local{Month: november, Day: 30, Hour: 23}, 4, []byte("/"))
	if _, err := parseRecord(string(good)); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(b []byte) []byte{
		"empty":          func(b []byte) []byte { return nil },
		"another format": func(b []byte) []byte { b[0] = 2; return b },
		"head only":      func(b []byte) []byte { return b[:5] },
		"depth":          func(b []byte) []byte { b[1] = 5; return b },
		"day 0":          func(b []byte) []byte { b[2] = 0; return b },
		"day 31":         func(b []byte) []byte { b[2] = 31; return b },
		"hour":           func(b []byte) []byte { b[3] = 24; return b },
		"no base":        func(b []byte) []byte { b[6] = 0; return b },
		"long base":      func(b []byte) []byte { b[6] = 255; return b },
		"no path":        func(b []byte) []byte { return b[:len(b)-1] },
	} {
		if _, err := parseRecord(string(change(slices.Clone(good)))); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func FuzzParseRecord(f *testing.F) {
	site, err := sites.New("mongodb.org")
	must(f, err)
	f.Add(appendRecord(nil, site, sites.Local{Month: november, Day: 30, Hour: 23}, 4, []byte("/a/b")))
	f.Fuzz(func(t *testing.T, record []byte) {
		tally := newTally()
		if tally.add(record) == nil {
			for _, u := range tally.updates() {
				if _, err := counters.ParseID(u.Key.Collection, u.Key.ID()); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

func BenchmarkCoalesce(b *testing.B) {
	site, err := sites.New("mongodb.org")
	must(b, err)
	records := make([][]byte, 10_000)
	for i := range records {
		records[i] = appendRecord(nil, site, sites.Local{Month: november, Day: 20, Hour: 12}, 4, fmt.Appendf(nil, "/section-%d/page-%d", i%100, i))
	}
	b.Run("add", func(b *testing.B) {
		t := newTally()
		for i := 0; b.Loop(); i++ {
			_ = t.add(records[i%len(records)])
		}
	})
	b.Run("updates", func(b *testing.B) {
		t := newTally()
		for _, r := range records {
			_ = t.add(r)
		}
		for b.Loop() {
			t.updates()
		}
	})
}
