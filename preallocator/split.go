package preallocator

// A Weight is what a stretch of _ids weighs: from ID up to the next Weight's. The weight of a document is the views it
// had, and one for its being there.
type Weight struct {
	ID string
	N  int64
}

// Splits returns up to pieces-1 _ids that cut a collection into ranges of about equal weight. The sample is in the order of
// its _ids; a split point is one of them, never the first, because nothing comes before that. No range but one of a
// single stretch weighs more than the fair share and the heaviest stretch together.
func Splits(sample []Weight, pieces int) []string {
	var rest int64 // from the beginning of the current range
	for _, w := range sample {
		rest += w.N
	}
	var splits []string
	var current int64 // weight of the current range so far
	for i, w := range sample {
		// A range is full when it has its share of what the ranges before it left: a heavy one makes the others lighter.
		full := float64(current)*float64(pieces-len(splits)) >= float64(rest)
		if i > 0 && full && len(splits) < pieces-1 {
			splits = append(splits, w.ID)
			rest -= current
			current = 0
		}
		current += w.N
	}
	return splits
}

// maxSample bounds a sampler's memory: about 200 bytes for each stretch.
const maxSample = 20_000

// A sampler keeps a distribution of any number of _ids, which come in their order, as at most limit stretches.
type sampler struct {
	limit   int
	per     int // documents in a stretch
	in      int // documents in the last one so far
	weights []Weight
}

func newSampler(limit int) *sampler { return &sampler{limit: limit, per: 1} }

func (s *sampler) add(id string, n int64) {
	if s.in == s.per || len(s.weights) == 0 {
		if len(s.weights) == s.limit {
			s.halve()
		}
		s.weights, s.in = append(s.weights, Weight{ID: id}), 0
	}
	s.weights[len(s.weights)-1].N += n
	s.in++
}

// halve joins neighbours.
func (s *sampler) halve() {
	half := s.weights[:0]
	for i, w := range s.weights {
		if i%2 == 0 {
			half = append(half, w)
		} else {
			half[len(half)-1].N += w.N
		}
	}
	s.weights, s.per = half, 2*s.per
}
