package counters

import (
	"fmt"
	"strings"
	"time"
)

// A Kind is one of the collections that every month has.
type Kind uint8

// The kinds, and the prefix of their collections' names.
const (
	Pages    Kind = iota // "sites": one document per page
	Hours                // "hours": one per site and day
	Sections             // "sections": one per ancestor of a page
	Attrs                // "attrs": one per attribute value
	Visitors             // "visitors": one per site and day, HyperLogLog registers
)

var kindNames = [...]string{"sites", "hours", "sections", "attrs", "visitors"}

// Kinds returns all kinds, in the order of their declaration.
func Kinds() []Kind { return []Kind{Pages, Hours, Sections, Attrs, Visitors} }

// String returns the prefix of the kind's collection names; that of Pages is "sites", as in the book.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// A Collection is the documents of one kind in one month. Collections compare with == and can be map keys.
type Collection struct {
	Month Month
	Kind  Kind
}

// Database returns the database that the collection stands in: "stats-2026".
func (c Collection) Database() string { return c.Month.Database() }

// Name returns the collection's name within its database: "sites-nov".
func (c Collection) Name() string { return c.Kind.String() + "-" + monthNames[c.Month.Month-1] }

// String returns database and name: "stats-2026.sites-nov".
func (c Collection) String() string { return c.Database() + "." + c.Name() }

// ParseCollection is the inverse of Database and Name; ok is false for a name that is not one of ours.
func ParseCollection(database, name string) (c Collection, ok bool) {
	year, ok := ParseDatabase(database)
	if !ok {
		return Collection{}, false
	}
	kind, month, found := strings.Cut(name, "-")
	if !found {
		return Collection{}, false
	}
	for k, kindName := range kindNames {
		for m, monthName := range monthNames {
			if kind == kindName && month == monthName {
				return Collection{Month{year, time.Month(m + 1)}, Kind(k)}, true
			}
		}
	}
	return Collection{}, false
}
