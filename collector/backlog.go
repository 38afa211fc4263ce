package collector

import (
	"context"
	"slices"

	"precount/internal/counters"
)

// Months is the line between the months that take hits and those that retention has put away. Its methods are safe for
// concurrent use; internal/horizon implements it.
type Months interface {
	// Expired reports whether a month was put away, as far as is known here. It must neither block nor allocate.
	Expired(m counters.Month) bool
	// Announce makes known that the collector may write oldest and later months, and no earlier ones. It returns which
	// months were put away when that was known; of those from oldest on none will be until the next announcement.
	Announce(ctx context.Context, collector string, oldest counters.Month) (expired func(counters.Month) bool, err error)
	// Announced returns what the collector announced last, the zero Month if nothing.
	Announced(ctx context.Context, collector string) (counters.Month, error)
	// Forget makes known that the collector holds no hits.
	Forget(ctx context.Context, collector string) error
}

// A backlog sees to it that no batch is written into a month while or after retention puts it away: a hit that fell between
// the archive and the drop would be lost, and one after the drop would bring the collection back. Its methods are called by
// one goroutine, begin before it starts.
type backlog struct {
	months    Months
	collector string
	running   func() counters.Month

	oldest  counters.Month            // as announced; the zero Month: nothing yet
	expired func(counters.Month) bool // when that was announced
}

// begin announces what the journal may hold. What an earlier process announced still holds: its hits may be in there.
func (b *backlog) begin(ctx context.Context) error {
	oldest, err := b.months.Announced(ctx, b.collector)
	if err != nil {
		return err
	}
	if now := b.running(); oldest.IsZero() || now.Before(oldest) {
		oldest = now
	}
	return b.announce(ctx, oldest)
}

func (b *backlog) announce(ctx context.Context, oldest counters.Month) error {
	expired, err := b.months.Announce(ctx, b.collector, oldest)
	if err == nil {
		b.oldest, b.expired = oldest, expired
	}
	return err
}

// admit returns the batch without what falls into months that were put away, and how many hits that was. Such hits exist only
// where a clock went wrong, or where somebody gave up this collector's journal with --forget-collector.
func (b *backlog) admit(ctx context.Context, batch counters.Batch) (counters.Batch, uint64, error) {
	if len(batch.Updates) == 0 {
		return batch, 0, nil
	}
	// Updates come in the order of their months.
	if first := batch.Updates[0].Key.Collection.Month; b.oldest.IsZero() || first.Before(b.oldest) {
		if err := b.announce(ctx, first); err != nil {
			return batch, 0, err
		}
	}
	late := uint64(0)
	gone := func(u counters.Update) bool { return b.expired(u.Key.Collection.Month) }
	if !slices.ContainsFunc(batch.Updates, gone) {
		return batch, 0, nil
	}
	kept := make([]counters.Update, 0, len(batch.Updates))
	for _, u := range batch.Updates {
		switch {
		case !gone(u):
			kept = append(kept, u)
		case u.Key.Collection.Kind == counters.Hours:
			late += uint64(u.Inc[0].N) // each hit is in one hour; the first field is the total
		}
	}
	batch.Updates = kept
	return batch, late, nil
}

// next returns the month to announce once all hits taken until now are in the store, the zero Month if that is no news.
func (b *backlog) next() counters.Month {
	if now := b.running(); !b.oldest.IsZero() && b.oldest.Before(now) {
		return now
	}
	return counters.Month{}
}

// end announces that nothing is held any more. The caller takes no hits, and all that were taken are in the store.
func (b *backlog) end(ctx context.Context) error {
	if b.oldest.IsZero() {
		return nil
	}
	return b.months.Forget(ctx, b.collector)
}

// allMonths is where there is no retention.
type allMonths struct{}

func (allMonths) Expired(counters.Month) bool { return false }

func (allMonths) Announce(context.Context, string, counters.Month) (func(counters.Month) bool, error) {
	return func(counters.Month) bool { return false }, nil
}

func (allMonths) Announced(context.Context, string) (counters.Month, error) {
	return counters.Month{}, nil
}

func (allMonths) Forget(context.Context, string) error { return nil }
