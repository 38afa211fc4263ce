package collector

// A tally is how many hits each spot got. A segment of any number of hits becomes as many entries as it has distinct
// pages and hours; the strings of a spot are copied once.
type tally struct {
	index  map[spot]int
	spots  []spot
	counts []int64
	hits   int64
}

func newTally() *tally { return &tally{index: make(map[spot]int)} }

// add counts one record of the journal; the record may be overwritten afterwards.
func (t *tally) add(record []byte) error {
	r, err := parseRecord(record)
	if err != nil {
		return err
	}
	t.hits++
	// A look-up with string(bytes) in the key does not allocate; only a new spot copies them.
	if i, ok := t.index[spot{r.month, r.day, r.hour, r.depth, string(r.base), string(r.path)}]; ok {
		t.counts[i]++
		return nil
	}
	s := spot{r.month, r.day, r.hour, r.depth, string(r.base), string(r.path)}
	t.index[s] = len(t.spots)
	t.spots = append(t.spots, s)
	t.counts = append(t.counts, 1)
	return nil
}
