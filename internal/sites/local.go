package sites

import (
	"time"

	"precount/internal/counters"
)

// Local is where an instant falls in a site's calendar.
type Local struct {
	Month counters.Month
	Day   int // 1 to 31
	Hour  int // 0 to 23
}

// localHour is a stretch of time within which Local does not change.
type localHour struct {
	from, to int64 // Unix seconds, to excluded
	local    Local
}

// Local returns now in the site's time zone. It remembers the running hour, so that only the first call in an hour
// computes a calendar; it is safe for concurrent use and does not allocate otherwise.
func (s *Site) Local(now time.Time) Local {
	second := now.Unix()
	if h := s.hour.Load(); h != nil && h.from <= second && second < h.to {
		return h.local
	}
	h := localHourOf(now.In(s.location))
	s.hour.Store(&h)
	return h.local
}

// localHourOf returns the stretch around t that ends with the hour on the wall clock, or with a change of the zone's
// offset, which need not come on the hour (Lord Howe Island moves by 30 minutes).
func localHourOf(t time.Time) localHour {
	second := t.Unix()
	into := int64(t.Minute()*60 + t.Second())
	h := localHour{from: second - into, to: second - into + 3600,
		local: Local{counters.MonthOf(t), t.Day(), t.Hour()}}
	start, end := t.ZoneBounds()
	if !start.IsZero() {
		h.from = max(h.from, start.Unix())
	}
	if !end.IsZero() {
		h.to = min(h.to, end.Unix())
	}
	return h
}
