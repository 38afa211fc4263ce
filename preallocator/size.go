package preallocator

import (
	"strings"

	"precount/internal/counters"
)

// BSONSize returns the bytes of a key's template as a BSON document (bsonspec.org, version 1.1), without the tokens in w:
// what MongoDB holds before its storage engine compresses it.
func BSONSize(key counters.Key) int {
	text := func(name, value string) int { return 1 + len(name) + 1 + 4 + len(value) + 1 }
	const number, document = 1 + 1 + 8, 1 + 1 + 5 // beside their names
	size := 5 + text("_id", key.ID())
	for _, v := range key.Identity() {
		if s, ok := v.V.(string); ok {
			size += text(string(v.Field), s)
		} else {
			size += number + len(v.Field)
		}
	}
	inside := ""
	for _, field := range key.Collection.Counters() {
		group, name, grouped := strings.Cut(string(field), ".")
		if !grouped {
			name = group
		} else if group != inside {
			inside = group
			size += document + len(group)
		}
		size += number + len(name)
	}
	return size
}

// RowSize returns the bytes of a key's template as a row of the embedded store: a zero takes one byte, the type in the
// row's header (sqlite.org/fileformat2.html, section 2.1).
func RowSize(key counters.Key) int {
	size := 6 + 2 + len(key.ID()) // cell and header lengths, type and text of _id
	for _, v := range key.Identity() {
		if s, ok := v.V.(string); ok {
			size += 2 + len(s)
		} else {
			size += 2
		}
	}
	return size + len(key.Collection.Counters())
}
