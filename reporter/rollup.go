package reporter

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"precount/internal/counters"
	"precount/internal/sites"
	"precount/reporter/retention"
)

// rolledUp is what stays of the months of a range that retention has put away. Such months are read nowhere else: while
// retention is at it, a part of their documents may still be there.
type rolledUp map[counters.Month]retention.Rollup

func readRollups(ctx context.Context, store Store, site *sites.Site, r Range) (rolledUp, error) {
	rolled := rolledUp{}
	for _, span := range r.Spans() {
		one, ok, err := retention.ReadRollup(ctx, store, site.Base, span.Month)
		if err != nil {
			return nil, fmt.Errorf("read the rollup %s of %s: %w", span.Month, site.Host, err)
		}
		if ok && len(one.Days) == span.Month.Days() {
			rolled[span.Month] = one
		}
	}
	return rolled, nil
}

// names returns the months as they stand in answers: "2025-10".
func (r rolledUp) names() (months []string) {
	for m := range r {
		months = append(months, m.String())
	}
	slices.Sort(months)
	return months
}

// detailed returns the spans that are not rolled up.
func (r rolledUp) detailed(spans []counters.Span) []counters.Span {
	return slices.DeleteFunc(spans, func(s counters.Span) bool { _, ok := r[s.Month]; return ok })
}

// days returns the views of the site per day of a span.
func (r rolledUp) days(span counters.Span) (days []int64, ok bool) {
	one, ok := r[span.Month]
	if !ok {
		return nil, false
	}
	return one.Days[span.From-1 : span.To], true
}

// views returns the views of the site in all rolled-up days of the spans.
func (r rolledUp) views(spans []counters.Span) (total int64) {
	for _, span := range spans {
		days, _ := r.days(span)
		for _, n := range days {
			total += n
		}
	}
	return total
}

// section returns the views of a section in a whole month. They are known of sections of depth 1 that are not among "/(other)".
func (r rolledUp) section(span counters.Span, path string) (views int64, known bool) {
	if !whole(span) || !isSection(path) || depth(path) != 1 {
		return 0, false
	}
	for _, s := range r[span.Month].Sections {
		if s.Path == path {
			return s.Total, true
		}
		known = known || s.Path == otherSection
	}
	return 0, !known // without a rest, what is not listed was not viewed
}

const otherSection = "/(other)"

func whole(s counters.Span) bool { return s.From == 1 && s.To == s.Month.Days() }

// mergeSections adds the sections of whole rolled-up months to rows that were read, and returns which months could not be
// added: those of which the range has only a part.
func (r rolledUp) mergeSections(rows []PathViews, spans []counters.Span, limit int) (merged []PathViews, gone []string) {
	views := map[string]int64{}
	for _, row := range rows {
		views[row.Path] += row.Views
	}
	for _, span := range spans {
		one, ok := r[span.Month]
		switch {
		case !ok:
		case whole(span):
			for _, s := range one.Sections {
				views[s.Path] += s.Total
			}
		default:
			gone = append(gone, span.Month.String())
		}
	}
	merged = make([]PathViews, 0, len(views))
	for path, n := range views {
		merged = append(merged, PathViews{path, n})
	}
	slices.SortFunc(merged, func(a, b PathViews) int {
		return cmp.Or(cmp.Compare(b.Views, a.Views), strings.Compare(a.Path, b.Path))
	})
	return merged[:min(limit, len(merged))], gone
}

// goneNote says in words what months lack; "" if there are none.
func goneNote(months []string) string {
	if len(months) == 0 {
		return ""
	}
	return "Detail is gone for " + strings.Join(months, ", ") + ": only totals per day and per first section are kept of months that " +
		"were put away. `precount restore` brings the rest back from the archive."
}
