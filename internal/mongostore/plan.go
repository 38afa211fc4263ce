package mongostore

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"precount/internal/counters"
)

// Bounds of one bulk. DocumentDB takes 25,000 operations at most, MongoDB 100,000 and 48 MB. Between 1,000 and 10,000
// the speed is the same; a smaller bulk holds its locks for a shorter time (0.1 s) and repeats less when it is cut off.
const (
	bulkOperations = 2_500
	bulkBytes      = 8 << 20
)

// A step is one update, checked and named.
type step struct {
	update *counters.Update
	id     string
}

func (s *step) collection() counters.Collection { return s.update.Key.Collection }

// size is about what the step takes in a message, as an update or as a whole document.
func (s *step) size() int { return 800 + 3*len(s.id) + 40*(len(s.update.Inc)+len(s.update.Max)) }

// plan checks all of a batch before anything is sent, and sorts it by collection and the bytes of _id: two collectors
// that lock the same documents in opposite orders deadlock (on DocumentDB 423 times in 7 minutes, for 14 updates each).
func plan(b counters.Batch) ([]step, error) {
	if b.Collector == "" || !storable(b.Collector) || strings.ContainsAny(b.Collector, ".$") {
		return nil, fmt.Errorf(`batch has no valid collector: %q; it must not be empty or contain "." or "$"`, b.Collector)
	}
	if b.Token < 1 || b.Token > math.MaxInt64 {
		return nil, fmt.Errorf("batch of collector %q: token %d is not in 1 to 2^63-1", b.Collector, b.Token)
	}
	steps := make([]step, len(b.Updates))
	for i := range b.Updates {
		u := &b.Updates[i]
		if err := checkUpdate(u); err != nil {
			return nil, fmt.Errorf("batch of collector %q, token %d: %s %q: %w",
				b.Collector, b.Token, u.Key.Collection.Kind, u.Key.Base, err)
		}
		steps[i] = step{update: u, id: u.Key.ID()}
	}
	slices.SortFunc(steps, func(a, b step) int {
		if a.collection() != b.collection() {
			return compareCollections(a.collection(), b.collection())
		}
		return strings.Compare(a.id, b.id)
	})
	return steps, unique(b, steps)
}

// unique refuses two updates of one document: the second would look as if it were applied already.
func unique(b counters.Batch, steps []step) error {
	for i := 1; i < len(steps); i++ {
		if steps[i].id == steps[i-1].id && steps[i].collection() == steps[i-1].collection() {
			return fmt.Errorf("batch of collector %q, token %d: %s %q is in it twice",
				b.Collector, b.Token, steps[i].collection(), steps[i].id)
		}
	}
	return nil
}

// nextBulk returns how many of the steps go into one bulk: of one collection, and within the bounds.
func nextBulk(steps []step) (n int) {
	for bytes := 0; n < len(steps) && n < bulkOperations && steps[n].collection() == steps[0].collection(); n++ {
		bytes += steps[n].size()
		if bytes > bulkBytes && n > 0 {
			break
		}
	}
	return n
}

func compareCollections(a, b counters.Collection) int {
	return cmp.Or(cmp.Compare(a.Month.Year, b.Month.Year), cmp.Compare(a.Month.Month, b.Month.Month),
		cmp.Compare(a.Kind, b.Kind))
}

func checkUpdate(u *counters.Update) error {
	if err := checkKey(u.Key); err != nil {
		return err
	}
	visitors := u.Key.Collection.Kind == counters.Visitors
	var seen uint32
	for _, d := range u.Inc {
		i, ok := counterIndex(u.Key.Collection, d.Field)
		if !ok || seen&(1<<i) != 0 {
			return fmt.Errorf("field %q to add to is unknown or there twice", d.Field)
		}
		if d.N < 0 {
			return fmt.Errorf("field %q: cannot add %d", d.Field, d.N)
		}
		seen |= 1 << i
	}
	for i, d := range u.Max {
		if _, ok := registerIndex(d.Field); !ok || !visitors {
			return fmt.Errorf("field %q to raise is unknown", d.Field)
		}
		if d.N < 0 || d.N > math.MaxUint8 {
			return fmt.Errorf("field %q: cannot raise it to %d, a register is 0 to 255", d.Field, d.N)
		}
		if i > 0 && d.Field == u.Max[i-1].Field {
			return fmt.Errorf("field %q to raise is there twice", d.Field)
		}
	}
	return nil
}

// checkKey accepts the keys that ParseID gives back from their _id.
func checkKey(k counters.Key) error {
	if err := checkCollection(k.Collection); err != nil {
		return err
	}
	if k.Base == "" || strings.ContainsAny(k.Base, "/|") {
		return errors.New(`base is empty or contains "/" or "|"`)
	}
	for _, s := range [...]string{k.Base, k.Path, k.Name, k.Value} {
		if !storable(s) {
			return fmt.Errorf("%q is not UTF-8 or contains a zero byte", s)
		}
	}
	switch k.Collection.Kind {
	case counters.Pages, counters.Sections:
		if !strings.HasPrefix(k.Path, "/") || k.Depth < 0 || k.Depth > counters.MaxDepth {
			return fmt.Errorf("path %q does not begin with a slash, or depth %d is out of range", k.Path, k.Depth)
		}
	case counters.Attrs:
		if k.Name == "" || strings.Contains(k.Name, "|") {
			return fmt.Errorf(`attribute's name %q is empty or contains "|"`, k.Name)
		}
	default:
		if k.Day < 1 || k.Day > k.Collection.Month.Days() {
			return fmt.Errorf("month %s has no day %d", k.Collection.Month, k.Day)
		}
	}
	return nil
}

func checkCollection(c counters.Collection) error {
	if c.Month.Year < 1 || c.Month.Year > 9999 || c.Month.Month < 1 || c.Month.Month > 12 || c.Kind > counters.Visitors {
		return fmt.Errorf("year %d, month %d, kind %d is not a collection", c.Month.Year, c.Month.Month, c.Kind)
	}
	return nil
}
