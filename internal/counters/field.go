package counters

import "strconv"

// A Field is the dotted path of one value in a document: "total", "days.20", "hours.5", "r.17". The constructors return
// the same strings again and again; they do not allocate.
type Field string

// Total is the sum of the other counters of its document.
const Total Field = "total"

var (
	dayFields      = fields("days.", 1, 31)
	hourFields     = fields("hours.", 0, 23)
	registerFields = fields("r.", 0, Registers-1)
)

// Day returns the counter of day n, 1 to 31.
func Day(n int) Field { return dayFields[n-1] }

// Hour returns the counter of hour n, 0 to 23.
func Hour(n int) Field { return hourFields[n] }

// Register returns HyperLogLog register n, 0 to Registers-1.
func Register(n int) Field { return registerFields[n] }

// A Value is one field that is set when a document is inserted and never changes: V is a string, or an int64 for "day"
// and "depth".
type Value struct {
	Field Field
	V     any
}

// Identity returns the fields beside _id that say what the document counts, in the order in which they stand in it.
func (k Key) Identity() []Value {
	values := []Value{{"base", k.Base}}
	switch k.Collection.Kind {
	case Pages:
		return append(values, Value{"path", k.Path})
	case Sections:
		return append(values, Value{"depth", int64(k.Depth)}, Value{"path", k.Path})
	case Attrs:
		return append(values, Value{"n", k.Name}, Value{"v", k.Value})
	default:
		return append(values, Value{"day", int64(k.Day)})
	}
}

// Counters returns the fields that a new document holds as zeros, in their order: total, then a counter for every day of
// the month or every hour of the day. Registers are sparse, so Visitors has none. The result is shared: do not write to
// it.
func (c Collection) Counters() []Field {
	switch c.Kind {
	case Visitors:
		return nil
	case Hours:
		return hourTemplate
	default:
		return dayTemplates[c.Month.Days()-28]
	}
}

var (
	hourTemplate = append([]Field{Total}, hourFields...)
	dayTemplates = [4][]Field{dayTemplate(28), dayTemplate(29), dayTemplate(30), dayTemplate(31)}
)

func dayTemplate(days int) []Field { return append([]Field{Total}, dayFields[:days]...) }

func fields(prefix string, from, to int) []Field {
	all := make([]Field, 0, to-from+1)
	for n := from; n <= to; n++ {
		all = append(all, Field(prefix+strconv.Itoa(n)))
	}
	return all
}
