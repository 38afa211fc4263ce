package reporter

import (
	"context"
	"fmt"

	"precount/internal/sites"
)

// Views is a series of a site, or of the pages under a prefix; it is the answer of /views.
type Views struct {
	Site   string  `json:"site"`
	Base   string  `json:"base"`
	From   string  `json:"from"` // first day
	To     string  `json:"to"`   // last day
	Total  int64   `json:"total"`
	Points []Point `json:"points"` // gapless, zeros included
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
	s, err := readSeries(ctx, store, site.Base, q)
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
		points = append(points, Point{date.String(), s.days[i]})
	}
	return points
}

func (s series) hourPoints(r Range) []Point {
	points := make([]Point, 0, 24*len(s.days))
	for i, date := range r.All() {
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
	var points []Point
	for i, date := range r.All() {
		if i == 0 || date.Day == 1 {
			points = append(points, Point{T: date.Month.String()})
		}
		points[len(points)-1].Views += s.days[i]
	}
	return points
}

// hoursOfDay returns 24 sums, that of 00:00 to 00:59 first, or nil if hours are not known.
func (s series) hoursOfDay() []int64 {
	if s.hours == nil {
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
