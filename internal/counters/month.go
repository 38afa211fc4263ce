package counters

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Month is a calendar month in some site's time zone. The zero Month is no month. Months compare with == and can be
// map keys.
type Month struct {
	Year  int // 1 to 9999
	Month time.Month
}

// MonthOf returns the month that t falls into, in t's own location.
func MonthOf(t time.Time) Month { return Month{t.Year(), t.Month()} }

// ParseMonth reads "2026-11".
func ParseMonth(s string) (Month, error) {
	t, err := time.Parse("2006-01", s)
	if err != nil || t.Year() < 1 {
		return Month{}, fmt.Errorf("month %q: want YYYY-MM, for example 2026-11", s)
	}
	return MonthOf(t), nil
}

// String returns "2026-11".
func (m Month) String() string { return fmt.Sprintf("%04d-%02d", m.Year, int(m.Month)) }

// IsZero reports whether m is no month.
func (m Month) IsZero() bool { return m == Month{} }

// Days returns the number of days in m, 28 to 31.
func (m Month) Days() int { return time.Date(m.Year, m.Month+1, 0, 0, 0, 0, 0, time.UTC).Day() }

// Add returns the month n months after m; n may be negative.
func (m Month) Add(n int) Month {
	return MonthOf(time.Date(m.Year, m.Month+time.Month(n), 1, 0, 0, 0, 0, time.UTC))
}

// Before reports whether m is an earlier month than o.
func (m Month) Before(o Month) bool {
	return m.Year < o.Year || m.Year == o.Year && m.Month < o.Month
}

// Start returns the instant the month begins in loc. Where daylight saving skips midnight, it is the first instant
// after the gap.
func (m Month) Start(loc *time.Location) time.Time {
	return time.Date(m.Year, m.Month, 1, 0, 0, 0, 0, loc)
}

// Database returns the name of the database (or, embedded, the file without its ".db") that holds the month:
// "stats-2026".
func (m Month) Database() string { return fmt.Sprintf("stats-%04d", m.Year) }

// ParseDatabase returns the year of a database named by Month.Database, and whether name is such a name.
func ParseDatabase(name string) (year int, ok bool) {
	digits, found := strings.CutPrefix(name, "stats-")
	if !found || len(digits) != 4 {
		return 0, false
	}
	year, err := strconv.Atoi(digits)
	return year, err == nil && year > 0
}

var monthNames = [...]string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}
