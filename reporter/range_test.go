package reporter

import (
	"errors"
	"strings"
	"testing"
	"time"
)

var soundRanges = []struct {
	name, from, to, now, want string
	days                      int
}{
	{"default", "", "", "2026-11-20T11:00:00Z", "2026-10-22 2026-11-20", 30},
	{"today", "today", "today", "2026-11-20T11:00:00Z", "2026-11-20 2026-11-20", 1},
	{"yesterday to today", "yesterday", "", "2026-11-20T11:00:00Z", "2026-11-19 2026-11-20", 2},
	{"yesterday on the first", "yesterday", "yesterday", "2026-03-01T11:00:00Z", "2026-02-28 2026-02-28", 1},
	{"yesterday in a leap year", "yesterday", "yesterday", "2028-03-01T11:00:00Z", "2028-02-29 2028-02-29", 1},
	{"tomorrow already, in Berlin", "today", "", "2026-11-20T23:30:00Z", "2026-11-21 2026-11-21", 1},
	{"next year already, in Berlin", "today", "", "2026-12-31T23:30:00Z", "2027-01-01 2027-01-01", 1},
	{"the day clocks go forward", "2d", "", "2026-03-29T22:30:00Z", "2026-03-29 2026-03-30", 2},
	{"the day clocks go back", "2d", "", "2026-10-25T22:59:00Z", "2026-10-24 2026-10-25", 2},
	{"7d", "7d", "", "2026-11-03T11:00:00Z", "2026-10-28 2026-11-03", 7},
	{"30d in March", "30d", "", "2026-03-15T11:00:00Z", "2026-02-14 2026-03-15", 30},
	{"12mo", "12mo", "", "2026-11-20T11:00:00Z", "2025-12-01 2026-11-20", 355},
	{"12mo on the 31st", "12mo", "", "2026-03-31T11:00:00Z", "2025-04-01 2026-03-31", 365},
	{"1mo", "1mo", "", "2026-11-20T11:00:00Z", "2026-11-01 2026-11-20", 20},
	{"month", "2026-02", "2026-02", "2026-11-20T11:00:00Z", "2026-02-01 2026-02-28", 28},
	{"leap month", "2028-02", "2028-02", "2026-11-20T11:00:00Z", "2028-02-01 2028-02-29", 29},
	{"month on", "2026-10", "", "2026-11-20T11:00:00Z", "2026-10-01 2026-11-20", 51},
	{"length before a day", "7d", "2026-03-02", "2026-11-20T11:00:00Z", "2026-02-24 2026-03-02", 7},
	{"length before a month's end", "3mo", "2026-04", "2026-11-20T11:00:00Z", "2026-02-01 2026-04-30", 89},
	{"only to", "", "2026-03-01", "2026-11-20T11:00:00Z", "2026-01-31 2026-03-01", 30},
	{"future", "2027-01-01", "2027-01-02", "2026-11-20T11:00:00Z", "2027-01-01 2027-01-02", 2},
	{"leap day", "2028-02-29", "2028-02-29", "2026-11-20T11:00:00Z", "2028-02-29 2028-02-29", 1},
	{"20 years", "2007-01-01", "2026-12-31", "2026-11-20T11:00:00Z", "2007-01-01 2026-12-31", 7305},
}

func TestParseRange(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	for _, test := range soundRanges {
		t.Run(test.name, func(t *testing.T) {
			instant, err := time.Parse(time.RFC3339, test.now)
			if err != nil {
				t.Fatal(err)
			}
			r, err := ParseRange(test.from, test.to, instant, berlin)
			if err != nil {
				t.Fatal(err)
			}
			if got := r.From.String() + " " + r.To.String(); got != test.want || r.Days() != test.days {
				t.Errorf("got %s, %d days; want %s, %d days", got, r.Days(), test.want, test.days)
			}
		})
	}
}

func TestParseRangeRefuses(t *testing.T) {
	for _, test := range []struct{ name, from, to, want string }{
		{"word", "soon", "", `from="soon": want a day`},
		{"to", "", "soon", `to="soon": want a day`},
		{"no leap year", "2026-02-29", "", `from="2026-02-29"`},
		{"month 13", "2026-13", "", `from="2026-13"`},
		{"day 0", "2026-11-00", "", "2026-11-00"},
		{"one digit", "2026-1-1", "", "2026-1-1"},
		{"0d", "0d", "", `from="0d"`},
		{"-7d", "-7d", "", `from="-7d"`},
		{"99999d", "99999d", "", `from="99999d"`},
		{"d", "d", "", `from="d"`},
		{"year 0", "0000-12-31", "0001-01-02", "0000-12-31"},
		{"before year 1", "12mo", "0001-03", `from="12mo"`},
		{"time", "2026-11-20T05", "", "2026-11-20T05"},
		{"backwards", "2026-11-02", "2026-11-01", "from 2026-11-02 is after to 2026-11-01"},
		{"future to today", "2026-12-01", "", "is after to 2026-11-20 (today is 2026-11-20)"},
		{"too long", "2000-01-01", "", "longer than 20 years"},
		{"far too long", "0001-01-01", "9999-12-31", "longer than 20 years"},
		{"very long word", strings.Repeat("x", 10_000), "", `from="xxxxxxxxxx`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := ParseRange(test.from, test.to, now, time.UTC)
			var refusal *Refusal
			if !errors.As(err, &refusal) || refusal.Code != BadRange || !strings.Contains(refusal.Message, test.want) ||
				len(refusal.Message) > 300 {
				t.Errorf("got %v; want %s with %q", err, BadRange, test.want)
			}
		})
	}
}

// The spans of a range are its days, each once, in their order.
func FuzzParseRange(f *testing.F) {
	for _, seed := range []string{"", "7d", "12mo", "today", "2026-02", "2028-02-29", "9999-12", "0001-01-01", "+1d"} {
		f.Add(seed, seed, now.Unix())
		f.Add(seed, "", now.Unix())
	}
	berlin := zone(f, "Europe/Berlin")
	f.Fuzz(func(t *testing.T, from, to string, second int64) {
		// From the year 1970 to 9999.
		instant := time.Unix(int64(uint64(second)%253_000_000_000), 0)
		r, err := ParseRange(from, to, instant, berlin)
		if err != nil {
			var refusal *Refusal
			if !errors.As(err, &refusal) {
				t.Fatalf("%v is no refusal", err)
			}
			return
		}
		days, date := 0, r.From
		for i, got := range r.All() {
			if i != days || got != date || r.index(got) != i {
				t.Fatalf("day %d of %v is %v with index %d; want %v", days, r, got, i, date)
			}
			days, date = days+1, date.add(1)
		}
		if days != r.Days() || days < 1 || days > MaxDays || date != r.To.add(1) {
			t.Fatalf("%v has %d days, ended before %v", r, days, date)
		}
		again, err := ParseRange(r.From.String(), r.To.String(), instant, berlin)
		if err != nil || again != r {
			t.Fatalf("%v read again is %v, %v", r, again, err)
		}
	})
}

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	location, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return location
}
