package retention

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"precount/internal/counters"
	"precount/internal/sites"
	"precount/internal/sqlitestore"
)

var (
	oct25 = counters.Month{Year: 2025, Month: time.October}
	nov25 = counters.Month{Year: 2025, Month: time.November}
	jan26 = counters.Month{Year: 2026, Month: time.January}
	oct26 = counters.Month{Year: 2026, Month: time.October}
	nov26 = counters.Month{Year: 2026, Month: time.November}
	noon  = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)
)

const base = "org.mongodb"

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, dir string) *sqlitestore.Store {
	t.Helper()
	s, err := sqlitestore.Open(sqlitestore.Options{Dir: dir})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

// oddPaths are pages that a format could stumble over.
var oddPaths = []string{"/", "/(other)", "/docs/", "/docs/\"quoted\"", "/$inc", "/a.b/{}", "/\\", "/ä/日本語/🙂", "/a\u0308", "/\u2028",
	"/<script>&amp;", "/%00%25", "/a\tb\x01\x7f", "/" + strings.Repeat("x", 1023), "/" + strings.Repeat("語", 341)}

// month returns updates of every kind: odd pages, several sites, sections, attributes, registers.
func month(m counters.Month, pages int) []counters.Update {
	paths := slices.Clone(oddPaths)
	for i := range pages {
		paths = append(paths, fmt.Sprintf("/docs/page-%d", i))
	}
	var updates []counters.Update
	add := func(k counters.Key, field counters.Field, n int64) {
		updates = append(updates, counters.Update{Key: k, Inc: []counters.Delta{{Field: counters.Total, N: n}, {Field: field, N: n}}})
	}
	for s, b := range []string{base, base + ".docs", "localhost"} {
		perDay := map[int]int64{}
		for i, path := range paths {
			day, n := 1+(i*7+s)%m.Days(), int64(i+s+1)<<(i%40)
			add(counters.PageKey(m, b, path), counters.Day(day), n)
			perDay[day] += n
		}
		for _, day := range slices.Sorted(maps.Keys(perDay)) {
			add(counters.HoursKey(m, b, day), counters.Hour(day%24), perDay[day])
			visitors := counters.Update{Key: counters.VisitorsKey(m, b, day)}
			for i := range 5 * day {
				visitors.Max = append(visitors.Max, counters.Delta{Field: counters.Register(i * 13 % counters.Registers), N: int64(1 + i%50)})
			}
			visitors.Max = visitors.Max[:min(len(visitors.Max), 150)]
			updates = append(updates, visitors)
		}
		add(counters.SectionKey(m, b, 0, "/"), counters.Day(1), 100)
		add(counters.SectionKey(m, b, 1, "/docs/"), counters.Day(2), 70)
		add(counters.SectionKey(m, b, 1, "/(other)"), counters.Day(3), 7)
		add(counters.SectionKey(m, b, 2, "/docs/\"q\"/"), counters.Day(3), 5)
		for _, odd := range []string{"", "Firefox", "a|b", "\"$x\"", "(other)"} {
			add(counters.AttrKey(m, b, "campaign", odd), counters.Day(m.Days()), 3)
		}
	}
	return updates
}

var tokens uint64

func apply(t testing.TB, s Store, updates []counters.Update) {
	t.Helper()
	tokens++
	must(t, s.(*sqlitestore.Store).Apply(t.Context(), counters.Batch{Collector: "test", Token: tokens, Updates: updates}))
}

// export returns every collection of the store as an archive would hold it.
func export(t testing.TB, s Store) map[string]string {
	t.Helper()
	all, err := s.Collections(t.Context())
	must(t, err)
	out := map[string]string{}
	for _, c := range all {
		var lines []byte
		for doc, err := range s.Scan(t.Context(), c, "") {
			must(t, err)
			lines = append(appendDocument(lines, &doc), '\n')
		}
		out[c.String()] = string(lines)
	}
	return out
}

func same(t testing.TB, what string, got, want map[string]string) {
	t.Helper()
	if maps.Equal(got, want) {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			t.Fatalf("%s: %s differs:\n%.300s\nwant\n%.300s", what, name, got[name], want[name])
		}
	}
	t.Fatalf("%s: %d collections, want %d", what, len(got), len(want))
}

// noSites is an installation whose sites are all in UTC.
func noSites() *sites.Directory {
	s, err := sites.New("mongodb.org")
	if err != nil {
		panic(err)
	}
	d, err := sites.NewDirectory([]*sites.Site{s})
	if err != nil {
		panic(err)
	}
	return d
}

func options(s Store, archive string) Options {
	return Options{Store: s, Sites: noSites, Keep: 13, Archive: archive, Owner: "test", Engine: "sqlite", Version: "v1",
		Now: func() time.Time { return noon }}
}

func retention(t testing.TB, o Options) *Retention {
	t.Helper()
	r, err := New(o)
	must(t, err)
	return r
}

// run puts away what is past its time, and returns the months.
func run(t testing.TB, o Options) []string {
	t.Helper()
	done, err := retention(t, o).Run(t.Context())
	must(t, err)
	var months []string
	for _, outcome := range done {
		months = append(months, outcome.Month)
	}
	return months
}

func restore(t testing.TB, s Store, paths ...string) error {
	t.Helper()
	_, err := Restore(t.Context(), RestoreOptions{Store: s, Owner: "test", Now: func() time.Time { return noon }}, paths)
	return err
}

func fails(t testing.TB, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", words)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("the error does not say %q: %v", word, err)
		}
	}
}

// files returns the names below a directory.
func files(t testing.TB, dir string) (names []string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, path)
			names = append(names, name)
		}
		return err
	}))
	return names
}

func rollupOf(t testing.TB, s Store, b string, m counters.Month) (r Rollup, ok bool) {
	t.Helper()
	r, ok, err := ReadRollup(context.Background(), s, b, m)
	must(t, err)
	return r, ok
}
