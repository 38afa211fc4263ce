package mongostore

import (
	"strconv"

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
