package storetest

import (
	"fmt"
	"time"

	"precount/internal/counters"
)

var (
	nov26 = counters.Month{Year: 2026, Month: time.November}
	dec26 = counters.Month{Year: 2026, Month: time.December}
	jan27 = counters.Month{Year: 2027, Month: time.January}
	feb27 = counters.Month{Year: 2027, Month: time.February}
	feb28 = counters.Month{Year: 2028, Month: time.February} // leap
)

const base = "org.mongodb"

// views is what n views on a day (or in an hour, for Hours) do to a document.
func views(k counters.Key, day int, n int64) counters.Update {
	field := counters.Field("")
	if k.Collection.Kind == counters.Hours {
		field = counters.Hour(day)
	} else {
		field = counters.Day(day)
	}
	return counters.Update{Key: k, Inc: []counters.Delta{{Field: counters.Total, N: n}, {Field: field, N: n}}}
}

// raise is what a visitor does to the registers.
func raise(k counters.Key, register int, n int64) counters.Update {
	return counters.Update{Key: k, Max: []counters.Delta{{Field: counters.Register(register), N: n}}}
}

func batch(collector string, token uint64, updates ...counters.Update) counters.Batch {
	return counters.Batch{Collector: collector, Token: token, Updates: updates}
}

// everyKind returns updates of one document of each kind in the month.
func everyKind(m counters.Month) []counters.Update {
	return []counters.Update{
		views(counters.PageKey(m, base, "/docs/"), m.Days(), 3),
		views(counters.HoursKey(m, base, m.Days()), 23, 3),
		views(counters.SectionKey(m, base, 1, "/docs/"), 1, 3),
		views(counters.AttrKey(m, base, "browser", "Firefox"), m.Days(), 3),
		raise(counters.VisitorsKey(m, base, m.Days()), counters.Registers-1, 53),
	}
}

// pages returns one view for each of n pages, on days that differ.
func pages(m counters.Month, n int) []counters.Update {
	updates := make([]counters.Update, n)
	for i := range updates {
		updates[i] = views(counters.PageKey(m, base, fmt.Sprintf("/page/%d", i)), 1+i%m.Days(), int64(1+i%7))
	}
	return updates
}

func keysOf(updates []counters.Update) []counters.Key {
	keys := make([]counters.Key, len(updates))
	for i, u := range updates {
		keys[i] = u.Key
	}
	return keys
}

func collection(m counters.Month, kind counters.Kind) counters.Collection {
	return counters.Collection{Month: m, Kind: kind}
}
