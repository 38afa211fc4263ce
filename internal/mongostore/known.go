package mongostore

import (
	"hash/maphash"
	"sync"
)

// maxKnown is how many documents are remembered: about 10 MB at the most.
const maxKnown = 1 << 18

// known remembers which documents exist, so that Apply need not ask the server for each document of a bulk whether it is
// the one that is missing: an update that matches nothing does not say which one did. It is a hint and nothing else:
// documents may have been dropped since, and hashes may collide; see (*bulk).missing.
type known struct {
	seed maphash.Seed

	mu      sync.Mutex
	current map[uint64]struct{} // guarded by mu
	older   map[uint64]struct{} // guarded by mu; what current was before it became half of maxKnown
}

func newKnown() *known {
	return &known{seed: maphash.MakeSeed(), current: make(map[uint64]struct{})}
}

func (k *known) hash(st *step) uint64 {
	var h maphash.Hash
	h.SetSeed(k.seed)
	maphash.WriteComparable(&h, st.collection())
	h.WriteString(st.id)
	return h.Sum64()
}

func (k *known) add(steps []step) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range steps {
		if len(k.current) >= maxKnown/2 {
			k.older, k.current = k.current, make(map[uint64]struct{}, len(k.current))
		}
		k.current[k.hash(&steps[i])] = struct{}{}
	}
}

// split returns those of the steps whose documents are known to exist, and the others.
func (k *known) split(steps []step) (yes, no []step) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range steps {
		h := k.hash(&steps[i])
		_, isCurrent := k.current[h]
		_, isOlder := k.older[h]
		if isCurrent || isOlder {
			yes = append(yes, steps[i])
		} else {
			no = append(no, steps[i])
		}
	}
	return yes, no
}

func (k *known) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.current, k.older = make(map[uint64]struct{}), nil
}
