package counters

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// What follows checks values before an engine touches its files or its server: an error is a mistake in a program, not
// something that passes when it is tried again.

// Check returns an error if the batch cannot be applied by any engine: a collector or token that cannot be stored, or an
// update with an impossible key, field or number. That no document has two updates is not checked here.
func (b Batch) Check() error {
	if b.Collector == "" || !Storable(b.Collector) || strings.ContainsAny(b.Collector, ".$") {
		return fmt.Errorf(`batch has no valid collector: %q; it must not be empty or contain "." or "$"`, b.Collector)
	}
	if b.Token < 1 || b.Token > math.MaxInt64 {
		return fmt.Errorf("batch of collector %q: token %d is not in 1 to 2^63-1", b.Collector, b.Token)
	}
	for i := range b.Updates {
		if err := b.Updates[i].check(); err != nil {
			key := b.Updates[i].Key
			return fmt.Errorf("batch of collector %q, token %d: %s %q: %w", b.Collector, b.Token, key.Collection.Kind, key.Base, err)
		}
	}
	return nil
}

func (u *Update) check() error {
	if err := u.Key.Check(); err != nil {
		return err
	}
	var seen uint32
	for _, d := range u.Inc {
		i, ok := u.Key.Collection.CounterIndex(d.Field)
		if !ok || seen&(1<<i) != 0 {
			return fmt.Errorf("field %q to add to is unknown or there twice", d.Field)
		}
		if d.N < 0 {
			return fmt.Errorf("field %q: cannot add %d", d.Field, d.N)
		}
		seen |= 1 << i
	}
	for _, d := range u.Max {
		if _, ok := RegisterIndex(d.Field); !ok || u.Key.Collection.Kind != Visitors {
			return fmt.Errorf("field %q to raise is unknown", d.Field)
		}
		if d.N < 0 || d.N > math.MaxUint8 {
			return fmt.Errorf("field %q: cannot raise it to %d, a register is 0 to 255", d.Field, d.N)
		}
	}
	return nil
}

// CheckKeys accepts keys that are sound and all of collection c.
func (c Collection) CheckKeys(keys []Key) error {
	if err := c.Check(); err != nil {
		return err
	}
	for i := range keys {
		if err := keys[i].Check(); err != nil {
			return fmt.Errorf("%s: %w", c, err)
		}
		if keys[i].Collection != c {
			return fmt.Errorf("%s: a key is of %s", c, keys[i].Collection)
		}
	}
	return nil
}

// CheckDocuments accepts documents that can stand in collection c.
func (c Collection) CheckDocuments(docs []Document) error {
	if err := c.Check(); err != nil {
		return err
	}
	for i := range docs {
		if err := docs[i].Check(c); err != nil {
			return fmt.Errorf("%s: %w", c, err)
		}
	}
	return nil
}

