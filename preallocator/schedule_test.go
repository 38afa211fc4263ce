package preallocator

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"precount/internal/counters"
	"precount/internal/sites"
)

func site(t testing.TB, host, zone string) *sites.Site {
	t.Helper()
	s, err := sites.New(host)
	must(t, err)
	must(t, s.Set("timezone", zone))
	return s
}

func directory(t testing.TB, all ...*sites.Site) *sites.Directory {
	t.Helper()
	d, err := sites.NewDirectory(all)
	must(t, err)
	return d
}

func instant(t testing.TB, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, s)
	must(t, err)
	return at
}

func TestCheckMonth(t *testing.T) {
	for _, c := range []struct {
		month, at string
		ok        bool
	}{
		{"2026-11", "2026-11-20T12:00:00Z", true},
		{"2026-10", "2026-11-20T12:00:00Z", false},
		{"2027-11", "2026-11-20T12:00:00Z", true},
		{"2027-12", "2026-11-20T12:00:00Z", false},
		{"2026-10", "2026-11-01T11:59:59Z", true}, // still October on Baker Island
		{"2026-10", "2026-11-01T12:00:00Z", false},
		{"2027-12", "2026-11-30T10:00:00Z", true}, // already December on Kiritimati
		{"2027-12", "2026-11-30T09:59:59Z", false},
		{"0001-01", "2026-11-20T12:00:00Z", false},
		{"9999-12", "2026-11-20T12:00:00Z", false},
	} {
		m, err := counters.ParseMonth(c.month)
		must(t, err)
		if err := CheckMonth(m, instant(t, c.at)); (err == nil) != c.ok || err != nil && !errors.Is(err, ErrMonth) {
			t.Errorf("%s at %s: %v", c.month, c.at, err)
		}
	}
}

// TestTasks is what is due at a moment, for a process that just started.
func TestTasks(t *testing.T) {
	for _, c := range []struct{ zone, at, want string }{
		{"UTC", "2026-11-20T12:00:00Z", "[2026-11/0]"},
		{"UTC", "2026-11-27T23:59:59Z", "[2026-11/0]"},
		{"UTC", "2026-11-28T00:00:00Z", "[2026-11/0 2026-12/1]"},
		{"UTC", "2026-11-28T03:00:00Z", "[2026-11/0 2026-12/2]"},
		{"UTC", "2026-11-30T15:00:00Z", "[2026-11/0 2026-12/22]"},
		{"UTC", "2026-11-30T23:59:59Z", "[2026-11/0 2026-12/24]"},
		{"UTC", "2026-12-01T00:00:00Z", "[2026-12/0]"},
		{"UTC", "2027-02-26T00:00:00Z", "[2027-02/0 2027-03/1]"},
		{"UTC", "2028-02-26T00:00:00Z", "[2028-02/0]"}, // a leap year: one day more
		{"UTC", "2028-02-27T00:00:00Z", "[2028-02/0 2028-03/1]"},
		{"UTC", "2026-12-31T23:00:00Z", "[2026-12/0 2027-01/24]"},
		{"Asia/Tokyo", "2026-11-30T14:59:59Z", "[2026-11/0 2026-12/24]"},
		{"Asia/Tokyo", "2026-11-30T15:00:00Z", "[2026-12/0]"},
		{"America/New_York", "2026-12-01T04:59:59Z", "[2026-11/0 2026-12/24]"},
		{"America/New_York", "2026-12-01T05:00:00Z", "[2026-12/0]"},
		{"Europe/Berlin", "2026-03-29T00:00:00Z", "[2026-03/0 2026-04/1]"},  // 71 hours are left
		{"Europe/Berlin", "2027-10-31T22:59:59Z", "[2027-10/0 2027-11/24]"}, // 25 hours, the last day
	} {
		m := newMemory()
		d := directory(t, site(t, "example.org", c.zone))
		got := []string{}
		for _, one := range m.tasks(d, instant(t, c.at), 3) {
			got = append(got, fmt.Sprintf("%s/%d", one.month, one.step))
			m.done(one)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s at %s: %v, want %s", c.zone, c.at, got, c.want)
		}
		if again := m.tasks(d, instant(t, c.at), 3); len(again) != 0 {
			t.Errorf("%s at %s: done, but due again: %v", c.zone, c.at, again)
		}
		if gone := m.tasks(directory(t), instant(t, c.at), 3); len(gone) != 0 || len(m) != 0 {
			t.Errorf("the removed site is remembered: %v", m)
		}
	}
}

// TestWindow: whatever the zone, the month and the days, before a month ends its next one was due with the whole share, and
// a clock that leaps anywhere never makes a month due that is neither the running one nor the next.
func TestWindow(t *testing.T) {
	zones := []string{"UTC", "Europe/Berlin", "America/Los_Angeles", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Kiritimati", "Africa/Casablanca"}
	rapid.Check(t, func(rt *rapid.T) {
		s := site(t, "example.org", rapid.SampledFrom(zones).Draw(rt, "zone"))
		d, m, days := directory(t, s), newMemory(), rapid.IntRange(1, MaxDays).Draw(rt, "days")
		at := time.Date(2026, time.Month(rapid.IntRange(1, 40).Draw(rt, "month")), rapid.IntRange(1, 28).Draw(rt, "day"), 0, 0, 0, 0, time.UTC)
		for range 50 {
			at = at.Add(time.Duration(rapid.Int64Range(-100*24, 200*24).Draw(rt, "hours")) * time.Hour)
			running := s.Local(at).Month
			for _, one := range m.tasks(d, at, days) {
				if one.month != running && one.month != running.Add(1) {
					rt.Fatalf("in %v: %v", running, one.month)
				}
				m.done(one)
			}
		}
		next := s.Local(at).Month.Add(1)
		var last task
		for _, one := range newMemory().tasks(d, next.Start(s.Location()).Add(-time.Second), days) {
			last = one
		}
		if last.month != next || last.share() != 1 {
			rt.Fatalf("a second before %v: %+v with share %v", next, last, last.share())
		}
	})
}

func TestGroup(t *testing.T) {
	a, b := site(t, "a.example", "UTC"), site(t, "b.example", "UTC")
	groups := group([]task{{a, feb27, 3}, {a, jan27, 0}, {b, feb27, 4}, {b, jan27, 0}})
	if len(groups) != 3 || len(groups[0]) != 2 || groups[0][0].month != jan27 || groups[1][0].step != 3 || groups[2][0].step != 4 {
		t.Errorf("%v", groups)
	}
}
