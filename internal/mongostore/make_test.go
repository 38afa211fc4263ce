package mongostore

import (
	"context"
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

func batch(collector string, token int, updates []counters.Update) counters.Batch {
	return counters.Batch{Collector: collector, Token: uint64(token), Updates: updates}
}

func apply(t testing.TB, s *Store, b counters.Batch) {
	t.Helper()
	if err := s.Apply(ctx, b); err != nil {
		t.Fatal(err)
	}
}
