package collector

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"precount/internal/counters"
	"precount/internal/journal"
)

// A Store applies batches. Its contract is that of counters.Batch: exactly once, however often a batch is tried.
type Store interface {
	Apply(ctx context.Context, batch counters.Batch) error
}

// Between two tries of the same batch; each pause is drawn from the upper half of its range, so that many collectors do
// not return to a recovering store in step.
const (
	firstPause   = 100 * time.Millisecond
	longestPause = 5 * time.Second
	applyTimeout = 2 * time.Minute
)

// A flusher carries sealed segments into the store, in their order, one at a time: what it holds in memory is one
// segment's batch. Its methods are called by one goroutine.
type flusher struct {
	journal *journal.Journal
	store   Store
	permit  func(context.Context) error // asked before each try
	backlog backlog
	settle  func()        // waits until the hits under way are journaled or refused
	late    atomic.Uint64 // hits whose month was put away before they could be counted
	apply   *outage
	damage  *outage
	up      atomic.Bool   // the last try of a batch worked
	done    atomic.Uint64 // token of the last batch that the store has
	metrics *metrics
}

// run flushes at every interval until ctx ends.
func (f *flusher) run(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			// The error is logged where it happens; what could not be done waits in the journal.
			_ = f.flush(ctx)
		}
	}
}

// flush carries into the store all that was journaled before the call. It seals the open segment only after the sealed
// ones are done: while the store is away, segments grow instead of multiplying.
func (f *flusher) flush(ctx context.Context) error {
	if err := f.drain(ctx); err != nil {
		return err
	}
	next := f.backlog.next()
	if !next.IsZero() {
		// A hit that looked at the clock before us may not stand in the journal yet. One that has not even come to the
		// collector would take the line back when its batch is admitted.
		f.settle()
	}
	f.journal.Seal()
	if err := f.drain(ctx); err != nil {
		return err
	}
	if !next.IsZero() {
		// If the store cannot take it just now, the next flush tries again; until then retention waits.
		_ = f.backlog.announce(ctx, next)
	}
	return nil
}

func (f *flusher) drain(ctx context.Context) error {
	for {
		segment, ok := f.journal.Oldest()
		if !ok {
			return nil
		}
		batch, err := f.batch(segment)
		if err != nil {
			f.damage.failed(err)
			return err
		}
		late, err := f.applyUntilDone(ctx, batch)
		if err != nil {
			return err
		}
		if err := f.journal.Release(segment); err != nil {
			f.damage.failed(err)
			return err
		}
		f.late.Add(late)
		f.damage.worked()
	}
}

// batch rebuilds what a segment adds to the store; the same segment always gives the same batch. Records that were damaged
// on disk are left out; the journal reports and keeps them.
func (f *flusher) batch(segment *journal.Segment) (counters.Batch, error) {
	t := newTally()
	if err := segment.Each(t.add); err != nil {
		return counters.Batch{}, fmt.Errorf("segment %d: %w", segment.Token(), err)
	}
	return counters.Batch{Collector: f.journal.ID(), Token: segment.Token(), Updates: t.updates()}, nil
}

// applyUntilDone tries the batch until the store has it or ctx ends. It returns how many of its hits came too late.
func (f *flusher) applyUntilDone(ctx context.Context, batch counters.Batch) (late uint64, err error) {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		start := time.Now()
		try, cancel := context.WithTimeout(ctx, applyTimeout)
		admitted, late, err := f.try(try, batch)
		cancel()
		if err == nil {
			f.up.Store(true)
			f.done.Store(batch.Token)
			f.apply.worked()
			f.metrics.flushed(time.Since(start), len(admitted.Updates))
			return late, nil
		}
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		f.up.Store(false)
		f.apply.failed(err)
		if !sleep(ctx, pause/2+rand.N(pause/2)) {
			return 0, ctx.Err()
		}
	}
}

// try applies a batch once, if this process may and as far as its months are open.
func (f *flusher) try(ctx context.Context, batch counters.Batch) (admitted counters.Batch, late uint64, err error) {
	if err := f.permit(ctx); err != nil {
		return batch, 0, err
	}
	if admitted, late, err = f.backlog.admit(ctx, batch); err != nil {
		return admitted, 0, err
	}
	return admitted, late, f.store.Apply(ctx, admitted)
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
