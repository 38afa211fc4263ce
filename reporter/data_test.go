package reporter

import (
	"fmt"
	"testing"
	"time"

	"precount/internal/sites"
)

const evilPath = "/</script><script>alert(1)</script>"

// twoSites is a site in Berlin with views in three months of two years, at the edges of days and months, and one in New York
// that was viewed at the same instants.
func twoSites(t testing.TB) (f *fixture, berlin, newYork *sites.Site) {
	f = newFixture(t)
	berlin = f.site(t, "mongodb.org", "timezone=Europe/Berlin", "alias=mongo.example,bücher.example", "public=true")
	newYork = f.site(t, "docs.mongodb.org", "timezone=America/New_York")
	// Begins with the base of the first site, but is another one.
	other := f.site(t, "mongodb.orgx")
	at := func(s string) time.Time {
		instant, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return instant
	}
	for _, site := range []*sites.Site{berlin, newYork} {
		f.count(t,
			hit{site, at("2026-11-20T10:59:00Z"), "/", 1200},
			hit{site, at("2026-11-20T04:30:00Z"), "/docs/", 300}, // still the 19th in New York
			hit{site, at("2026-11-18T12:00:00Z"), "/docs/intro/", 45},
			hit{site, at("2026-11-18T12:00:00Z"), "/docs/intro/first?page=2/", 5},
			hit{site, at("2026-11-01T00:30:00Z"), "/docs/a/b/c/d/e/f", 7},   // November, and October
			hit{site, at("2026-10-25T00:30:00Z"), "/blog/clocks-back", 2},   // 02:30 in Berlin, the first time
			hit{site, at("2026-10-25T01:30:00Z"), "/blog/clocks-back", 3},   // 02:30 in Berlin, the second time
			hit{site, at("2025-12-31T23:30:00Z"), "/blog/new-year", 11},     // 2026, and 2025
			hit{site, at("2026-11-19T20:00:00Z"), evilPath, 17},             // breaks out of go-echarts' own snippets
			hit{site, at("2026-11-19T20:00:00Z"), "/a;=1+1,\"x\"\u202e", 1}, // and out of spreadsheets
		)
	}
	f.count(t, hit{other, at("2026-11-20T10:59:00Z"), "/docs/", 1_000_000})
	return f, berlin, newYork
}

// views returns the naive sum of what was counted.
func (f *fixture) views(keep func(hit) bool) (sum int64) {
	for _, h := range f.hits {
		if keep(h) {
			sum += h.n
		}
	}
	return sum
}

// countMany adds 200 pages in 12 sections over a month, so that a report looks as it does in real life.
func (f *fixture) countMany(t testing.TB) {
	t.Helper()
	site := f.registry.Directory().Find("mongodb.org")
	hits := []hit{{site, now, evilPath, 9000}}
	for day := range 40 {
		for page := range 200 {
			at := now.AddDate(0, 0, -day).Add(-time.Duration((page*7+day*3)%11) * time.Hour)
			n := int64(4000/(page+3) + (day*31+page*17)%13 - day*10)
			if n > 0 {
				path := fmt.Sprintf("/docs/chapter-%d/a-page-with-a-rather-long-name-%d/", page%12, page)
				hits = append(hits, hit{site, at, path, n})
			}
		}
	}
	f.count(t, hits...)
}
