package mongostore

import (
	"context"
	"fmt"
	"testing"
	"time"

	"precount/internal/counters"
)

var (
	ctx   = context.Background()
	nov26 = counters.Month{Year: 2026, Month: time.November}
	dec26 = counters.Month{Year: 2026, Month: time.December}
)

const base = "org.mongodb"

// pageUpdates returns a view on one day for each of n pages, in an order that is not that of their _ids.
func pageUpdates(m counters.Month, day, n int) []counters.Update {
	updates := make([]counters.Update, n)
	for i := range updates {
		number := i * 7919 % n
		updates[i] = counters.Update{
			Key: counters.PageKey(m, base, fmt.Sprintf("/docs/section-%d/page-%d.html", number%100, number)),
			Inc: []counters.Delta{{Field: counters.Total, N: 1}, {Field: counters.Day(day), N: 1}},
		}
	}
	return updates
}

func batch(collector string, token int, updates []counters.Update) counters.Batch {
	return counters.Batch{Collector: collector, Token: uint64(token), Updates: updates}
}

func apply(t testing.TB, s *Store, b counters.Batch) {
	t.Helper()
	if err := s.Apply(ctx, b); err != nil {
		t.Fatal(err)
	}
}
