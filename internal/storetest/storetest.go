package storetest

import (
	"context"
	"iter"
	"testing"

	"precount/internal/counters"
)

// A Store is what an engine is. The contract of each method is in the subtests of Run.
type Store interface {
	Apply(ctx context.Context, b counters.Batch) error
	Scan(ctx context.Context, c counters.Collection, prefix string) iter.Seq2[counters.Document, error]
	IDs(ctx context.Context, c counters.Collection, prefix string) iter.Seq2[string, error]
	DaySums(ctx context.Context, kind counters.Kind, span counters.Span, prefix string) ([]int64, error)
	Top(ctx context.Context, q counters.TopQuery) (counters.Top, error)
	Collections(ctx context.Context) ([]counters.Collection, error)
	Insert(ctx context.Context, c counters.Collection, keys []counters.Key, collectors []string) (inserted int, err error)
	Restore(ctx context.Context, c counters.Collection, docs []counters.Document) (inserted int, err error)
	Drop(ctx context.Context, c counters.Collection) error
	DropDatabase(ctx context.Context, year int) error
	Get(ctx context.Context, collection, id string) (counters.Record, error)
	List(ctx context.Context, collection string) ([]counters.Record, error)
	Put(ctx context.Context, collection string, r counters.Record) (counters.Record, error)
	Delete(ctx context.Context, collection, id string, rev int64) error
	Ping(ctx context.Context) error
	Close() error
}

// An Option changes how much Run does.
type Option func(*suite)

// Rounds sets how often races are repeated; the default is 50, or 10 with -short.
func Rounds(n int) Option { return func(s *suite) { s.rounds = n } }

// BigBatch sets the number of updates in the largest batch; the default is 100,000, or 5,000 with -short.
func BigBatch(n int) Option { return func(s *suite) { s.big = n } }

// A suite is what the tests need to know beside the store.
type suite struct {
	open   func(t *testing.T) Store
	rounds int
	big    int
}

// Run tests the whole contract. open returns a new, empty store, and closes it at the end of t; closing twice must do
// no harm. Nothing else may write into the store meanwhile.
func Run(t *testing.T, open func(t *testing.T) Store, opts ...Option) {
	s := &suite{open: open, rounds: 50, big: 100_000}
	if testing.Short() {
		s.rounds, s.big = 10, 5_000
	}
	for _, opt := range opts {
		opt(s)
	}
	for _, group := range []struct {
		name      string
		sentences []sentence
	}{
		{"Apply", applySentences},
		{"Crowd", crowdSentences},
		{"Cancel", cancelSentences},
		{"Read", readSentences},
		{"Top", topSentences},
		{"Drop", dropSentences},
		{"Restore", restoreSentences},
		{"Records", recordSentences},
		{"Property", propertySentences},
	} {
		t.Run(group.name, func(t *testing.T) {
			for _, sentence := range group.sentences {
				t.Run(sentence.says, func(t *testing.T) { sentence.test(t, s) })
			}
		})
	}
}

// A sentence is one of the contract.
type sentence struct {
	says string
	test func(t *testing.T, s *suite)
}
