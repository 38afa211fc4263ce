package collector

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"precount/internal/counters"
)

// updates derives from a tally what changes in which document: each page, its site's hour, and each of its sections. Every
// document has one update, however many spots fall on it; they come in the order of their collections and _ids, which
// is nearly the order in which the stores keep them.
func (t *tally) updates() []counters.Update {
	order := make([]int32, len(t.spots))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return compareSpots(&t.spots[a], &t.spots[b]) })
	d := derivation{index: make(map[counters.Key]int), pages: make([]counters.Update, 0, len(order)),
		deltas: make([]counters.Delta, 0, 2*len(order))}
	for i := range d.last {
		d.last[i] = -1
	}
	for _, i := range order {
		d.add(&t.spots[i], t.counts[i])
	}
	slices.SortFunc(d.others, compareKeys)
	return append(d.pages, d.others...)
}

// compareSpots sorts by page: the spots of one page are neighbours, and those of a section nearly so.
func compareSpots(a, b *spot) int {
	if a.month != b.month {
		return cmp.Compare(a.month, b.month)
	}
	if c := strings.Compare(a.base, b.base); c != 0 {
		return c
	}
	if c := strings.Compare(a.path, b.path); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.hour, b.hour), cmp.Compare(a.depth, b.depth))
}

// A derivation collects updates from spots in the order of compareSpots.
type derivation struct {
	pages  []counters.Update    // in order
	others []counters.Update    // hours and sections
	index  map[counters.Key]int // of others
	deltas []counters.Delta     // of which the updates have a part each: one allocation for most of them
	last   [lastHours + 1]int   // the latest of others for each depth, and of the hours; -1: none
}

const lastHours = counters.MaxDepth + 1

func (d *derivation) add(s *spot, n int64) {
	month, day := monthOf(s.month), counters.Day(int(s.day))
	page := counters.PageKey(month, s.base, s.path)
	if last := len(d.pages) - 1; last >= 0 && d.pages[last].Key == page {
		inc(&d.pages[last], day, n)
	} else {
		d.pages = append(d.pages, d.update(page, day, n))
	}
	d.other(lastHours, counters.HoursKey(month, s.base, int(s.day)), counters.Hour(int(s.hour)), n)
	for depth, path := range sectionsOf(s.path, int(s.depth)) {
		d.other(depth, counters.SectionKey(month, s.base, depth, path), day, n)
	}
}

// other adds to a document that is no page. Neighbours mostly share it, which saves looking it up.
func (d *derivation) other(slot int, key counters.Key, field counters.Field, n int64) {
	i := d.last[slot]
	if i < 0 || d.others[i].Key != key {
		known := false
		if i, known = d.index[key]; !known {
			i = len(d.others)
			d.index[key] = i
			d.others = append(d.others, d.update(key, field, 0))
		}
		d.last[slot] = i
	}
	inc(&d.others[i], field, n)
}

// update returns a new one with n in its total and in a field.
func (d *derivation) update(key counters.Key, field counters.Field, n int64) counters.Update {
	from := len(d.deltas)
	d.deltas = append(d.deltas, counters.Delta{Field: counters.Total, N: n}, counters.Delta{Field: field, N: n})
	return counters.Update{Key: key, Inc: d.deltas[from : from+2 : from+2]}
}

// inc adds n to a field of a document and to its total.
func inc(u *counters.Update, field counters.Field, n int64) {
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
func sectionsOf(path string, admitted int) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		deepest, end := depthOf(path, counters.MaxDepth), 1
		for depth := 0; depth <= deepest; depth++ {
			section := otherPath
			if depth <= admitted {
				if depth > 0 {
					end += strings.IndexByte(path[end:], '/') + 1
				}
				section = path[:end]
			}
			if !yield(depth, section) {
				return
			}
		}
	}
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
