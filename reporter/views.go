package reporter

import (
	"context"
	"fmt"
	"slices"

	"precount/internal/counters"
	"precount/internal/sites"
)

// Views is a series of a site, or of the pages under a prefix; it is the answer of /views.
type Views struct {
	Site   string  `json:"site"`
	Base   string  `json:"base"`
	From   string  `json:"from"` // first day
	To     string  `json:"to"`   // last day
	Total  int64   `json:"total"`
	Points []Point `json:"points"` // gapless, zeros included, but for the months in Gone

	RolledUp []string `json:"rolled_up,omitempty"`   // months of which retention has left only totals
	Gone     []string `json:"detail_gone,omitempty"` // of these, those without points, because nobody knows them any more
}

// A Point is one bar of a series. T is "2026-11-20", by hour "2026-11-20T05", by month "2026-11", in the site's time
// zone: on the day that daylight saving begins one hour stays 0, on the day it ends one hour of the clock counts twice.
type Point struct {
	T     string `json:"t"`
	Views int64  `json:"views"`
}

// ReadViews reads the views per day, hour or month.
func ReadViews(ctx context.Context, store Store, site *sites.Site, q Query) (Views, error) {
	if err := q.check(); err != nil {
		return Views{}, err
	}
	rolled, err := readRollups(ctx, store, site, q.Range)
	if err != nil {
		return Views{}, err
	}
	s, err := readSeries(ctx, store, site.Base, q, rolled)
	if err != nil {
		return Views{}, err
	}
	return s.views(site, q), nil
}

func (s series) views(site *sites.Site, q Query) Views {
	v := Views{Site: site.Host, Base: site.Base, From: q.Range.From.String(), To: q.Range.To.String()}
	for _, n := range s.days {
		v.Total += n
	}
	v.RolledUp = s.rolled.names()
	for _, name := range v.RolledUp {
		if m, err := counters.ParseMonth(name); err == nil && s.unknown[m] {
			v.Gone = append(v.Gone, name)
		}
	}
	switch q.By {
	case ByHour:
		v.Points = s.hourPoints(q.Range)
	case ByMonth:
		v.Points = s.monthPoints(q.Range)
	default:
		v.Points = s.dayPoints(q.Range)
	}
	return v
}

func (s series) dayPoints(r Range) []Point {
	points := make([]Point, 0, len(s.days))
	for i, date := range r.All() {
		if !s.unknown[date.Month] {
			points = append(points, Point{date.String(), s.days[i]})
		}
	}
	return points
}

func (s series) hourPoints(r Range) []Point {
	points := make([]Point, 0, 24*len(s.days))
	for i, date := range r.All() {
		if s.unknown[date.Month] {
			continue
		}
		for hour := range 24 {
			point := Point{T: fmt.Sprintf("%sT%02d", date, hour)}
			if s.hours[i] != nil {
				point.Views = s.hours[i][hour]
			}
			points = append(points, point)
		}
	}
	return points
}

func (s series) monthPoints(r Range) []Point {
	points := []Point{}
	for i, date := range r.All() {
		if s.unknown[date.Month] {
			continue
		}
		if len(points) == 0 || date.Day == 1 {
			points = append(points, Point{T: date.Month.String()})
		}
		points[len(points)-1].Views += s.days[i]
	}
	return points
}

// hoursOfDay returns 24 sums, that of 00:00 to 00:59 first, or nil if hours are not known, of no month or not of all that
// were viewed at all.
func (s series) hoursOfDay() []int64 {
	if s.hours == nil || len(s.rolled) > 0 && !slices.ContainsFunc(s.hours, func(day []int64) bool { return day != nil }) {
		return nil
	}
	sums := make([]int64, 24)
	for _, day := range s.hours {
		for hour, n := range day {
			sums[hour] += n
		}
	}
	return sums
}
