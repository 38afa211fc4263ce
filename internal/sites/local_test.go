package sites

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"precount/internal/counters"
)

func zoned(t testing.TB, zone string) *Site {
	t.Helper()
	s, err := New("example.org")
	if err == nil {
		err = s.Set("timezone", zone)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestLocal(t *testing.T) {
	for _, c := range []struct {
		name, zone, at string
		want           Local
	}{
		{"midnight", "UTC", "2026-11-21T00:00:00Z", Local{counters.Month{Year: 2026, Month: 11}, 21, 0}},
		{"a second before", "UTC", "2026-11-20T23:59:59Z", Local{counters.Month{Year: 2026, Month: 11}, 20, 23}},
		{"east of midnight", "Asia/Tokyo", "2026-10-31T15:00:00Z", Local{counters.Month{Year: 2026, Month: 11}, 1, 0}},
		{"west of midnight", "America/New_York", "2026-11-01T03:59:59Z", Local{counters.Month{Year: 2026, Month: 10}, 31, 23}},
		{"year's end", "Europe/Berlin", "2026-12-31T23:00:00Z", Local{counters.Month{Year: 2027, Month: 1}, 1, 0}},
		{"leap day", "UTC", "2028-02-29T12:00:00Z", Local{counters.Month{Year: 2028, Month: 2}, 29, 12}},
		{"day after the leap day, further east", "Pacific/Kiritimati", "2028-02-29T12:00:00Z", Local{counters.Month{Year: 2028, Month: 3}, 1, 2}},
		{"before the hour that spring skips", "Europe/Berlin", "2026-03-29T00:59:59Z", Local{counters.Month{Year: 2026, Month: 3}, 29, 1}},
		{"after it", "Europe/Berlin", "2026-03-29T01:00:00Z", Local{counters.Month{Year: 2026, Month: 3}, 29, 3}},
		{"the hour that autumn has twice, first", "Europe/Berlin", "2026-10-25T00:30:00Z", Local{counters.Month{Year: 2026, Month: 10}, 25, 2}},
		{"second", "Europe/Berlin", "2026-10-25T01:30:00Z", Local{counters.Month{Year: 2026, Month: 10}, 25, 2}},
		{"a quarter zone", "Asia/Kathmandu", "2026-11-20T18:15:00Z", Local{counters.Month{Year: 2026, Month: 11}, 21, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			at, err := time.Parse(time.RFC3339, c.at)
			if err != nil {
				t.Fatal(err)
			}
			if got := zoned(t, c.zone).Local(at); got != c.want {
				t.Errorf("%s in %s is %+v, want %+v", c.at, c.zone, got, c.want)
			}
		})
	}
}

// TestLocalRemembersRightly asks the same site about instants in any order: the remembered hour must never answer for
// another one.
func TestLocalRemembersRightly(t *testing.T) {
	for _, zone := range []string{"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Africa/Monrovia"} {
		t.Run(zone, func(t *testing.T) {
			s := zoned(t, zone)
			rapid.Check(t, func(t *rapid.T) {
				start := rapid.Int64Range(0, 2_000_000_000).Draw(t, "start")
				for range 20 {
					at := time.Unix(start+rapid.Int64Range(-7200, 7200).Draw(t, "offset"), 0)
					in := at.In(s.Location())
					want := Local{counters.MonthOf(in), in.Day(), in.Hour()}
					if got := s.Local(at); got != want {
						t.Fatalf("%v is %+v, want %+v", in, got, want)
					}
				}
			})
		})
	}
}
