package counters

import (
	"cmp"
	"slices"
	"strings"
)

// A Ranking keeps the best of many candidates. It holds at most twice the limit of them: when it is full, it sorts
// itself and forgets the worse half. An engine uses it to answer a TopQuery by reading every document once.
type Ranking struct {
	Limit      int
	total      int64 // of all candidates
	floor      int64 // what a candidate must exceed; equal is too late, as candidates come in the order of their _ids
	candidates []candidate
}

type candidate struct {
	collection Collection
	id         string
	views      int64
}

// Rank gives r the next candidate, in the order of _ids, with views > 0. It does not keep id.
func Rank[ID string | []byte](r *Ranking, c Collection, id ID, views int64) {
	r.total += views
	if views <= r.floor || r.Limit == 0 {
		return
	}
	r.candidates = append(r.candidates, candidate{c, string(id), views})
	if len(r.candidates) >= 2*r.Limit {
		r.prune()
	}
}

func (r *Ranking) prune() {
	slices.SortFunc(r.candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.views, a.views), strings.Compare(a.id, b.id))
	})
	if len(r.candidates) >= r.Limit && r.Limit > 0 {
		clear(r.candidates[r.Limit:])
		r.candidates = r.candidates[:r.Limit]
		r.floor = r.candidates[r.Limit-1].views
	}
}

// Top returns the best of all that were added. It is called once.
func (r *Ranking) Top() (Top, error) {
	r.prune()
	top := Top{Total: r.total, Rows: make([]Row, len(r.candidates))}
	for i, c := range r.candidates {
		key, err := ParseID(c.collection, c.id)
		if err != nil {
			return Top{}, err
		}
		top.Rows[i] = Row{Key: key, Views: c.views}
	}
	return top, nil
}
