package mongostore

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"precount/internal/counters"
)

// Names within a document.
const (
	fieldID    = "_id"
	fieldTotal = string(counters.Total)
	fieldDays  = "days"
	fieldHours = "hours"
	fieldR     = "r"
	fieldW     = "w"
)

// digits holds the keys of days, hours and registers: "0", "1", …
var digits = func() (all [counters.Registers]string) {
	for i := range all {
		all[i] = strconv.Itoa(i)
	}
	return all
}()

// series returns the name of the sub-document with the counters of a kind, and the first and last key in it.
func series(c counters.Collection) (name string, first, last int) {
	if c.Kind == counters.Hours {
		return fieldHours, 0, 23
	}
	return fieldDays, 1, c.Month.Days()
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
	number, ok := strings.CutPrefix(string(f), prefix)
	if !ok {
		return 0, false
	}
	return natural(number, high)
}

// natural reads 0 to high; strconv alone would accept "+1" and "01".
func natural(s string, high int) (int, bool) {
	if s == "" || s[0] < '0' || s[0] > '9' || s[0] == '0' && len(s) > 1 {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && n <= high
}

// storable reports whether every tool reads s as it was written: field names end at a zero byte, and MongoDB's shell and
// drivers refuse what is not UTF-8 (the server does not).
func storable(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }
