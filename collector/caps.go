package collector

import (
	"context"
	"hash/maphash"
	"iter"
	"maps"
	"sync"
	"sync/atomic"

	"precount/internal/counters"
)

// Caps bound what visitors can make us store (DESIGN, section 6). Zero fields mean the default.
type Caps struct {
	Pages    int // per site and month; 50,000. Further pages count as "/(other)"
	Sections int // per site and month; 5,000. Further sections count as "/(other)" of their depth
	Memory   int // pages and sections remembered, over all sites; 2,000,000, about 25 bytes each. Beyond, new ones are "other"
}

func (c *Caps) setDefaults() {
	for _, f := range []struct {
		to    *int
		value int
	}{{&c.Pages, 50_000}, {&c.Sections, 5_000}, {&c.Memory, 2_000_000}} {
		if *f.to == 0 {
			*f.to = f.value
		}
	}
}

// A cardinality knows which pages and sections every site has in the running month, as 64-bit hashes with a seed of this
// process. Two paths with the same hash are taken for one: a page more than the cap gets its document, one in 10^14.
// With several collectors each keeps its own, so that together they may pass a cap by what they see at the same
// moment. All methods are safe for concurrent use.
type cardinality struct {
	caps  Caps
	seed  maphash.Seed
	known atomic.Int64 // entries over all sites and months
	other atomic.Uint64

	mu     sync.Mutex // for changing months; readers take the map as it is
	months atomic.Pointer[map[monthKey]*siteMonth]
}

type monthKey struct {
	base  string
	month counters.Month
}

// A siteMonth is the pages and sections of one site in one month.
type siteMonth struct {
	mu       sync.RWMutex
	pages    map[uint64]uint8 // depth of the deepest section that is known, by hash of the path
	sections map[uint64]struct{}
}

func newCardinality(caps Caps) *cardinality {
	caps.setDefaults()
	c := &cardinality{caps: caps, seed: maphash.MakeSeed()}
	c.months.Store(&map[monthKey]*siteMonth{})
	return c
}

// admit returns under which path a view counts, and how deep its sections have their own documents.
func (c *cardinality) admit(base string, month counters.Month, path []byte) ([]byte, int) {
	t := c.month(monthKey{base, month})
	hash := maphash.Bytes(c.seed, path)
	t.mu.RLock()
	depth, ok := t.pages[hash]
	t.mu.RUnlock()
	if ok {
		return path, int(depth)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !c.room(len(t.pages), c.caps.Pages) {
		c.other.Add(1)
		return []byte(otherPath), 0
	}
	depth = c.admitSections(t, path)
	if int(depth) < depthOf(path, counters.MaxDepth) {
		c.other.Add(1)
	}
	c.addPage(t, hash, depth)
	return path, int(depth)
}

// admitSections returns the depth of the deepest section of path, from the top, that is known or becomes known now.
func (c *cardinality) admitSections(t *siteMonth, path []byte) uint8 {
	depth, deepest := uint8(0), depthOf(path, counters.MaxDepth)
	for i := 1; int(depth) < deepest; i++ {
		if path[i] != '/' {
			continue
		}
		hash := maphash.Bytes(c.seed, path[:i+1])
		if _, ok := t.sections[hash]; !ok {
			if !c.room(len(t.sections), c.caps.Sections) {
				break
			}
			t.sections[hash] = struct{}{}
			c.known.Add(1)
		}
		depth++
	}
	return depth
}

func (c *cardinality) room(have, most int) bool {
	return have < most && c.known.Load() < int64(c.caps.Memory)
}

func (c *cardinality) addPage(t *siteMonth, hash uint64, depth uint8) {
	if _, ok := t.pages[hash]; !ok {
		c.known.Add(1)
	}
	t.pages[hash] = depth
}

// month returns the siteMonth of k. A new month's first hit makes it, and gives up the site's months before the last one:
// hits come only for now, which a change of the time zone moves by a month at the most.
func (c *cardinality) month(k monthKey) *siteMonth {
	if t := (*c.months.Load())[k]; t != nil {
		return t
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := (*c.months.Load())[k]; t != nil {
		return t
	}
	next := maps.Clone(*c.months.Load())
	for old, t := range next {
		if old.base == k.base && old.month.Before(k.month.Add(-1)) {
			t.mu.RLock()
			c.known.Add(-int64(len(t.pages) + len(t.sections)))
			t.mu.RUnlock()
			delete(next, old)
		}
	}
	t := &siteMonth{pages: make(map[uint64]uint8), sections: make(map[uint64]struct{})}
	next[k] = t
	c.months.Store(&next)
	return t
}

// Names lists what a store holds, so that what a cardinality knows outlives the process.
type Names interface {
	// IDs yields the _ids of a collection that begin with prefix, in their order.
	IDs(ctx context.Context, c counters.Collection, prefix string) iter.Seq2[string, error]
}

// load adds the pages and sections that the store holds for a site and month. Hits may come at the same time.
func (c *cardinality) load(ctx context.Context, names Names, base string, month counters.Month) error {
	t := c.month(monthKey{base, month})
	for _, kind := range []counters.Kind{counters.Sections, counters.Pages} {
		collection := counters.Collection{Month: month, Kind: kind}
		for id, err := range names.IDs(ctx, collection, counters.IDPrefix(kind, base)) {
			if err != nil {
				return err
			}
			if key, err := counters.ParseID(collection, id); err == nil {
				c.remember(t, key)
			}
		}
	}
	return nil
}

func (c *cardinality) remember(t *siteMonth, key counters.Key) {
	path := []byte(key.Path)
	t.mu.Lock()
	defer t.mu.Unlock()
	if key.Collection.Kind == counters.Pages {
		c.addPage(t, maphash.Bytes(c.seed, path), c.admitSections(t, path))
		return
	}
	if hash := maphash.Bytes(c.seed, path); key.Depth > 0 && key.Path != otherPath {
		if _, ok := t.sections[hash]; !ok {
			t.sections[hash] = struct{}{}
			c.known.Add(1)
		}
	}
}
