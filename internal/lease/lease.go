package lease

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"precount/internal/counters"
)

// Records is where leases are kept.
type Records interface {
	// Get returns a record, or counters.ErrNotFound.
	Get(ctx context.Context, collection, id string) (counters.Record, error)
	// Put stores a record if its Rev is still the stored one (0: if there is none), else counters.ErrConflict.
	Put(ctx context.Context, collection string, r counters.Record) (counters.Record, error)
}

// ErrHeld says that another process holds the lease. The text names it and when its lease runs out.
var ErrHeld = errors.New("lease is held by another process")

// A HeldError is ErrHeld with the holder.
type HeldError struct {
	Name  string // of the lease
	Owner string
	Place string
	Until time.Time
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("%s: %v: %s, until %s", e.Name, ErrHeld, e.Owner, e.Until.UTC().Format(time.RFC3339))
}

func (e *HeldError) Unwrap() error { return ErrHeld }

// ErrLost says that a lease ran out and was taken by another process.
var ErrLost = errors.New("lease was lost to another process")

// DefaultTTL is how long a lease holds if it is not renewed.
const DefaultTTL = time.Minute

// Options of Acquire. Records, Collection, ID and Owner are needed.
type Options struct {
	Records    Records
	Collection string
	ID         string
	Owner      string        // names the process to people, and tells holders apart: unique for each process
	Place      string        // if set: a holder with the same place is known to be dead, its lease is taken over at once
	TTL        time.Duration // DefaultTTL
	Now        func() time.Time
}

// A Lease is held until it is released or not renewed in time. All methods are safe for concurrent use.
type Lease struct {
	options Options

	mu     sync.Mutex // held while a record is stored, so that revisions stay in order
	record counters.Record
	until  time.Time // to which the lease is known to be ours
}

// held is the part of a record that says who holds it. Other fields of the record are kept as they are.
type held struct {
	Owner      string    `json:"owner"`
	Place      string    `json:"place,omitempty"`
	LeaseUntil time.Time `json:"lease_until"` // the zero time: released
	Seen       time.Time `json:"seen"`        // when its holder stored it last
}

// Acquire takes the lease if it is free. It does not wait.
func Acquire(ctx context.Context, o Options) (*Lease, error) {
	if o.TTL == 0 {
		o.TTL = DefaultTTL
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	l := &Lease{options: o}
	record, err := o.Records.Get(ctx, o.Collection, o.ID)
	switch {
	case errors.Is(err, counters.ErrNotFound):
		record = counters.Record{ID: o.ID, Body: []byte("{}")}
	case err != nil:
		return nil, err
	default:
		var by held
		if err := json.Unmarshal(record.Body, &by); err != nil {
			return nil, fmt.Errorf("%s %q as stored: %w", o.Collection, o.ID, err)
		}
		sameDeadPlace := o.Place != "" && by.Place == o.Place
		if by.Owner != o.Owner && o.Now().Before(by.LeaseUntil) && !sameDeadPlace {
			return nil, l.heldBy(by)
		}
	}
	l.record = record
	if err := l.put(ctx, o.Now().Add(o.TTL)); errors.Is(err, counters.ErrConflict) {
		return nil, fmt.Errorf("%s %q: %w", o.Collection, o.ID, ErrHeld)
	} else if err != nil {
		return nil, err
	}
	return l, nil
}

func (l *Lease) heldBy(by held) error {
	return &HeldError{fmt.Sprintf("%s %q", l.options.Collection, l.options.ID), by.Owner, by.Place, by.LeaseUntil}
}

// Renew prolongs the lease by its TTL. After ErrLost it is not held any more.
func (l *Lease) Renew(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.renew(ctx)
}

func (l *Lease) renew(ctx context.Context) error {
	return l.insist(ctx, l.options.Now().Add(l.options.TTL))
}

// insist stores what this process wants stored, unless another one holds the lease. The caller holds mu.
func (l *Lease) insist(ctx context.Context, until time.Time) error {
	err := l.put(ctx, until)
	if !errors.Is(err, counters.ErrConflict) {
		return err
	}
	// The store may have taken an earlier Put whose acknowledgement was lost: then the record is still ours.
	record, err := l.options.Records.Get(ctx, l.options.Collection, l.options.ID)
	var by held
	switch {
	case errors.Is(err, counters.ErrNotFound): // somebody deleted it by hand; nobody else holds it
	case err != nil:
		return err
	case json.Unmarshal(record.Body, &by) != nil || by.Owner != l.options.Owner:
		return fmt.Errorf("%w; now %w", ErrLost, l.heldBy(by))
	}
	l.record.Rev = record.Rev // what this process wants stored stays as it is
	return l.put(ctx, until)
}

// Ensure returns nil if the lease is held for sure for at least a quarter of its TTL more, and renews it before if need be.
// Call it before work that must not be done by two: a process that was stopped, or cut off from the store, may have lost its
// lease without having noticed.
func (l *Lease) Ensure(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.options.Now().Before(l.until.Add(-l.options.TTL / 4)) {
		return nil
	}
	return l.renew(ctx)
}

// Keep renews the lease by calling renew, which is Renew or does as much, until ctx ends, and returns nil, or ErrLost as soon
// as it is known to be lost. Other errors go to trouble and are tried again: while the store is away nobody else can take the
// lease there, but see Ensure.
func (l *Lease) Keep(ctx context.Context, renew func(context.Context) error, trouble func(error)) error {
	tick := time.NewTicker(l.options.TTL / 3)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			switch err := renew(ctx); {
			case errors.Is(err, ErrLost):
				return err
			case err != nil && ctx.Err() == nil:
				trouble(err)
			}
		}
	}
}

// Release gives the lease up at once. One that was lost is another's and stays so.
func (l *Lease) Release(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.insist(ctx, time.Time{}); !errors.Is(err, ErrLost) {
		return err
	}
	return nil
}

// put stores who holds the lease beside the record's other fields. The caller holds mu.
func (l *Lease) put(ctx context.Context, until time.Time) error {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(l.record.Body, &fields); err != nil {
		return err
	}
	delete(fields, "place") // of an earlier holder
	body, err := json.Marshal(held{l.options.Owner, l.options.Place, until.UTC(), l.options.Now().UTC()})
	if err == nil {
		err = json.Unmarshal(body, &fields)
	}
	if err == nil {
		body, err = json.Marshal(fields)
	}
	if err != nil {
		return err
	}
	stored, err := l.options.Records.Put(ctx, l.options.Collection, counters.Record{ID: l.record.ID, Rev: l.record.Rev, Body: body})
	if err == nil {
		l.record, l.until = stored, until
	}
	return err
}

// Body returns the record's fields as JSON, as last read or stored.
func (l *Lease) Body() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.record.Body
}

// Merge sets fields of the record beside those of the lease, and prolongs the lease. fields is a JSON object; what it does not
// name stays.
func (l *Lease) Merge(ctx context.Context, fields []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	merged := map[string]json.RawMessage{}
	err := json.Unmarshal(l.record.Body, &merged)
	if err == nil {
		err = json.Unmarshal(fields, &merged)
	}
	if err == nil {
		l.record.Body, err = json.Marshal(merged)
	}
	if err != nil {
		return err
	}
	return l.renew(ctx)
}
