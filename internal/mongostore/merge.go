package mongostore

import (
	"context"

	"precount/internal/counters"
)

// A walk goes over the documents of one month that have views, in the order of their _ids.
type walk struct {
	*cursor
	columns columns
	done    bool
	views   int64 // of the current document
}

func (w *walk) next(ctx context.Context) error {
	for {
		ok, err := w.cursor.next(ctx)
		if !ok || err != nil {
			w.done = true
			return err
		}
		if w.views = w.columns.views(w.rows.Current); w.views > 0 {
			return nil
		}
	}
}

// merge calls add once for each _id that any walk has, in their order, with the sum of its views.
func merge(ctx context.Context, walks []*walk, add func(c counters.Collection, id string, views int64)) error {
	for _, w := range walks {
		if err := w.next(ctx); err != nil {
			return err
		}
	}
	for {
		var first *walk
		for _, w := range walks {
			if !w.done && (first == nil || w.last < first.last) {
				first = w
			}
		}
		if first == nil {
			return nil
		}
		id := first.last
		var views int64
		for _, w := range walks {
			if w.done || w.last != id {
				continue
			}
			views += w.views
			if err := w.next(ctx); err != nil {
				return err
			}
		}
		add(first.collection, id, views)
	}
}
