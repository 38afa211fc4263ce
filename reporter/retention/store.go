package retention

import (
	"context"
	"iter"

	"precount/internal/counters"
)

// A Reader reads the documents.
type Reader interface {
	// Scan yields the documents of c whose _id begins with prefix, in the order of their _ids.
	Scan(ctx context.Context, c counters.Collection, prefix string) iter.Seq2[counters.Document, error]
	// Collections returns the collections that exist, by time.
	Collections(ctx context.Context) ([]counters.Collection, error)
}

// A Dropper removes what was put away. All its methods may be repeated.
type Dropper interface {
	// Drop removes a collection, if it exists, and gives its space back.
	Drop(ctx context.Context, c counters.Collection) error
	// DropDatabase removes a year, if it exists; it refuses if any collection is left in it.
	DropDatabase(ctx context.Context, year int) error
}

// A Restorer brings documents back.
type Restorer interface {
	// Restore makes the collection exist, and in it the documents that are absent, as they are. A document that is there
	// with other counts is not changed, and the error is counters.ErrDiffers.
	Restore(ctx context.Context, c counters.Collection, docs []counters.Document) (inserted int, err error)
}

// Records are what is not bound to a month: jobs, rollups, audit, the horizon.
type Records interface {
	Get(ctx context.Context, collection, id string) (counters.Record, error)
	List(ctx context.Context, collection string) ([]counters.Record, error)
	Put(ctx context.Context, collection string, r counters.Record) (counters.Record, error)
	Delete(ctx context.Context, collection, id string, rev int64) error
}

// A Store is all that retention needs of an engine; internal/storetest holds the contract.
type Store interface {
	Reader
	Dropper
	Restorer
	Records
}
