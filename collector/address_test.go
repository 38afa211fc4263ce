package collector

import (
	"net/url"
	"testing"

	"precount/internal/counters"
	"precount/internal/sites"
)

// TestPageOf: an address names the document in which a hit with the same address counts.
func TestPageOf(t *testing.T) {
	s := site(t, "example.org", "UTC")
	must(t, s.Set("keep-query", "id"))
	p := newPipeline(t, s)
	for _, address := range []string{"https://example.org", "http://WWW.example.org:80/docs/?x=1&id=7#top", "https://example.org/ä%20b",
		"https://example.org/\x01"} {
		base, path, err := PageOf(p.directory, address)
		must(t, err)
		if status := p.get("url="+url.QueryEscape(address), nil).StatusCode(); status != 200 {
			t.Fatal(address, status)
		}
		p.mustFlush()
		key := counters.PageKey(counters.MonthOf(p.now), base, path)
		if d, ok := p.documents(counters.Pages, counters.MonthOf(p.now))[key.ID()]; !ok || d.Total != 1 {
			t.Errorf("%q is %q, where no hit counted", address, key.ID())
		}
	}
	d, err := sites.NewDirectory(nil)
	must(t, err)
	for _, address := range []string{"", "example.org/", "https://example.org/", "ftp://example.org/", "https://a..b/"} {
		if _, _, err := PageOf(d, address); err == nil {
			t.Errorf("%q is taken", address)
		}
	}
}
