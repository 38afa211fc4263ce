package reporter

import (
	"strconv"
	"strings"
	"time"

	"precount/internal/counters"
)

// parsePeriod reads one word of a range. A length ends with the day last.
func parsePeriod(word string, today, last Date) (Range, bool) {
	switch word {
	case "today":
		return Range{today, today}, true
	case "yesterday":
		return Range{today.add(-1), today.add(-1)}, true
	}
	if n, ok := cutLength(word, "mo"); ok {
		return months(n, last)
	}
	if n, ok := cutLength(word, "d"); ok {
		return named(last.add(1-n), last)
	}
	if m, err := counters.ParseMonth(word); err == nil {
		return Range{Date{m, 1}, Date{m, m.Days()}}, true
	}
	t, err := time.Parse(time.DateOnly, word)
	if err != nil {
		return Range{}, false
	}
	return named(dateOf(t), dateOf(t))
}

// months returns the month of last, up to last, and the n-1 months before it.
func months(n int, last Date) (Range, bool) {
	return named(Date{last.Month.Add(1 - n), 1}, last)
}

// named returns the range if it lies in the years that the store has names for.
func named(from, to Date) (Range, bool) {
	return Range{from, to}, from.Month.Year >= 1 && to.Month.Year <= 9999
}

// cutLength reads "7d" or "12mo": a number from 1 to 9999 and its unit.
func cutLength(word, unit string) (n int, ok bool) {
	number, ok := strings.CutSuffix(word, unit)
	if !ok || len(number) == 0 || len(number) > 4 || number[0] < '1' || number[0] > '9' {
		return 0, false
	}
	n, err := strconv.Atoi(number)
	return n, err == nil
}
