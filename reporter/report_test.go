package reporter

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"precount/internal/sites"
)

// Whatever is asked, the answers are the sums over the hits.
func TestAgainstNaiveSums(t *testing.T) {
	f, berlin, newYork := twoSites(t)
	prefixes := []string{"", "/", "/docs/", "/docs/intro/", "/docs/int", "/docs/a/b/c/", "/docs/a/b/c/d/", "/docs/a/b/c/d/e/", "/d",
		"/nothing/", "/docs/intro/first?page=2/", "/blog/", evilPath}
	ranges := []Params{{}, {From: "today"}, {From: "7d"}, {From: "12mo"}, {From: "2026-10", To: "2026-10"}, {From: "2025-12", To: "2026-01"},
		{From: "2026-10-25", To: "2026-11-01"}, {From: "2010-01-01"}}
	random := rand.New(rand.NewPCG(1, 2))
	for range 150 {
		site := []*sites.Site{berlin, newYork}[random.IntN(2)]
		p := ranges[random.IntN(len(ranges))]
		p.Prefix, p.By = prefixes[random.IntN(len(prefixes))], string(widths[random.IntN(len(widths))])
		q, err := p.Query(now, site.Location())
		if err != nil {
			continue
		}
		t.Run(fmt.Sprintf("%s %+v", site.Host, p), func(t *testing.T) { compareWithHits(t, f, site, q) })
	}
}

func compareWithHits(t *testing.T, f *fixture, site *sites.Site, q Query) {
	got, err := Compile(t.Context(), f.store, site, q)
	if err != nil {
		t.Fatal(err)
	}
	in := func(h hit) bool {
		date := dateOf(h.at.In(site.Location()))
		return h.site == site && !date.Before(q.Range.From) && !q.Range.To.Before(date) && strings.HasPrefix(h.path, q.Prefix)
	}
	if want := f.views(in); got.Views.Total != want || got.Pages.Total != want {
		t.Errorf("total %d, of pages %d; want %d", got.Views.Total, got.Pages.Total, want)
	}
	layout := map[By]string{ByDay: "2006-01-02", ByHour: "2006-01-02T15", ByMonth: "2006-01"}[q.By]
	for _, p := range got.Views.Points {
		want := f.views(func(h hit) bool { return in(h) && h.at.In(site.Location()).Format(layout) == p.T })
		if p.Views != want {
			t.Errorf("%s: %d views, want %d", p.T, p.Views, want)
		}
	}
	for _, p := range got.Pages.Pages {
		if want := f.views(func(h hit) bool { return in(h) && h.path == p.Path }); p.Views != want {
			t.Errorf("page %s: %d views, want %d", p.Path, p.Views, want)
		}
	}
	for _, p := range got.Sections.Sections {
		if want := f.views(func(h hit) bool { return in(h) && strings.HasPrefix(h.path, p.Path) }); p.Views != want {
			t.Errorf("section %s: %d views, want %d", p.Path, p.Views, want)
		}
	}
	for hour, n := range got.Hours {
		if want := f.views(func(h hit) bool { return in(h) && h.at.In(site.Location()).Hour() == hour }); n != want {
			t.Errorf("hour %d: %d views, want %d", hour, n, want)
		}
	}
}

func TestSectionsOf(t *testing.T) {
	f, berlin, _ := twoSites(t)
	for prefix, want := range map[string]string{
		"":                 "/docs/ /</ /blog/",
		"/":                "/docs/ /</ /blog/",
		"/docs/":           "/docs/intro/ /docs/a/",
		"/docs/in":         "/docs/intro/",
		"/do":              "/docs/",
		"/docs/a/b/":       "/docs/a/b/c/",
		"/docs/a/b/c/":     "", // deeper than sections are counted
		"/docs/a/b/c/d/e/": "",
		"/nothing/":        "",
	} {
		q, err := Params{From: "2026-10", Prefix: prefix}.Query(now, berlin.Location())
		if err != nil {
			t.Fatal(err)
		}
		got, err := ReadSections(t.Context(), f.store, berlin, q)
		if err != nil {
			t.Fatal(err)
		}
		var paths []string
		for _, s := range got.Sections {
			paths = append(paths, s.Path)
		}
		t.Logf("%q: %v", prefix, got)
		if strings.Join(paths, " ") != want {
			t.Errorf("sections of %q: %q, want %q", prefix, paths, want)
		}
	}
}
