package mongostore

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/mongo"

	"precount/internal/counters"
)

// maxRounds is how often Apply sends to the server what is left of a bulk. Two rounds are enough unless others insert,
// drop or lock the same documents at the same time.
const maxRounds = 10

// Apply adds a batch to the store, exactly once however often it is tried: see counters.Batch. It works through the
// batch in bulks. If it returns an error, also that of a cancelled ctx, any part of the batch may be applied, also after
// Apply returned; trying it again applies the rest.
//
// An update that its document cannot take, because somebody changed the document by hand, is set aside: see Rejection.
// A batch with an unknown field or an impossible value is refused as a whole.
func (s *Store) Apply(ctx context.Context, b counters.Batch) error {
	steps, err := plan(b)
	if err != nil {
		return &storeError{fmt.Sprintf("%s: %v", s.config.address, err), err}
	}
	if err := s.usable(ctx); err != nil {
		return err
	}
	for len(steps) > 0 {
		n := nextBulk(steps)
		bulk := s.newBulk(steps[0].collection(), b.Collector, int64(b.Token))
		if err := bulk.apply(ctx, steps[:n]); err != nil {
			return s.explain(ctx, err)
		}
		steps = steps[n:]
	}
	return nil
}

// A bulk is updates of one collection that are sent together.
type bulk struct {
	store      *Store
	collection counters.Collection
	target     *mongo.Collection
	collector  string
	token      int64
	trouble    error // why some updates had to be sent again
}

func (s *Store) newBulk(c counters.Collection, collector string, token int64) *bulk {
	return &bulk{store: s, collection: c, target: s.primary(c.Database(), c.Name()), collector: collector, token: token}
}

func (b *bulk) apply(ctx context.Context, steps []step) error {
	left := steps
	for range maxRounds {
		var err error
		if left, err = b.round(ctx, left); err != nil || len(left) == 0 {
			return err
		}
	}
	if b.trouble != nil {
		return fmt.Errorf("%s: %d updates failed again and again: %w", b.collection, len(left), b.trouble)
	}
	return fmt.Errorf("%s: documents come and go, %d updates could not be applied", b.collection, len(left))
}

// round updates the documents that exist, and inserts those that do not, with the update's numbers in them. It returns
// the steps of which it is not certain that they are applied.
func (b *bulk) round(ctx context.Context, steps []step) (left []step, err error) {
	updated, err := b.update(ctx, steps)
	if err != nil {
		return nil, err
	}
	if err := b.setAside(ctx, updated.rejected); err != nil {
		return nil, err
	}
	left = updated.failed
	if updated.count == len(updated.sound) {
		b.store.known.add(updated.sound)
		return left, nil
	}
	missing, behind, err := b.missing(ctx, updated.sound, updated.count)
	if err != nil {
		return nil, err
	}
	left = append(left, behind...)
	if len(missing) == 0 {
		return left, nil
	}
	inserted, err := b.insert(ctx, missing)
	if err != nil {
		return nil, err
	}
	b.store.known.add(inserted.sound)
	return append(left, inserted.failed...), b.setAside(ctx, inserted.rejected)
}

// missing finds out why only matched of the steps found their document: it does not exist (missing), or it has this
// token (the step was applied before), or it has it not (behind: somebody inserted it just now).
//
// Documents that are known to exist are not asked for, as long as the numbers allow only that all of them were updated.
func (b *bulk) missing(ctx context.Context, steps []step, matched int) (missing, behind []step, err error) {
	known, asked := b.store.known.split(steps)
	missing, behind, err = b.states(ctx, asked)
	if err != nil {
		return nil, nil, err
	}
	// At most applied of those asked for were matched in this round, so at least the rest of matched were known ones.
	applied := len(asked) - len(missing) - len(behind)
	if matched-applied >= len(known) {
		return missing, behind, nil
	}
	moreMissing, moreBehind, err := b.states(ctx, known)
	return append(missing, moreMissing...), append(behind, moreBehind...), err
}
