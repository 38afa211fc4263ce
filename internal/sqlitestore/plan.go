package sqlitestore

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

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
	if b.Collector == "" || !storable(b.Collector) {
		return nil, fmt.Errorf("batch has no valid collector: %q", b.Collector)
	}
	if b.Token < 1 || b.Token > math.MaxInt64 {
		return nil, fmt.Errorf("batch of collector %q: token %d is not in 1 to 2^63-1", b.Collector, b.Token)
	}
	steps := make([]step, len(b.Updates))
	for i := range b.Updates {
		u := &b.Updates[i]
		fields, err := checkUpdate(u)
		if err != nil {
			return nil, fmt.Errorf("batch of collector %q, token %d: %s %q: %w",
				b.Collector, b.Token, u.Key.Collection.Kind, u.Key.Base, err)
		}
		steps[i] = step{update: u, id: u.Key.ID(), shape: shape{u.Key.Collection, fields}}
	}
	slices.SortFunc(steps, func(a, b step) int {
		if a.shape.collection != b.shape.collection {
			return compareCollections(a.shape.collection, b.shape.collection)
		}
		return strings.Compare(a.id, b.id)
	})
	return steps, nil
}

func compareCollections(a, b counters.Collection) int {
	return cmp.Or(cmp.Compare(a.Month.Year, b.Month.Year), cmp.Compare(a.Month.Month, b.Month.Month),
		cmp.Compare(a.Kind, b.Kind))
}

func checkUpdate(u *counters.Update) (fieldSet, error) {
	if err := checkKey(u.Key); err != nil {
		return 0, err
	}
	visitors := u.Key.Collection.Kind == counters.Visitors
	var fields fieldSet
	for _, d := range u.Inc {
		i, ok := counterIndex(u.Key.Collection, d.Field)
		if !ok || fields.has(i) {
			return 0, fmt.Errorf("field %q to add to is unknown or there twice", d.Field)
		}
		if d.N < 0 {
			return 0, fmt.Errorf("field %q: cannot add %d", d.Field, d.N)
		}
		fields |= 1 << i
	}
	for _, d := range u.Max {
		if _, ok := registerIndex(d.Field); !ok || !visitors {
			return 0, fmt.Errorf("field %q to raise is unknown", d.Field)
		}
		if d.N < 0 || d.N > math.MaxUint8 {
			return 0, fmt.Errorf("field %q: cannot raise it to %d, a register is 0 to 255", d.Field, d.N)
		}
	}
	return fields, nil
}

// counterIndex returns the place of a field in Collection.Counters.
func counterIndex(c counters.Collection, f counters.Field) (int, bool) {
	switch {
	case c.Kind == counters.Visitors:
		return 0, false
	case f == counters.Total:
		return 0, true
	case c.Kind == counters.Hours:
		n, ok := numbered(f, "hours.", 23)
		return n + 1, ok
	default:
		n, ok := numbered(f, "days.", 31)
		return n, ok && n >= 1 && (n <= 28 || n <= c.Month.Days())
	}
}

func registerIndex(f counters.Field) (int, bool) { return numbered(f, "r.", counters.Registers-1) }

// numbered reads the number after prefix, 0 to high, written as counters writes it: without sign or leading zeros.
func numbered(f counters.Field, prefix string, high int) (int, bool) {
	digits, ok := strings.CutPrefix(string(f), prefix)
	if !ok || digits == "" || digits[0] < '0' || digits[0] > '9' || digits[0] == '0' && len(digits) > 1 {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil && n <= high
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

// storable reports whether every tool reads s as it was written: SQLite's shell and functions end a text at a zero byte.
func storable(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }
