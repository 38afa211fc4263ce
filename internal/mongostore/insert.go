package mongostore

import (
	"context"
	"errors"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"precount/internal/counters"
)

// insertTries is how often templates are sent that failed for another reason than that they exist.
const insertTries = 5

// Insert makes the collection exist, and in it the documents of the keys, with all their counters zero, and a zero token
// for each of the collectors, so that a later flush adds no field. Documents that exist stay as they are. It returns how
// many did not, also when it returns an error: then some of the keys may be inserted. All keys must be of collection c.
func (s *Store) Insert(ctx context.Context, c counters.Collection, keys []counters.Key,
	collectors []string) (inserted int, err error) {
	templates, err := planTemplates(c, keys, collectors)
	if err != nil {
		return 0, err
	}
	if err := s.usable(ctx); err != nil {
		return 0, err
	}
	if err := s.create(ctx, c); err != nil {
		return 0, s.explain(ctx, err)
	}
	for chunk := range slices.Chunk(templates, bulkOperations) {
		n, err := s.insertChunk(ctx, c, chunk)
		inserted += n
		if err != nil {
			return inserted, s.explain(ctx, err)
		}
	}
	return inserted, nil
}

// planTemplates returns the new documents in the order of their _ids, each once; see plan for the reason.
func planTemplates(c counters.Collection, keys []counters.Key, collectors []string) ([]any, error) {
	if err := c.CheckKeys(keys); err != nil {
		return nil, err
	}
	type named struct {
		id  string
		key counters.Key
	}
	all := make([]named, len(keys))
	for i, key := range keys {
		all[i] = named{key.ID(), key}
	}
	slices.SortFunc(all, func(a, b named) int { return strings.Compare(a.id, b.id) })
	all = slices.CompactFunc(all, func(a, b named) bool { return a.id == b.id })
	templates := make([]any, len(all))
	for i, n := range all {
		templates[i] = template(n.key, n.id, collectors)
	}
	return templates, nil
}

// create makes the collection exist. Many may do so at once.
func (s *Store) create(ctx context.Context, c counters.Collection) error {
	limited, cancel := s.limit(ctx)
	defer cancel()
	err := s.client.Database(c.Database()).CreateCollection(limited, c.Name())
	if hasCode(err, codeNamespaceExists) {
		return nil
	}
	return err
}

// insertChunk inserts what is not there. What fails for a moment, as with a deadlock, is sent again.
func (s *Store) insertChunk(ctx context.Context, c counters.Collection, templates []any) (inserted int, err error) {
	target := s.primary(c.Database(), c.Name())
	for range insertTries {
		var n int
		n, templates, err = s.insertOnce(ctx, target, templates)
		inserted += n
		if err == nil || len(templates) == 0 {
			return inserted, err
		}
	}
	return inserted, err
}

// insertOnce returns the templates to be sent again together with the reason; an error without them is final.
func (s *Store) insertOnce(ctx context.Context, target *mongo.Collection, templates []any) (int, []any, error) {
	limited, cancel := s.limit(ctx)
	defer cancel()
	_, err := target.InsertMany(limited, templates, options.InsertMany().SetOrdered(false))
	var partial mongo.BulkWriteException
	if err == nil {
		return len(templates), nil, nil
	}
	if !errors.As(err, &partial) || partial.WriteConcernError != nil {
		return 0, nil, err
	}
	var again []any
	var reason error
	for _, e := range partial.WriteErrors {
		if e.Code != codeDuplicateKey {
			again, reason = append(again, templates[e.Index]), e.WriteError
		}
	}
	return len(templates) - len(partial.WriteErrors), again, reason
}
