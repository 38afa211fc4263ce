package sqlitestore

import (
	"math/bits"
	"slices"
	"strings"

	"precount/internal/counters"
)

// A fieldSet is a set of counters of one collection: bit 0 is total, bit n is the n-th after it.
type fieldSet uint32

func (s fieldSet) has(i int) bool { return s&(1<<i) != 0 }

// rank returns how many fields of the set come before field i.
func (s fieldSet) rank(i int) int { return bits.OnesCount32(uint32(s) & (1<<i - 1)) }

// A step is one update, checked and named.
type step struct {
	update *counters.Update
	id     string
	shape  shape
}

// plan checks all of a batch before anything is applied, and sorts it: years together, because each is a transaction,
// collections together, and _ids as they lie in the file (7 % faster for 10,000 of 100,000 rows, nothing for fewer).
func plan(b counters.Batch) ([]step, error) {
	if err := b.Check(); err != nil {
		return nil, err
	}
	steps := make([]step, len(b.Updates))
	for i := range b.Updates {
		u := &b.Updates[i]
		steps[i] = step{update: u, id: u.Key.ID(), shape: shape{u.Key.Collection, fieldsOf(u)}}
	}
	slices.SortFunc(steps, func(a, b step) int {
		if a.shape.collection != b.shape.collection {
			return a.shape.collection.Compare(b.shape.collection)
		}
		return strings.Compare(a.id, b.id)
	})
	return steps, nil
}

// fieldsOf returns which counters the update adds to; the batch was checked.
func fieldsOf(u *counters.Update) (fields fieldSet) {
	for _, d := range u.Inc {
		i, _ := u.Key.Collection.CounterIndex(d.Field)
		fields |= 1 << i
	}
	return fields
}
