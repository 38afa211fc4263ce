package counters

import (
	"fmt"
	"strconv"
	"strings"
)

// MaxDepth is the depth of the deepest section counted: "/a/b/c/d/" has depth 4, "/" has depth 0.
const MaxDepth = 4

// Registers is the number of HyperLogLog registers of a visitors document: 2^11, standard error 1.04/sqrt(2^11) = 2.3 %
// (Flajolet et al., "HyperLogLog", 2007).
const Registers = 1 << 11

// A Key names one document. Which of its fields count depends on the collection's kind, the others stay zero, so that
// keys of the same document are equal with ==.
type Key struct {
	Collection Collection
	Base       string // the site's host name reversed: "org.mongodb"
	Path       string // Pages, Sections
	Depth      int    // Sections: 0 to MaxDepth
	Day        int    // Hours, Visitors: 1 to 31
	Name       string // Attrs: "browser"
	Value      string // Attrs: "Firefox"
}

// PageKey names the document of one page; path begins with "/".
func PageKey(m Month, base, path string) Key {
	return Key{Collection: Collection{m, Pages}, Base: base, Path: path}
}

// HoursKey names the document of one day of a site.
func HoursKey(m Month, base string, day int) Key {
	return Key{Collection: Collection{m, Hours}, Base: base, Day: day}
}

// SectionKey names the document of an ancestor of pages; path begins and ends with "/".
func SectionKey(m Month, base string, depth int, path string) Key {
	return Key{Collection: Collection{m, Sections}, Base: base, Depth: depth, Path: path}
}

// AttrKey names the document of one value of an attribute.
func AttrKey(m Month, base, name, value string) Key {
	return Key{Collection: Collection{m, Attrs}, Base: base, Name: name, Value: value}
}

// VisitorsKey names the registers of one day of a site.
func VisitorsKey(m Month, base string, day int) Key {
	return Key{Collection: Collection{m, Visitors}, Base: base, Day: day}
}

// ID returns the document's _id. A base holds neither "/" nor "|", so ids of different keys differ.
func (k Key) ID() string {
	switch k.Collection.Kind {
	case Pages:
		return k.Base + k.Path
	case Sections:
		return k.Base + "|" + strconv.Itoa(k.Depth) + "|" + k.Path
	case Attrs:
		return k.Base + "|" + k.Name + "|" + k.Value
	default:
		return k.Base + "|" + twoDigits(k.Day)
	}
}

// ParseID is the inverse of Key.ID.
func ParseID(c Collection, id string) (Key, error) {
	k := Key{Collection: c}
	var ok bool
	switch c.Kind {
	case Pages:
		slash := strings.IndexByte(id, '/')
		if slash > 0 {
			k.Base, k.Path, ok = id[:slash], id[slash:], true
		}
	case Sections:
		var depth string
		k.Base, depth, k.Path, ok = cut3(id)
		k.Depth, ok = digits(depth, 0, MaxDepth, ok && strings.HasPrefix(k.Path, "/"))
	case Attrs:
		k.Base, k.Name, k.Value, ok = cut3(id)
	default:
		var day string
		k.Base, day, ok = strings.Cut(id, "|")
		k.Day, ok = digits(day, 1, 31, ok && len(day) == 2)
	}
	if !ok || k.Base == "" {
		return Key{}, fmt.Errorf("%s: %q is not an _id of this collection", c, id)
	}
	return k, nil
}

// IDPrefix returns what the _ids of all documents of a site begin with, and no others: the prefix of "org.mongodb" does
// not match "org.mongodbx" or "org.mongodb.docs".
func IDPrefix(kind Kind, base string) string {
	if kind == Pages {
		return base + "/"
	}
	return base + "|"
}

// PrefixEnd returns the smallest string that is greater than every string beginning with prefix, or "" if there is
// none: the range of a prefix is [prefix, PrefixEnd(prefix)).
func PrefixEnd(prefix string) string {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xff {
			return prefix[:i] + string([]byte{prefix[i] + 1})
		}
	}
	return ""
}

func cut3(s string) (a, b, c string, ok bool) {
	a, rest, ok1 := strings.Cut(s, "|")
	b, c, ok2 := strings.Cut(rest, "|")
	return a, b, c, ok1 && ok2
}

func digits(s string, low, high int, ok bool) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, ok && err == nil && n >= low && n <= high && s[0] != '+' && s[0] != '-'
}

func twoDigits(n int) string { return string([]byte{byte('0' + n/10%10), byte('0' + n%10)}) }
