package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"time"

	"precount/internal/counters"
	"precount/internal/mongostore"
	"precount/internal/sqlitestore"
)

// A store is what the measurements need of an engine.
type store interface {
	Apply(ctx context.Context, b counters.Batch) error
	Scan(ctx context.Context, c counters.Collection, prefix string) iter.Seq2[counters.Document, error]
	Top(ctx context.Context, q counters.TopQuery) (counters.Top, error)
	Insert(ctx context.Context, c counters.Collection, keys []counters.Key, collectors []string) (int, error)
	Drop(ctx context.Context, c counters.Collection) error
	Close() error
}

// An engine is a kind of store, on this machine.
type engine struct {
	name  string
	flags []string // --store of a serving process
	open  func() (store, error)
}

var errNoMongoDB = errors.New("no MongoDB-compatible server; name one in " + mongoVariable + ", or run internal/mongotest/server.sh install as root")

// engines returns the embedded engine, and MongoDB if there is a server; stop ends what was started.
func engines(dir string) (all []engine, stop func()) {
	embedded := filepath.Join(dir, "sqlite")
	all = []engine{{"SQLite", nil, func() (store, error) { return sqlitestore.Open(sqlitestore.Options{Dir: embedded}) }}}
	uri, stop, err := mongoServer(dir)
	if err != nil {
		fmt.Printf("\nMongoDB is left out: %v\n", err)
		return all, func() {}
	}
	return append(all, engine{"MongoDB", []string{"--store", uri}, func() (store, error) {
		return mongostore.Open(context.Background(), mongostore.Options{URI: uri})
	}}), stop
}

var benchMonth = counters.Month{Year: 2031, Month: time.November}

const benchBase = "org.example"

// engineParts measures what each engine does by itself: batches of 10,000 updates, and the queries of a report.
func engineParts(dir string) error {
	all, stop := engines(dir)
	defer stop()
	for _, e := range all {
		if err := e.measure(); err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
	}
	return nil
}

func (e engine) measure() error {
	s, err := e.open()
	if err != nil {
		return err
	}
	defer s.Close()
	for _, kind := range counters.Kinds() {
		if err := s.Drop(context.Background(), counters.Collection{Month: benchMonth, Kind: kind}); err != nil {
			return err
		}
	}
	fmt.Printf("\n%s:\n\n| what | measured |\n|---|---|\n", e.name)
	if err := applyRates(s); err != nil {
		return err
	}
	return queries(s)
}

// applyRates applies batches of 10,000 updates to the same pages: the first inserts them, the later ones add.
func applyRates(s store) error {
	const updates = 10_000
	keys := pageKeys(updates)
	var later []float64
	for token := uint64(1); token <= 8; token++ {
		batch := counters.Batch{Collector: fmt.Sprintf("bench%d", os.Getpid()), Token: token, Updates: viewsOf(keys, 1)}
		begin := time.Now()
		if err := s.Apply(context.Background(), batch); err != nil {
			return err
		}
		rate := updates / time.Since(begin).Seconds()
		if token == 1 {
			fmt.Printf("| 10,000 updates in one batch, documents are new | %.0f updates/s |\n", rate)
		} else {
			later = append(later, rate)
		}
	}
	fmt.Printf("| 10,000 updates in one batch, documents exist (median of %d) | %.0f updates/s |\n", len(later), median(later))
	return nil
}

func pageKeys(n int) []counters.Key {
	keys := make([]counters.Key, n)
	for i := range keys {
		keys[i] = counters.PageKey(benchMonth, benchBase, fmt.Sprintf("/section-%d/page-%06d", i%97, i))
	}
	slices.SortFunc(keys, func(a, b counters.Key) int {
		if a.Path < b.Path {
			return -1
		}
		return 1
	})
	return keys
}

// viewsOf returns updates that add different numbers of views, on three days of the month.
func viewsOf(keys []counters.Key, day int) []counters.Update {
	updates := make([]counters.Update, len(keys))
	for i, key := range keys {
		n := int64(i*7919%1000 + 1)
		updates[i] = counters.Update{Key: key, Inc: []counters.Delta{{Field: counters.Total, N: 3 * n}, {Field: counters.Day(day), N: n},
			{Field: counters.Day(day + 9), N: n}, {Field: counters.Day(day + 19), N: n}}}
	}
	return updates
}

// queries times what a report reads, on a month of 100,000 pages.
func queries(s store) error {
	ctx, collector := context.Background(), fmt.Sprintf("bench%d", os.Getpid())
	begin := time.Now()
	inserted, err := s.Insert(ctx, counters.Collection{Month: benchMonth, Kind: counters.Pages}, pageKeys(100_000), []string{collector})
	if err != nil {
		return err
	}
	fmt.Printf("| %d templates inserted beside 10,000 that exist | %.2f s |\n", inserted, time.Since(begin).Seconds())
	updates := viewsOf(pageKeys(100_000), 2)
	for day := 1; day <= 30; day++ {
		updates = append(updates, counters.Update{Key: counters.HoursKey(benchMonth, benchBase, day),
			Inc: []counters.Delta{{Field: counters.Total, N: 9}, {Field: counters.Hour(5), N: 9}}})
	}
	for i := range 97 {
		updates = append(updates, counters.Update{Key: counters.SectionKey(benchMonth, benchBase, 1, fmt.Sprintf("/section-%d/", i)),
			Inc: []counters.Delta{{Field: counters.Total, N: 9}, {Field: counters.Day(5), N: 9}}})
	}
	if err := s.Apply(ctx, counters.Batch{Collector: collector, Token: 100, Updates: updates}); err != nil {
		return err
	}
	top := func(from, to int) func() error {
		return func() error {
			_, err := s.Top(ctx, counters.TopQuery{Kind: counters.Pages, Prefix: counters.IDPrefix(counters.Pages, benchBase), Limit: 20,
				Spans: []counters.Span{{Month: benchMonth, From: from, To: to}}})
			return err
		}
	}
	scan := func(kind counters.Kind) func() error {
		return func() error {
			for _, err := range s.Scan(ctx, counters.Collection{Month: benchMonth, Kind: kind}, counters.IDPrefix(kind, benchBase)) {
				if err != nil {
					return err
				}
			}
			return nil
		}
	}
	for _, q := range []struct {
		name string
		run  func() error
	}{
		{"top 20 of 100,000 pages, whole month", top(1, 30)},
		{"top 20 of 100,000 pages, a week", top(8, 14)},
		{"top 20 of 100,000 pages, 21 days", top(1, 21)},
		{"series: 30 documents of hours", scan(counters.Hours)},
		{"97 sections", scan(counters.Sections)},
	} {
		var times []float64
		for range 5 {
			begin := time.Now()
			if err := q.run(); err != nil {
				return err
			}
			times = append(times, float64(time.Since(begin).Microseconds())/1000)
		}
		fmt.Printf("| %s (median of 5) | %.1f ms |\n", q.name, median(times))
	}
	return nil
}
