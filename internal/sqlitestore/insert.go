package sqlitestore

import (
	"context"

	"precount/internal/counters"
)

// insertChunk is how many templates are inserted in one transaction: about 30 ms, for which Apply has to wait.
const insertChunk = 5_000

// Insert makes the collection exist, and in it the documents of the keys, with all their counters zero. Documents that
// exist stay as they are. It returns how many did not, also when it returns an error: then some of the keys may be
// inserted. All keys must be of collection c. The collectors, whose tokens
// other engines keep in the documents, need nothing here: the file has one token for each.
func (s *Store) Insert(ctx context.Context, c counters.Collection, keys []counters.Key, _ []string) (inserted int, err error) {
	if err := c.CheckKeys(keys); err != nil {
		return 0, err
	}
	for first := true; first || len(keys) > 0; first = false {
		some := keys[:min(insertChunk, len(keys))]
		n := 0
		err := s.year(c.Month.Year).update(ctx, func(conn *conn) (err error) {
			n, err = conn.insert(c, some)
			return err
		})
		if err != nil {
			return inserted, err
		}
		inserted += n
		keys = keys[len(some):]
	}
	return inserted, nil
}

func (c *conn) insert(collection counters.Collection, keys []counters.Key) (inserted int, err error) {
	if err := c.ensure(collection); err != nil {
		return 0, err
	}
	stmts, err := c.adder(shape{collection: collection})
	if err != nil {
		return 0, err
	}
	for i := range keys {
		bindIdentity(stmts.insert, keys[i].ID(), &keys[i])
		if _, err := stmts.insert.Step(); err != nil {
			return inserted, err
		}
		if err := stmts.insert.Reset(); err != nil {
			return inserted, err
		}
		inserted += c.Changes()
	}
	return inserted, nil
}
