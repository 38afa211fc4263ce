package reporter

import (
	"context"
	"fmt"
	"strings"

	"precount/internal/counters"
)

// A series is the views of each day of a range, and of each hour of each day where that is known.
type series struct {
	days  []int64
	hours [][]int64 // nil for a day without a document; nil as a whole under a prefix

	rolled  rolledUp                // months of which only a rollup is left
	unknown map[counters.Month]bool // of these, months whose days, or hours if that is the width, nobody knows any more
}

func readSeries(ctx context.Context, store Store, base string, q Query, rolled rolledUp) (series, error) {
	s := series{rolled: rolled, unknown: map[counters.Month]bool{}}
	if q.hasPrefix() {
		var err error
		s.days, err = readPrefix(ctx, store, base, q, s)
		return s, err
	}
	s.days, s.hours = make([]int64, q.Range.Days()), make([][]int64, q.Range.Days())
	offset := 0
	for _, span := range q.Range.Spans() {
		if days, ok := rolled.days(span); ok {
			offset += copy(s.days[offset:], days)
			s.unknown[span.Month] = q.By == ByHour
			continue
		}
		c := counters.Collection{Month: span.Month, Kind: counters.Hours}
		for doc, err := range store.Scan(ctx, c, counters.IDPrefix(counters.Hours, base)) {
			if err != nil {
				return series{}, fmt.Errorf("read %s of %s: %w", c, base, err)
			}
			if day := doc.Key.Day; span.From <= day && day <= span.To {
				i := offset + day - span.From
				s.days[i], s.hours[i] = doc.Total, doc.Counts
			}
		}
		offset += span.To - span.From + 1
	}
	return s, nil
}

// readPrefix returns the views per day of the pages whose path begins with the prefix. Of a section's rolled-up month only
// the sum is known: it stands on the first day, for series by month; otherwise the month is marked as unknown.
func readPrefix(ctx context.Context, store Store, base string, q Query, s series) ([]int64, error) {
	days := make([]int64, 0, q.Range.Days())
	for _, span := range q.Range.Spans() {
		if _, ok := s.rolled[span.Month]; ok {
			views, known := s.rolled.section(span, q.Prefix)
			if known = known && q.By == ByMonth; !known {
				views, s.unknown[span.Month] = 0, true
			}
			days = append(append(days, views), make([]int64, span.To-span.From)...)
			continue
		}
		sums, err := readSection(ctx, store, span, base, q.Prefix)
		if err == nil && sums == nil {
			// Not a section that is counted: deeper than MaxDepth, beyond the cap of sections, or no whole segment.
			sums, err = store.DaySums(ctx, counters.Pages, span, base+q.Prefix)
		}
		if err != nil {
			return nil, fmt.Errorf("read %s of %s under %q: %w", span.Month, base, q.Prefix, err)
		}
		days = append(days, sums...)
	}
	return days, nil
}

// readSection returns the days of the section path from its own document, or nil if there is none. The depth stands in
// the _id before the path, so that no other document's _id begins with this one.
func readSection(ctx context.Context, store Store, span counters.Span, base, path string) ([]int64, error) {
	if !isSection(path) {
		return nil, nil
	}
	key := counters.SectionKey(span.Month, base, depth(path), path)
	for doc, err := range store.Scan(ctx, key.Collection, key.ID()) {
		if err != nil {
			return nil, err
		}
		if doc.Key == key {
			return doc.Counts[span.From-1 : span.To], nil
		}
	}
	return nil, nil
}

// isSection reports whether path is spelled as a section that has a document of its own.
func isSection(path string) bool {
	return strings.HasSuffix(path, "/") && !strings.Contains(path, "?") && depth(path) <= counters.MaxDepth
}

// depth returns the depth of the innermost section that path lies in, or is: 1 for "/docs/" and for "/docs/intro".
// Slashes in a query are not part of it.
func depth(path string) int {
	path, _, _ = strings.Cut(path, "?")
	return strings.Count(path, "/") - 1
}
