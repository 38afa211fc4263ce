package collector

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

func TestCardinality(t *testing.T) {
	c := newCardinality(Caps{Pages: 3, Sections: 2, Memory: 100})
	for _, step := range []struct {
		base, path string
		want       string
		depth      int
	}{
		{"a", "/1/x", "/1/x", 1},
		{"a", "/2/x/y", "/2/x/y", 1},     // /2/ is the second section, /2/x/ the third
		{"a", "/3/x", "/3/x", 0},         // no section left, but a page
		{"a", "/4", "/(other)", 0},       // no page left
		{"a", "/1/x", "/1/x", 1},         // known pages stay
		{"a", "/2/x/y", "/2/x/y", 1},     // as they were
		{"b", "/4/", "/4/", 1},           // another site has its own caps
		{"a", "/(other)", "/(other)", 0}, // the name itself needs no room
	} {
		path, depth := c.admit(step.base, november, []byte(step.path))
		if string(path) != step.want || depth != step.depth {
			t.Errorf("%s%s: %s depth %d, want %s depth %d", step.base, step.path, path, depth, step.want, step.depth)
		}
	}
	if path, _ := c.admit("a", november.Add(1), []byte("/4")); string(path) != "/4" {
		t.Errorf("in the next month /4 counts as %s", path)
	}
}

func TestCardinalityForgetsOldMonths(t *testing.T) {
	c := newCardinality(Caps{})
	for m := range 24 {
		for i := range 10 {
			c.admit("a", november.Add(m), fmt.Appendf(nil, "/s/%d", i))
		}
	}
	if months, known := len(*c.months.Load()), c.known.Load(); months != 2 || known != 22 {
		t.Errorf("after 24 months it remembers %d months with %d names, want 2 with 22", months, known)
	}
}

func TestCardinalityMemoryIsBounded(t *testing.T) {
	c := newCardinality(Caps{Memory: 50})
	for i := range 1000 {
		c.admit(fmt.Sprint(i%7), november, fmt.Appendf(nil, "/%d/%d", i, i))
	}
	if known := c.known.Load(); known > 50+5 {
		t.Errorf("%d names are remembered, at most 50 and the sections of one page", known)
	}
}

func TestCardinalityConcurrently(t *testing.T) {
	c := newCardinality(Caps{Pages: 100})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for i := range 5000 {
				c.admit("a", november.Add(i/2500), fmt.Appendf(nil, "/%d", i%300))
			}
		})
	}
	group.Wait()
	for key, m := range *c.months.Load() {
		if len(m.pages) != 100 {
			t.Errorf("%v has %d pages, want 100", key.month, len(m.pages))
		}
	}
}

func TestAdmitDoesNotAllocate(t *testing.T) {
	c, path, now := newCardinality(Caps{}), []byte("/docs/manual/"), time.Now()
	d := directory(t)
	site := d.Find("mongodb.org")
	c.admit(site.Base, site.Local(now).Month, path)
	if n := testing.AllocsPerRun(100, func() { c.admit(site.Base, site.Local(now).Month, path) }); n != 0 {
		t.Errorf("%v allocations to find when and where a known page counts", n)
	}
}
