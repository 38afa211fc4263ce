package storetest

import (
	"context"
	"fmt"
	"testing"

	"precount/internal/counters"
)

// PageUpdates returns a view on one day for each of n pages, in an order that is not that of their _ids.
func PageUpdates(m counters.Month, day, n int) []counters.Update {
	updates := make([]counters.Update, n)
	for i := range updates {
		number := i * 7919 % n
		updates[i] = views(counters.PageKey(m, base, fmt.Sprintf("/docs/section-%d/page-%d.html", number%100, number)), day, 1)
	}
	return updates
}

// Fill counts 100,000 pages in each of two months, November and December 2026, each with views on every third day.
func Fill(b *testing.B, s Store) {
	b.Helper()
	for token, m := range []counters.Month{nov26, dec26} {
		updates := PageUpdates(m, 1, 100_000)
		for i := range updates {
			inc := []counters.Delta{{Field: counters.Total, N: 0}}
			for day := 1 + i%3; day <= m.Days(); day += 3 {
				n := int64(1 + i%97*day%13)
				inc = append(inc, counters.Delta{Field: counters.Day(day), N: n})
				inc[0].N += n
			}
			updates[i].Inc = inc
		}
		if err := s.Apply(context.Background(), batch("a", uint64(token+1), updates...)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHours reads the hours of one site of 100 in a month.
func BenchmarkHours(b *testing.B, s Store) {
	ctx, c := context.Background(), collection(nov26, counters.Hours)
	var keys []counters.Key
	for site := range 100 {
		for day := range 30 {
			keys = append(keys, counters.HoursKey(nov26, fmt.Sprintf("org.site%d", site), day+1))
		}
	}
	if _, err := s.Insert(ctx, c, keys, nil); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		n := 0
		for _, err := range s.Scan(ctx, c, "org.site50|") {
			if n++; err != nil {
				b.Fatal(err)
			}
		}
		if n != 30 {
			b.Fatal(n)
		}
	}
}
