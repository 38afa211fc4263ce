package mongostore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"precount/internal/counters"
)

// Restore makes the collection exist, and in it the documents, with their counts as they are given and without tokens. A
// document that exists with the same counts is skipped. One that exists with other counts is not changed: the error is
// counters.ErrDiffers and names the first; others of the same call may be inserted. inserted is how many were, also with an
// error.
func (s *Store) Restore(ctx context.Context, c counters.Collection, docs []counters.Document) (inserted int, err error) {
	if err := c.CheckDocuments(docs); err != nil {
		return 0, err
	}
	if err := s.usable(ctx); err != nil {
		return 0, err
	}
	if err := s.create(ctx, c); err != nil {
		return 0, s.explain(ctx, err)
	}
	for chunk := range slices.Chunk(docs, bulkOperations) {
		if err := s.mustEqual(ctx, c, chunk); err != nil { // before, so that a conflict seldom leaves half a chunk
			return inserted, s.explain(ctx, err)
		}
		whole := make([]any, len(chunk))
		for i := range chunk {
			whole[i] = wholeDocument(&chunk[i])
		}
		n, err := s.insertChunk(ctx, c, whole)
		inserted += n
		if err == nil && n < len(chunk) {
			err = s.mustEqual(ctx, c, chunk) // somebody may have been faster
		}
		if err != nil {
			return inserted, s.explain(ctx, err)
		}
	}
	return inserted, nil
}

// wholeDocument spells a document the way that the first batch to count it would.
func wholeDocument(doc *counters.Document) bson.Raw {
	u := counters.Update{Key: doc.Key}
	for register, rank := range doc.Registers {
		if rank > 0 {
			u.Max = append(u.Max, counters.Delta{Field: counters.Register(register), N: int64(rank)})
		}
	}
	if doc.Counts != nil {
		fields := doc.Key.Collection.Counters()
		u.Inc = append(u.Inc, counters.Delta{Field: fields[0], N: doc.Total})
		for i, n := range doc.Counts {
			u.Inc = append(u.Inc, counters.Delta{Field: fields[i+1], N: n})
		}
	}
	return newDocument(&u, doc.Key.ID(), nil, 0)
}

// mustEqual returns counters.ErrDiffers if any of the documents is there with other counts.
func (s *Store) mustEqual(ctx context.Context, c counters.Collection, docs []counters.Document) error {
	ids := make([]string, len(docs))
	want := make(map[string]*counters.Document, len(docs))
	for i := range docs {
		ids[i] = docs[i].Key.ID()
		want[ids[i]] = &docs[i]
	}
	limited, cancel := s.limit(ctx)
	defer cancel()
	rows, err := s.primary(c.Database(), c.Name()).Find(limited, bson.D{{Key: fieldID, Value: bson.D{{Key: "$in", Value: ids}}}},
		options.Find().SetSort(bson.D{{Key: fieldID, Value: 1}}))
	if err != nil {
		return err
	}
	for rows.Next(limited) {
		id, _ := rows.Current.Lookup(fieldID).StringValueOK()
		stored, err := decode(c, id, rows.Current)
		if err == nil && !sameCounts(&stored, want[id]) {
			err = fmt.Errorf("%s %q: %w", c, id, counters.ErrDiffers)
		}
		if err != nil {
			return errors.Join(err, rows.Close(limited))
		}
	}
	return errors.Join(rows.Err(), rows.Close(limited))
}

func sameCounts(a, b *counters.Document) bool {
	return b != nil && a.Total == b.Total && slices.Equal(a.Counts, b.Counts) && bytes.Equal(a.Registers, b.Registers)
}
