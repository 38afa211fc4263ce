package mongostore

import (
	"cmp"
	"slices"
	"strings"

	"precount/internal/counters"
)

// A ranking keeps the best of many candidates. It holds at most twice the limit of them: when it is full, it sorts
// itself and forgets the worse half.
type ranking struct {
	limit      int
	total      int64 // of all candidates
	floor      int64 // what a candidate must exceed; equal is too late, as candidates come in the order of their _ids
	candidates []candidate
}

type candidate struct {
	collection counters.Collection
	id         string
	views      int64
}

// add takes the next candidate, in the order of _ids, with views > 0.
func (r *ranking) add(c counters.Collection, id string, views int64) {
	r.total += views
	if views <= r.floor || r.limit == 0 {
		return
	}
	r.candidates = append(r.candidates, candidate{c, id, views})
	if len(r.candidates) >= 2*r.limit {
		r.prune()
	}
}

func (r *ranking) prune() {
	slices.SortFunc(r.candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.views, a.views), strings.Compare(a.id, b.id))
	})
	if len(r.candidates) >= r.limit && r.limit > 0 {
		clear(r.candidates[r.limit:])
		r.candidates = r.candidates[:r.limit]
		r.floor = r.candidates[r.limit-1].views
	}
}

func (r *ranking) top() (counters.Top, error) {
	r.prune()
	top := counters.Top{Total: r.total, Rows: make([]counters.Row, len(r.candidates))}
	for i, c := range r.candidates {
		key, err := counters.ParseID(c.collection, c.id)
		if err != nil {
			return counters.Top{}, err
		}
		top.Rows[i] = counters.Row{Key: key, Views: c.views}
	}
	return top, nil
}
