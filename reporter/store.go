package reporter

import (
	"context"
	"iter"

	"precount/internal/counters"
	"precount/reporter/retention"
)

// A Store holds the documents. Its methods are safe for concurrent use and end early, with an error, when ctx does.
type Store interface {
	// Scan yields the documents of c whose _id begins with prefix, in the order of their _ids. A collection that does
	// not exist yields nothing. After an error nothing follows.
	Scan(ctx context.Context, c counters.Collection, prefix string) iter.Seq2[counters.Document, error]
	// DaySums returns, for each day of the span, the sum over all documents whose _id begins with prefix.
	DaySums(ctx context.Context, kind counters.Kind, span counters.Span, prefix string) ([]int64, error)
	// Top returns the documents with the most views.
	Top(ctx context.Context, q counters.TopQuery) (counters.Top, error)
	// Rollups are what stays of months that were put away.
	retention.Rollups
}
