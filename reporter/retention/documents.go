package retention

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	"precount/internal/counters"
)

// appendDocument appends a document as one line, without the line's end: MongoDB extended JSON v2, canonical, so that its
// numbers are 64-bit integers again wherever it is imported. Fields come in the order in which they stand in the document
// (DESIGN, section 2); registers that were never set are left out, as in the document.
//
// https://www.mongodb.com/docs/manual/reference/mongodb-extended-json/
func appendDocument(dst []byte, doc *counters.Document) []byte {
	dst = appendString(append(dst, `{"_id":`...), doc.Key.ID())
	for _, v := range doc.Key.Identity() {
		dst = append(appendString(append(dst, ','), string(v.Field)), ':')
		if text, ok := v.V.(string); ok {
			dst = appendString(dst, text)
		} else {
			dst = appendLong(dst, v.V.(int64))
		}
	}
	if doc.Key.Collection.Kind == counters.Visitors {
		return append(appendRegisters(append(dst, `,"r":{`...), doc.Registers), "}}"...)
	}
	dst = appendLong(append(dst, `,"total":`...), doc.Total)
	name, first := "days", 1
	if doc.Key.Collection.Kind == counters.Hours {
		name, first = "hours", 0
	}
	dst = append(appendString(append(dst, ','), name), ":{"...)
	for i, n := range doc.Counts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendNumbered(dst, first+i, n)
	}
	return append(dst, "}}"...)
}

func appendRegisters(dst, registers []byte) []byte {
	some := false
	for i, n := range registers {
		if n == 0 {
			continue
		}
		if some {
			dst = append(dst, ',')
		}
		dst, some = appendNumbered(dst, i, int64(n)), true
	}
	return dst
}

func appendNumbered(dst []byte, i int, n int64) []byte {
	dst = strconv.AppendInt(append(dst, '"'), int64(i), 10)
	return appendLong(append(dst, `":`...), n)
}

func appendLong(dst []byte, n int64) []byte {
	dst = strconv.AppendInt(append(dst, `{"$numberLong":"`...), n, 10)
	return append(dst, `"}`...)
}

// appendString appends s in quotes. Only what JSON demands is escaped, so that each text has one spelling.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < 0x20:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

const hexDigits = "0123456789abcdef"

// long is a number of extended JSON.
type long struct {
	N string `json:"$numberLong"`
}

// parseDocument reads a line that appendDocument wrote, and no other: what it makes of the line must give the very same line
// again, so that a field too many, twice or in another place is an error.
func parseDocument(c counters.Collection, line []byte) (doc counters.Document, err error) {
	if !utf8.Valid(line) {
		return doc, fmt.Errorf("%s: a line is not UTF-8", c.Name())
	}
	var fields struct {
		ID    string          `json:"_id"`
		Total long            `json:"total"`
		Days  map[string]long `json:"days"`
		Hours map[string]long `json:"hours"`
		R     map[string]long `json:"r"`
	}
	if err := json.Unmarshal(line, &fields); err != nil {
		return doc, fmt.Errorf("%s: a line is no document: %w", c.Name(), err)
	}
	if doc.Key, err = counters.ParseID(c, fields.ID); err != nil {
		return doc, err
	}
	switch c.Kind {
	case counters.Visitors:
		doc.Registers, err = parseRegisters(fields.R)
	case counters.Hours:
		doc.Counts, err = parseCounts(fields.Hours, 0, 24)
	default:
		doc.Counts, err = parseCounts(fields.Days, 1, c.Month.Days())
	}
	if err == nil && c.Kind != counters.Visitors {
		doc.Total, err = parseLong(fields.Total)
	}
	if err == nil && !bytes.Equal(appendDocument(nil, &doc), line) {
		err = fmt.Errorf("it is not spelled as this program spells it")
	}
	if err != nil {
		return counters.Document{}, fmt.Errorf("%s: document %.200q: %w", c.Name(), fields.ID, err)
	}
	return doc, nil
}

func parseLong(l long) (int64, error) {
	n, err := strconv.ParseInt(l.N, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%.30q is not a count", l.N)
	}
	return n, nil
}

func parseCounts(fields map[string]long, first, n int) (counts []int64, err error) {
	counts = make([]int64, n)
	for i := range counts {
		if counts[i], err = parseLong(fields[strconv.Itoa(first+i)]); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

func parseRegisters(fields map[string]long) ([]byte, error) {
	registers := make([]byte, counters.Registers)
	for name, value := range fields {
		i, err := strconv.Atoi(name)
		if err != nil || i < 0 || i >= counters.Registers {
			return nil, fmt.Errorf("%.30q is not a register", name)
		}
		n, err := parseLong(value)
		if err != nil || n > 255 {
			return nil, fmt.Errorf("register %d is %.30q", i, value.N)
		}
		registers[i] = byte(n)
	}
	return registers, nil
}
