package collector

import (
	"slices"
	"strings"

	"precount/internal/counters"
)

// updates derives from a tally what changes in which document: each page, its site's hour, and each of its sections. Every
// document has one update, however many spots fall on it; they come in the order of their collections and _ids, which
// is the order in which the stores keep them.
func (t *tally) updates() []counters.Update {
	d := derivation{index: make(map[counters.Key]int, len(t.spots)*3/2)}
	for i, s := range t.spots {
		d.add(s, t.counts[i])
	}
	slices.SortFunc(d.updates, compareKeys)
	return d.updates
}

type derivation struct {
	index   map[counters.Key]int
	updates []counters.Update
}

func (d *derivation) add(s spot, n int64) {
	month, day := monthOf(s.month), counters.Day(int(s.day))
	d.inc(counters.PageKey(month, s.base, s.path), day, n)
	d.inc(counters.HoursKey(month, s.base, int(s.day)), counters.Hour(int(s.hour)), n)
	for depth, path := range sectionsOf(s.path, int(s.depth)) {
		d.inc(counters.SectionKey(month, s.base, depth, path), day, n)
	}
}

// inc adds n to a field of a document and to its total.
func (d *derivation) inc(key counters.Key, field counters.Field, n int64) {
	i, ok := d.index[key]
	if !ok {
		i = len(d.updates)
		d.index[key] = i
		d.updates = append(d.updates, counters.Update{Key: key, Inc: []counters.Delta{{Field: counters.Total, N: n}, {Field: field, N: n}}})
		return
	}
	u := &d.updates[i]
	u.Inc[0].N += n
	for j := range u.Inc[1:] {
		if u.Inc[j+1].Field == field {
			u.Inc[j+1].N += n
			return
		}
	}
	u.Inc = append(u.Inc, counters.Delta{Field: field, N: n})
}

// sectionsOf returns the sections that hold a page, by depth: "/", "/docs/", … Those deeper than admitted are the "/(other)"
// of their depth, so that the sections of each depth sum up to the views of the pages that are so deep.
func sectionsOf(path string, admitted int) []string {
	deepest := depthOf([]byte(path), counters.MaxDepth)
	sections := append(make([]string, 0, counters.MaxDepth+1), "/")
	for end := 1; len(sections) <= deepest; {
		if len(sections) > admitted {
			sections = append(sections, otherPath)
			continue
		}
		end += strings.IndexByte(path[end:], '/') + 1
		sections = append(sections, path[:end])
	}
	return sections
}

func compareKeys(a, b counters.Update) int {
	x, y := a.Key, b.Key
	if x.Collection != y.Collection {
		switch {
		case x.Collection.Month.Before(y.Collection.Month):
			return -1
		case y.Collection.Month.Before(x.Collection.Month):
			return 1
		}
		return int(x.Collection.Kind) - int(y.Collection.Kind)
	}
	if c := strings.Compare(x.Base, y.Base); c != 0 {
		return c
	}
	if x.Depth != y.Depth {
		return x.Depth - y.Depth
	}
	if x.Day != y.Day {
		return x.Day - y.Day
	}
	return strings.Compare(x.Path, y.Path)
}
