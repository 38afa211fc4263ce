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
}

func readSeries(ctx context.Context, store Store, base string, q Query) (series, error) {
	if q.hasPrefix() {
		days, err := readPrefix(ctx, store, base, q)
		return series{days: days}, err
	}
	s := series{make([]int64, q.Range.Days()), make([][]int64, q.Range.Days())}
	offset := 0
	for _, span := range q.Range.Spans() {
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

// readPrefix returns the views per day of the pages whose path begins with the prefix.
func readPrefix(ctx context.Context, store Store, base string, q Query) ([]int64, error) {
	days := make([]int64, 0, q.Range.Days())
	for _, span := range q.Range.Spans() {
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
