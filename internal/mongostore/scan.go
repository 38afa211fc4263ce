package mongostore

import (
	"context"
	"iter"
	"math"

	"go.mongodb.org/mongo-driver/v2/bson"

	"precount/internal/counters"
)

// Scan returns the documents of a collection whose _id begins with prefix, in the order of the bytes of their _ids. A
// collection that does not exist has none. An error is the last thing that is yielded. A counter that is not a number,
// because somebody put something else there, reads as 0; Apply names such documents (Rejection).
func (s *Store) Scan(ctx context.Context, c counters.Collection, prefix string) iter.Seq2[counters.Document, error] {
	projection := bson.D{{Key: fieldTotal, Value: 1}}
	if c.Kind == counters.Visitors {
		projection = bson.D{{Key: fieldR, Value: 1}}
	} else {
		name, _, _ := series(c)
		projection = append(projection, bson.E{Key: name, Value: 1})
	}
	return scan(ctx, s, c, prefix, projection, func(id string, raw bson.Raw) (counters.Document, error) {
		return decode(c, id, raw)
	})
}

// IDs returns the _ids that Scan would return, without reading the documents.
func (s *Store) IDs(ctx context.Context, c counters.Collection, prefix string) iter.Seq2[string, error] {
	return scan(ctx, s, c, prefix, bson.D{{Key: fieldID, Value: 1}}, func(id string, _ bson.Raw) (string, error) {
		return id, nil
	})
}

func scan[T any](ctx context.Context, s *Store, c counters.Collection, prefix string, projection bson.D,
	decode func(id string, raw bson.Raw) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		cur, err := s.open(ctx, c, prefix, projection)
		defer func() { cur.close(ctx) }()
		for err == nil {
			var ok bool
			if ok, err = cur.next(ctx); !ok || err != nil {
				break
			}
			var value T
			if value, err = decode(cur.last, cur.rows.Current); err == nil && !yield(value, nil) {
				return
			}
		}
		if err != nil {
			yield(none, err)
		}
	}
}

func decode(c counters.Collection, id string, raw bson.Raw) (doc counters.Document, err error) {
	if doc.Key, err = counters.ParseID(c, id); err != nil {
		return doc, err
	}
	if c.Kind == counters.Visitors {
		doc.Registers = make([]byte, counters.Registers)
		eachNumber(raw, fieldR, func(n int, rank int64) {
			if n < len(doc.Registers) {
				doc.Registers[n] = byte(min(max(rank, 0), math.MaxUint8))
			}
		})
		return doc, nil
	}
	doc.Total = number(raw.Lookup(fieldTotal))
	name, first, last := series(c)
	doc.Counts = make([]int64, last-first+1)
	eachNumber(raw, name, func(n int, count int64) {
		if n >= first && n <= last {
			doc.Counts[n-first] = count
		}
	})
	return doc, nil
}
