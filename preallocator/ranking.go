package preallocator

import (
	"cmp"
	"slices"
	"strings"

	"precount/internal/counters"
)

// A ranked key is a document of the source month, named for the target month.
type ranked struct {
	key   counters.Key
	views int64
}

// A busiest keeps the n keys with the most views out of any number, in memory for twice as many.
type busiest struct {
	n     int
	items []ranked
}

func (b *busiest) add(key counters.Key, views int64) {
	b.items = append(b.items, ranked{key, views})
	if len(b.items) >= 2*b.n+2 {
		b.trim()
	}
}

func (b *busiest) trim() {
	slices.SortFunc(b.items, func(x, y ranked) int {
		return cmp.Or(cmp.Compare(y.views, x.views), compareKeys(x.key, y.key))
	})
	b.items = b.items[:min(len(b.items), b.n)]
}

func compareKeys(x, y counters.Key) int {
	return cmp.Or(cmp.Compare(x.Collection.Kind, y.Collection.Kind), strings.Compare(x.ID(), y.ID()))
}

// A ranking is a site's busiest documents of one kind: for each attribute, of which there are few, a list of its own.
type ranking struct {
	caps  Caps
	names []string // of lists, in the order in which they came
	lists map[string]*busiest
	other []counters.Key
}

func newRanking(caps Caps) *ranking { return &ranking{caps: caps, lists: map[string]*busiest{}} }

func (r *ranking) add(key counters.Key, views int64) {
	if isOther(key) {
		r.other = append(r.other, key) // no cap takes it; there are a few per attribute and depth
		return
	}
	list := r.lists[key.Name]
	if list == nil {
		list = &busiest{n: r.caps.of(key.Collection.Kind)}
		r.lists[key.Name] = list
		r.names = append(r.names, key.Name)
	}
	list.add(key, views)
}

// keys returns what was kept, of each list the most views first.
func (r *ranking) keys() []counters.Key {
	keys := r.other
	for _, name := range r.names {
		list := r.lists[name]
		list.trim()
		for _, item := range list.items {
			keys = append(keys, item.key)
		}
	}
	return keys
}

// A capTally counts a site's documents of one kind against their cap.
type capTally struct {
	caps  Caps
	count map[string]int // by attribute; "" for other kinds
}

func newCapTally(caps Caps) capTally { return capTally{caps, map[string]int{}} }

// admit counts a document, and reports whether its cap allows it. Hours need none, and "(other)" is where caps lead to.
func (t capTally) admit(key counters.Key) bool {
	if key.Collection.Kind == counters.Hours || isOther(key) {
		return true
	}
	t.count[key.Name]++
	return t.count[key.Name] <= t.caps.of(key.Collection.Kind)
}

// of returns how many documents of a kind, and of one attribute, a site may have in a month.
func (c Caps) of(kind counters.Kind) int {
	switch kind {
	case counters.Pages:
		return c.Pages
	case counters.Sections:
		return c.Sections
	default:
		return c.Values
	}
}
