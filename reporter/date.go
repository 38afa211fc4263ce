package reporter

import (
	"fmt"
	"time"

	"precount/internal/counters"
)

// A Date is a day of a site's calendar. It has no time zone: two sites have the same dates, at different instants.
// Dates compare with ==.
type Date struct {
	Month counters.Month
	Day   int // 1 to 31
}

// dateOf returns the day that t falls on, in t's own location.
func dateOf(t time.Time) Date { return Date{counters.MonthOf(t), t.Day()} }

// String returns "2026-11-20".
func (d Date) String() string { return fmt.Sprintf("%s-%02d", d.Month, d.Day) }

// Before reports whether d is an earlier day than o.
func (d Date) Before(o Date) bool {
	return d.Month.Before(o.Month) || d.Month == o.Month && d.Day < o.Day
}

// add returns the day n days after d; n may be negative.
func (d Date) add(n int) Date {
	return dateOf(time.Date(d.Month.Year, d.Month.Month, d.Day+n, 0, 0, 0, 0, time.UTC))
}

// midnight returns the start of the day in UTC, where every day has 24 hours, for counting days.
func (d Date) midnight() time.Time {
	return time.Date(d.Month.Year, d.Month.Month, d.Day, 0, 0, 0, 0, time.UTC)
}
