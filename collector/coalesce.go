package collector

// A tally is how many hits each spot got. A segment of any number of hits becomes as many entries as it has distinct
// pages and hours.
type tally struct {
	index  map[string]int32 // by record: hits of one spot have the same one
	spots  []spot
	counts []int64
}

func newTally() *tally { return &tally{index: make(map[string]int32)} }

// add counts one record of the journal; the record may be overwritten afterwards. Only the first of its spot is copied and
// taken apart: a look-up with string(bytes) does not allocate.
func (t *tally) add(record []byte) error {
	if i, ok := t.index[string(record)]; ok {
		t.counts[i]++
		return nil
	}
	own := string(record)
	s, err := parseRecord(own)
	if err != nil {
		return err
	}
	t.index[own] = int32(len(t.spots))
	t.spots = append(t.spots, s)
	t.counts = append(t.counts, 1)
	return nil
}
