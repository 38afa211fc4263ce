package reporter

import (
	"context"

	"precount/internal/sites"
)

// A Report is all that a report page shows.
type Report struct {
	Query    Query
	TimeZone string
	Views    Views
	Hours    []int64 // sums of each hour of the day, 24; nil under a prefix
	Pages    Pages
	Sections Sections
}

// Compile reads a whole report. Its parts are read one after the other: a hit that is counted meanwhile may stand in a
// later part and not in an earlier one.
func Compile(ctx context.Context, store Store, site *sites.Site, q Query) (Report, error) {
	r := Report{Query: q, TimeZone: site.TimeZone}
	if err := q.check(); err != nil {
		return r, err
	}
	rolled, err := readRollups(ctx, store, site, q.Range)
	if err != nil {
		return r, err
	}
	s, err := readSeries(ctx, store, site.Base, q, rolled)
	if err != nil {
		return r, err
	}
	r.Views, r.Hours = s.views(site, q), s.hoursOfDay()
	if r.Pages, err = readPages(ctx, store, site, q, rolled); err != nil {
		return r, err
	}
	r.Sections, err = readSections(ctx, store, site, q, rolled)
	return r, err
}
