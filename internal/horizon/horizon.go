package horizon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"precount/internal/counters"
)

// Records is where the line is kept: the collection counters.RetentionRecords of a store.
type Records interface {
	// Get returns a record, or counters.ErrNotFound.
	Get(ctx context.Context, collection, id string) (counters.Record, error)
	// List returns all records of a collection.
	List(ctx context.Context, collection string) ([]counters.Record, error)
	// Put stores a record if its Rev is still the stored one (0: if there is none), else counters.ErrConflict.
	Put(ctx context.Context, collection string, r counters.Record) (counters.Record, error)
	// Delete removes a record if its Rev is still the stored one.
	Delete(ctx context.Context, collection, id string, rev int64) error
}

// RefreshEvery is how long a change made by another process may stay unseen by Expired.
const RefreshEvery = 2 * time.Second

const lineID = "horizon"

// A Horizon is the line as last read from the store. All methods are safe for concurrent use.
type Horizon struct {
	records Records
	current atomic.Pointer[line]
}

// A line never changes; Horizon swaps in a new one.
type line struct {
	before   counters.Month   // months before it are put away; the zero Month: none
	restored []counters.Month // but not these
}

// stored is the line as JSON.
type stored struct {
	DroppedBefore string   `json:"dropped_before"`
	Restored      []string `json:"restored,omitempty"`
}

// New returns a Horizon beyond which no month is, until Refresh.
func New(records Records) *Horizon {
	h := &Horizon{records: records}
	h.current.Store(&line{})
	return h
}

// Expired reports whether the month was put away, as far as Refresh knows. It neither blocks nor allocates.
func (h *Horizon) Expired(m counters.Month) bool { return h.current.Load().expired(m) }

func (l *line) expired(m counters.Month) bool {
	return m.Before(l.before) && !slices.Contains(l.restored, m)
}

// Refresh reads the line. On error it stays as it was.
func (h *Horizon) Refresh(ctx context.Context) error {
	_, err := h.read(ctx)
	return err
}

func (h *Horizon) read(ctx context.Context) (counters.Record, error) {
	record, err := h.records.Get(ctx, counters.RetentionRecords, lineID)
	if errors.Is(err, counters.ErrNotFound) {
		h.current.Store(&line{})
		return counters.Record{ID: lineID}, nil
	}
	if err != nil {
		return record, fmt.Errorf("read which months were put away: %w", err)
	}
	l, err := parseLine(record.Body)
	if err != nil {
		return record, fmt.Errorf("%s %q as stored: %w", counters.RetentionRecords, lineID, err)
	}
	h.current.Store(&l)
	return record, nil
}

func parseLine(body []byte) (l line, err error) {
	var s stored
	if err := json.Unmarshal(body, &s); err != nil {
		return l, err
	}
	if s.DroppedBefore != "" {
		if l.before, err = counters.ParseMonth(s.DroppedBefore); err != nil {
			return l, err
		}
	}
	for _, text := range s.Restored {
		m, err := counters.ParseMonth(text)
		if err != nil {
			return l, err
		}
		l.restored = append(l.restored, m)
	}
	return l, nil
}

// Run refreshes every RefreshEvery until ctx ends; failed is called with each error, and must rate-limit itself.
func (h *Horizon) Run(ctx context.Context, failed func(error)) {
	tick := time.NewTicker(RefreshEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := h.Refresh(ctx); err != nil && ctx.Err() == nil {
				failed(err)
			}
		}
	}
}

// Close puts the month, and all before it that were not restored, beyond the line.
func (h *Horizon) Close(ctx context.Context, m counters.Month) error {
	return h.change(ctx, func(l line) line {
		if next := m.Add(1); l.before.Before(next) {
			l.before = next
		}
		l.restored = slices.DeleteFunc(slices.Clone(l.restored), func(r counters.Month) bool { return r == m })
		return l
	})
}

// Reopen brings a month back before the line.
func (h *Horizon) Reopen(ctx context.Context, m counters.Month) error {
	return h.change(ctx, func(l line) line {
		if l.expired(m) {
			l.restored = append(slices.Clone(l.restored), m)
		}
		return l
	})
}

// change stores what f makes of the line; if another process changed it in between, it begins again.
func (h *Horizon) change(ctx context.Context, f func(line) line) error {
	for {
		record, err := h.read(ctx)
		if err != nil {
			return err
		}
		l := f(*h.current.Load())
		s := stored{}
		if !l.before.IsZero() {
			s.DroppedBefore = l.before.String()
		}
		for _, m := range l.restored {
			s.Restored = append(s.Restored, m.String())
		}
		if record.Body, err = json.Marshal(s); err != nil {
			return err
		}
		if _, err = h.records.Put(ctx, counters.RetentionRecords, record); err == nil {
			h.current.Store(&l)
			return nil
		}
		if !errors.Is(err, counters.ErrConflict) {
			return fmt.Errorf("store which months were put away: %w", err)
		}
	}
}
