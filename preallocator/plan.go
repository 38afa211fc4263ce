package preallocator

import (
	"iter"
	"math"
	"slices"

	"precount/internal/counters"
)

// other is the value, and with a slash before it the path, under which everything beyond a cap counts.
const (
	other     = "(other)"
	otherPath = "/" + other
)

// preparedKinds are the kinds that have templates, in the order in which they are inserted. Hours come last: those of
// the month's last day say that the site is done. Registers are sparse, so visitors have none.
var preparedKinds = []counters.Kind{counters.Pages, counters.Sections, counters.Attrs, counters.Hours}

// A siteSource is what a plan is made of: one site, its documents in the source month, and what it has in the target month.
type siteSource struct {
	base      string
	month     counters.Month // the target
	documents func(counters.Kind) iter.Seq2[counters.Document, error]
	existing  func(counters.Kind) iter.Seq2[string, error]
	wishes    []string // paths
}

// A sitePlan is what one site lacks in a month.
type sitePlan struct {
	missing  []counters.Key // by kind, as in preparedKinds; of each kind the most important first, days in their order
	existing int            // documents of those kinds that are there
}

// plan compares what a site should have with what it has. Its memory is bounded by the caps.
func plan(s siteSource, minViews int64, caps Caps) (sitePlan, error) {
	var p sitePlan
	for _, kind := range preparedKinds {
		wanted, err := s.wanted(kind, minViews, caps)
		if err != nil {
			return sitePlan{}, err
		}
		if err := p.addMissing(s.existing(kind), wanted, caps); err != nil {
			return sitePlan{}, err
		}
	}
	return p, nil
}

// addMissing adds the wanted keys that do not exist, as far as there is room under the caps.
func (p *sitePlan) addMissing(existing iter.Seq2[string, error], wanted []counters.Key, caps Caps) error {
	if len(wanted) == 0 {
		return nil
	}
	c := wanted[0].Collection
	there := map[string]struct{}{}
	count := newCapTally(caps)
	for id, err := range existing {
		if err != nil {
			return err
		}
		there[id] = struct{}{}
		if key, err := counters.ParseID(c, id); err == nil {
			count.admit(key)
		}
	}
	p.existing += len(there)
	for _, key := range wanted {
		id := key.ID()
		if _, ok := there[id]; ok || !count.admit(key) {
			continue
		}
		there[id] = struct{}{} // a wish may be a busy page too
		p.missing = append(p.missing, key)
	}
	return nil
}

func isOther(k counters.Key) bool { return k.Path == otherPath || k.Value == other }

// wanted returns the documents that a site should have, the most important first.
func (s siteSource) wanted(kind counters.Kind, minViews int64, caps Caps) ([]counters.Key, error) {
	if kind == counters.Hours {
		return s.hours(), nil
	}
	busy := newRanking(caps)
	for d, err := range s.documents(kind) {
		if err != nil {
			return nil, err
		}
		if d.Total >= minViews || d.Total > 0 && isOther(d.Key) {
			key := d.Key
			key.Collection.Month = s.month
			busy.add(key, d.Total)
		}
	}
	return append(s.always(kind), busy.keys()...), nil
}

// always returns what a site gets whatever its views were: its start page, and the operator's wishes with their sections.
func (s siteSource) always(kind counters.Kind) (keys []counters.Key) {
	for _, path := range append([]string{"/"}, s.wishes...) {
		switch kind {
		case counters.Pages:
			keys = append(keys, counters.PageKey(s.month, s.base, path))
		case counters.Sections:
			for depth, section := range ancestors(path) {
				keys = append(keys, counters.SectionKey(s.month, s.base, depth, section))
			}
		}
	}
	return keys
}

func (s siteSource) hours() []counters.Key {
	keys := make([]counters.Key, s.month.Days())
	for i := range keys {
		keys[i] = counters.HoursKey(s.month, s.base, i+1)
	}
	return keys
}

// ancestors returns the sections that a page counts in: "/", "/docs/", … at most counters.MaxDepth deep.
func ancestors(path string) []string {
	var sections []string
	for i := 0; i < len(path) && path[i] != '?' && len(sections) <= counters.MaxDepth; i++ {
		if path[i] == '/' {
			sections = append(sections, path[:i+1])
		}
	}
	return sections
}

// due returns the part of the plan that is to be inserted so that share of it, 0 to 1, is there, the _ids of each kind in
// their order: in this order the stores take them fastest.
func (p sitePlan) due(share float64) []counters.Key {
	n := int(math.Ceil(share*float64(p.existing+len(p.missing)))) - p.existing
	keys := slices.Clone(p.missing[:min(max(n, 0), len(p.missing))])
	slices.SortFunc(keys, compareOrder)
	return keys
}

func compareOrder(x, y counters.Key) int {
	if x.Collection.Kind != y.Collection.Kind {
		return slices.Index(preparedKinds, x.Collection.Kind) - slices.Index(preparedKinds, y.Collection.Kind)
	}
	return compareKeys(x, y)
}
