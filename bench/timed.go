package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"precount/internal/counters"
)

// A timedStore measures each flush, and tells documents that are inserted from those that are changed in place.
type timedStore struct {
	turnStore
	run     *turning
	known   map[counters.Key]bool
	flushes []flush
}

type flush struct {
	at                time.Time // on the clock of the run
	took              time.Duration
	inserted, changed int
	pending           uint64 // hits, when it ended
}

// newTimedStore learns which documents are there.
func newTimedStore(store turnStore, run *turning) (*timedStore, error) {
	s := &timedStore{turnStore: store, run: run, known: map[counters.Key]bool{}}
	month := counters.MonthOf(run.turn)
	for _, m := range []counters.Month{month.Add(-1), month} {
		for _, kind := range counters.Kinds() {
			c := counters.Collection{Month: m, Kind: kind}
			for id, err := range store.IDs(context.Background(), c, "") {
				if err != nil {
					return nil, err
				}
				key, err := counters.ParseID(c, id)
				if err != nil {
					return nil, err
				}
				s.known[key] = true
			}
		}
	}
	return s, nil
}

// Apply is called by one goroutine.
func (s *timedStore) Apply(ctx context.Context, b counters.Batch) error {
	f := flush{at: s.run.now()}
	for _, u := range b.Updates {
		if s.known[u.Key] {
			f.changed++
		} else {
			f.inserted++
			s.known[u.Key] = true
		}
	}
	start := time.Now()
	err := s.turnStore.Apply(ctx, b)
	f.took = time.Since(start)
	f.pending = s.run.collector.Ledger().Pending
	s.flushes = append(s.flushes, f)
	return err
}

// print shows the time before the turn, which stands for the month, and the time after it.
func (r *turning) print(name string) {
	// The first flushes warm up: they open files and prepare statements.
	flushes := r.store.flushes[min(3, len(r.store.flushes)):]
	at := slices.IndexFunc(flushes, func(f flush) bool { return f.at.After(r.turn) })
	if at <= 0 {
		fmt.Println("| the turn was not reached | | | | | | | | | |")
		return
	}
	median := quantile(flushes[:at], 0.5)
	for _, part := range []struct {
		name    string
		flushes []flush
	}{{"before the turn", flushes[:at]}, {"after it", flushes[at:]}} {
		var sum flush
		for _, f := range part.flushes {
			sum.inserted += f.inserted
			sum.changed += f.changed
			sum.pending = max(sum.pending, f.pending)
		}
		most := quantile(part.flushes, 1)
		fmt.Printf("| %s | %s | %d | %v | %v | %v | %.2f | %d | %d | %d |\n", name, part.name, len(part.flushes),
			quantile(part.flushes, 0.5).Round(10*time.Microsecond), quantile(part.flushes, 0.99).Round(10*time.Microsecond),
			most.Round(10*time.Microsecond), float64(most)/float64(median), sum.inserted, sum.changed, sum.pending)
	}
}

// quantile returns the time that q of the flushes, 0 to 1, did not exceed.
func quantile(flushes []flush, q float64) time.Duration {
	times := make([]time.Duration, len(flushes))
	for i, f := range flushes {
		times[i] = f.took
	}
	slices.Sort(times)
	if len(times) == 0 {
		return 0
	}
	return times[min(int(q*float64(len(times))), len(times)-1)]
}
