package reporter

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// A By is the width of one point of a series.
type By string

// The widths.
const (
	ByDay   By = "day"
	ByHour  By = "hour"
	ByMonth By = "month"
)

var widths = []By{ByDay, ByHour, ByMonth}

// Limits of a query.
const (
	MaxHourDays  = 92      // days in a range by hour: a quarter, 2,208 points
	MaxLimit     = 100_000 // pages or sections listed
	maxPrefix    = 1024    // bytes; as long as the longest path
	pagesLimit   = 20      // pages listed unless Limit is given
	sectionLimit = 20      // sections listed unless Limit is given
)

// A Query says what a report is about.
type Query struct {
	Range  Range
	By     By     // "": ByDay
	Prefix string // "" or "/" for all pages
	Limit  int    // 0: each list has its own default
}

// Params is a query as somebody typed it. The zero Params are the last 30 days by day.
type Params struct {
	From, To, By, Prefix, Limit string
}

// Query checks p and reads its dates in the calendar of loc at the instant now. Errors are a *Refusal.
func (p Params) Query(now time.Time, loc *time.Location) (Query, error) {
	r, err := ParseRange(p.From, p.To, now, loc)
	if err != nil {
		return Query{}, err
	}
	q := Query{Range: r, By: By(p.By), Prefix: p.Prefix}
	if p.By == "" {
		q.By = ByDay
	}
	if p.Limit != "" {
		q.Limit, err = strconv.Atoi(p.Limit)
		if err != nil || q.Limit < 1 || q.Limit > MaxLimit {
			return Query{}, refuse(BadLimit, "limit=%.40q: want a whole number from 1 to 100000", p.Limit)
		}
	}
	return q, q.check()
}

func (q Query) check() error {
	if q.By != "" && !slices.Contains(widths, q.By) {
		return refuse(BadBy, "by=%.40q: want day, hour or month", string(q.By))
	}
	if len(q.Prefix) > maxPrefix {
		return refuse(BadPrefix, "prefix is %d bytes long: at most %d, as long as the longest path", len(q.Prefix), maxPrefix)
	}
	if p := q.Prefix; p != "" && (p[0] != '/' || !utf8.ValidString(p) || strings.ContainsFunc(p, unicode.IsControl)) {
		return refuse(BadPrefix, "prefix=%.40q: want the beginning of a path, from its first slash on: /docs/", q.Prefix)
	}
	if q.By != ByHour {
		return nil
	}
	if q.hasPrefix() {
		return refuse(BadBy, "hours are not kept per section: leave out prefix=%.40q, or ask by=day", q.Prefix)
	}
	if days := q.Range.Days(); days > MaxHourDays {
		return refuse(BadRange, "by=hour over %d days: ask for at most %d days, or by=day", days, MaxHourDays)
	}
	return nil
}

// hasPrefix reports whether the query leaves any page out; every path begins with "/".
func (q Query) hasPrefix() bool { return q.Prefix != "" && q.Prefix != "/" }

func (q Query) limit(otherwise int) int {
	if q.Limit == 0 {
		return otherwise
	}
	return q.Limit
}
