package reporter

import (
	"iter"
	"time"

	"precount/internal/counters"
)

// MaxDays is the length of the longest range, 20 years: 240 months, each a query of its own.
const MaxDays = 20 * 366

// defaultLength is the range when none is given.
const defaultLength = "30d"

// A Range is a run of days, both ends included.
type Range struct{ From, To Date }

// ParseRange reads the range that a person asks for, in the calendar of loc at the instant now. Each of from and to is a
// day (2026-11-20, today, yesterday), a month (2026-11: from its first day, to its last) or, counted back from the last
// day of the range, a length (7d, 12mo). An empty to is today, an empty from makes 30 days. Errors are a *Refusal.
func ParseRange(from, to string, now time.Time, loc *time.Location) (Range, error) {
	today := dateOf(now.In(loc))
	if to == "" {
		to = "today"
	}
	if from == "" {
		from = defaultLength
	}
	end, ok := parsePeriod(to, today, today)
	if !ok {
		return Range{}, refuseDate("to", to)
	}
	begin, ok := parsePeriod(from, today, end.To)
	if !ok {
		return Range{}, refuseDate("from", from)
	}
	r := Range{begin.From, end.To}
	if r.To.Before(r.From) {
		return Range{}, refuse(BadRange, "from %s is after to %s (today is %s)", r.From, r.To, today)
	}
	if r.Days() > MaxDays {
		return Range{}, refuse(BadRange, "from %s to %s is longer than 20 years: ask for a shorter range", r.From, r.To)
	}
	return r, nil
}

func refuseDate(name, value string) *Refusal {
	return refuse(BadRange, "%s=%.40q: want a day (2026-11-20, today, yesterday), a month (2026-11) "+
		"or a length (7d, 30d, 12mo)", name, value)
}

// Days returns the number of days in r.
func (r Range) Days() int { return r.index(r.To) + 1 }

// index returns how many days after r.From d is.
func (r Range) index(d Date) int {
	return int(d.midnight().Sub(r.From.midnight()) / (24 * time.Hour))
}

// Spans returns r cut into months, in their order.
func (r Range) Spans() []counters.Span {
	var spans []counters.Span
	for m := r.From.Month; !r.To.Month.Before(m); m = m.Add(1) {
		span := counters.Span{Month: m, From: 1, To: m.Days()}
		if m == r.From.Month {
			span.From = r.From.Day
		}
		if m == r.To.Month {
			span.To = r.To.Day
		}
		spans = append(spans, span)
	}
	return spans
}

// All yields the days of r with their index.
func (r Range) All() iter.Seq2[int, Date] {
	return func(yield func(int, Date) bool) {
		i := 0
		for _, span := range r.Spans() {
			for day := span.From; day <= span.To; day++ {
				if !yield(i, Date{span.Month, day}) {
					return
				}
				i++
			}
		}
	}
}
