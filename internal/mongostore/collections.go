package mongostore

import (
	"context"
	"fmt"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"precount/internal/counters"
)

// Collections returns the collections that exist: by time, and those of a month in the order of their kinds. Others,
// and other databases, are left out.
func (s *Store) Collections(ctx context.Context) ([]counters.Collection, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	limited, cancel := s.limit(ctx)
	defer cancel()
	databases, err := s.client.ListDatabaseNames(limited, bson.D{}, options.ListDatabases().SetNameOnly(true))
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	var all []counters.Collection
	for _, database := range databases {
		if _, ok := counters.ParseDatabase(database); !ok {
			continue
		}
		some, err := s.collections(ctx, database)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	slices.SortFunc(all, counters.Collection.Compare)
	return all, nil
}

// collections returns ours among the collections of one database, in no order.
func (s *Store) collections(ctx context.Context, database string) (all []counters.Collection, err error) {
	limited, cancel := s.limit(ctx)
	defer cancel()
	names, err := s.client.Database(database).ListCollectionNames(limited, bson.D{},
		options.ListCollections().SetNameOnly(true).SetAuthorizedCollections(true))
	for _, name := range names {
		if c, ok := counters.ParseCollection(database, name); ok {
			all = append(all, c)
		}
	}
	return all, s.explain(ctx, err)
}

// Drop removes a collection, if it exists.
func (s *Store) Drop(ctx context.Context, c counters.Collection) error {
	if err := c.Check(); err != nil {
		return err
	}
	if err := s.usable(ctx); err != nil {
		return err
	}
	limited, cancel := s.limit(ctx)
	defer cancel()
	err := s.client.Database(c.Database()).Collection(c.Name()).Drop(limited)
	s.known.forget() // rare, and the others are soon known again
	return s.explain(ctx, err)
}

// DropDatabase makes sure that nothing of ours is left of a year. It refuses when any collection is. The server itself
// forgets a database without collections; to tell it to would also drop what another process creates at this moment, and
// what is not ours.
func (s *Store) DropDatabase(ctx context.Context, year int) error {
	c := counters.Collection{Month: counters.Month{Year: year, Month: 1}}
	if err := c.Check(); err != nil {
		return err
	}
	if err := s.usable(ctx); err != nil {
		return err
	}
	left, err := s.collections(ctx, c.Database())
	if err == nil && len(left) > 0 {
		err = fmt.Errorf("%s is not empty: drop %s first", c.Database(), left[0].Name())
	}
	return s.explain(ctx, err)
}
