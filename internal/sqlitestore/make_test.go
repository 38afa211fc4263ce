package sqlitestore

import (
	"context"
	"os"
	"testing"
	"time"

	"precount/internal/counters"
)

var (
	ctx   = context.Background()
	nov26 = counters.Month{Year: 2026, Month: time.November}
	dec26 = counters.Month{Year: 2026, Month: time.December}
	feb28 = counters.Month{Year: 2028, Month: time.February}
)

const base = "org.mongodb"

func TestMain(m *testing.M) {
	if dir := os.Getenv("SQLITESTORE_CHILD"); dir != "" {
		child(dir)
	}
	os.Exit(m.Run())
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

// total returns the views of all pages of a month.
func total(t testing.TB, s *Store, m counters.Month) int64 {
	t.Helper()
	top, err := s.Top(ctx, counters.TopQuery{Kind: counters.Pages, Spans: []counters.Span{{Month: m, From: 1, To: m.Days()}}})
	if err != nil {
		t.Fatal(err)
	}
	return top.Total
}

func size(t testing.TB, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if os.IsNotExist(err) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