// Check accepts the keys that ParseID gives back from their _id.
func (k Key) Check() error {
	if err := k.Collection.Check(); err != nil {
		return err
	}
	if k.Base == "" || strings.ContainsAny(k.Base, "/|") {
		return errors.New(`base is empty or contains "/" or "|"`)
	}
	for _, s := range [...]string{k.Base, k.Path, k.Name, k.Value} {
		if !Storable(s) {
			return fmt.Errorf("%q is not UTF-8 or contains a zero byte", s)
		}
	}
	switch k.Collection.Kind {
	case Pages, Sections:
		if !strings.HasPrefix(k.Path, "/") || k.Depth < 0 || k.Depth > MaxDepth {
			return fmt.Errorf("path %q does not begin with a slash, or depth %d is out of range", k.Path, k.Depth)
		}
	case Attrs:
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

// Check returns an error if the document could not stand in the collection: another one's key, or counts or registers that
// are not those of its kind.
func (doc *Document) Check(c Collection) error {
	if doc.Key.Collection != c {
		return fmt.Errorf("a document is of %s", doc.Key.Collection)
	}
	if err := doc.Key.Check(); err != nil {
		return err
	}
	if c.Kind == Visitors {
		if len(doc.Registers) != Registers || doc.Counts != nil || doc.Total != 0 {
			return fmt.Errorf("%q: want %d registers and no counts", doc.Key.ID(), Registers)
		}
		return nil
	}
	if len(doc.Counts) != len(c.Counters())-1 || doc.Registers != nil {
		return fmt.Errorf("%q: %d counts, want %d", doc.Key.ID(), len(doc.Counts), len(c.Counters())-1)
	}
	if doc.Total < 0 || slices.Min(doc.Counts) < 0 {
		return fmt.Errorf("%q: a count is less than nothing", doc.Key.ID())
	}
	return nil
}

// Check returns an error if there is no such month or kind.
func (c Collection) Check() error {
	if c.Month.Year < 1 || c.Month.Year > 9999 || c.Month.Month < 1 || c.Month.Month > 12 || c.Kind > Visitors {
		return fmt.Errorf("year %d, month %d, kind %d is not a collection", c.Month.Year, c.Month.Month, c.Kind)
	}
	return nil
}

// Compare sorts collections by time, then by kind.
func (c Collection) Compare(o Collection) int {
	return cmp.Or(cmp.Compare(c.Month.Year, o.Month.Year), cmp.Compare(c.Month.Month, o.Month.Month), cmp.Compare(c.Kind, o.Kind))
}

// Check returns an error if the month has no such days, or the kind no days that could be added up.
func (s Span) Check(kind Kind) error {
	c := Collection{s.Month, kind}
	if err := c.Check(); err != nil {
		return err
	}
	if kind == Visitors {
		return fmt.Errorf("%s: registers are not counts, they cannot be added up", c)
	}
	if s.From < 1 || s.To < s.From || s.To > s.Month.Days() {
		return fmt.Errorf("%s: days %d to %d are not a span of this month", c, s.From, s.To)
	}
	return nil
}

// MaxTop is the largest Limit of a TopQuery.
const MaxTop = 100_000

// Check returns an error if the query makes no sense.
func (q TopQuery) Check() error {
	if q.Kind == Hours {
		return fmt.Errorf("%s have no days to rank by", q.Kind)
	}
	if q.Limit < 0 || q.Limit > MaxTop {
		return fmt.Errorf("limit %d is not in 0 to %d", q.Limit, MaxTop)
	}
	seen := make(map[Month]bool)
	for _, span := range q.Spans {
		if err := span.Check(q.Kind); err != nil {
			return err
		}
		if seen[span.Month] {
			return fmt.Errorf("month %s is asked for twice", span.Month)
		}
		seen[span.Month] = true
	}
	return nil
}

// CounterIndex returns the place of a field in Counters.
func (c Collection) CounterIndex(f Field) (int, bool) {
	switch {
	case c.Kind == Visitors:
		return 0, false
	case f == Total:
		return 0, true
	case c.Kind == Hours:
		n, ok := numbered(f, "hours.", 23)
		return n + 1, ok
	default:
		n, ok := numbered(f, "days.", 31)
		return n, ok && n >= 1 && (n <= 28 || n <= c.Month.Days())
	}
}

// RegisterIndex returns the number of a register's field.
func RegisterIndex(f Field) (int, bool) { return numbered(f, "r.", Registers-1) }

// numbered reads the number after prefix, 0 to high.
func numbered(f Field, prefix string, high int) (int, bool) {
	number, ok := strings.CutPrefix(string(f), prefix)
	if !ok {
		return 0, false
	}
	return natural(number, high)
}

// natural reads 0 to high as this package writes it; strconv alone would accept "+1" and "01".
func natural(s string, high int) (int, bool) {
	if s == "" || s[0] < '0' || s[0] > '9' || s[0] == '0' && len(s) > 1 {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && n <= high
}

// Storable reports whether every tool reads s as it was written: SQLite's shell ends a text at a zero byte, as MongoDB's
// field names do, and MongoDB's shell and drivers refuse what is not UTF-8.
func Storable(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }
