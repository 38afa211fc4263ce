package retention

import (
	"fmt"
	"slices"
	"time"

	"precount/internal/counters"
)

// westernmost is where days end last on earth. It stands for the zones of an installation that has no site any more.
var westernmost = time.FixedZone("UTC-12", -12*60*60)

// running returns the month that runs where it runs longest: in the westernmost of the zones.
func running(now time.Time, zones []*time.Location) counters.Month {
	if len(zones) == 0 {
		zones = []*time.Location{westernmost}
	}
	first := counters.MonthOf(now.In(zones[0]))
	for _, zone := range zones[1:] {
		if m := counters.MonthOf(now.In(zone)); m.Before(first) {
			first = m
		}
	}
	return first
}

// expired returns the months among the collections that are past their time, oldest first: keep counts the running month,
// so that neither it nor a coming one is ever among them.
func expired(all []counters.Collection, running counters.Month, keep int) []counters.Month {
	first := running.Add(1 - keep) // the oldest that is kept
	var months []counters.Month
	for _, c := range all {
		if c.Month.Before(first) && !slices.Contains(months, c.Month) {
			months = append(months, c.Month)
		}
	}
	slices.SortFunc(months, compareMonths)
	return months
}

func compareMonths(a, b counters.Month) int {
	switch {
	case a.Before(b):
		return -1
	case b.Before(a):
		return 1
	}
	return 0
}

// maxKeep is 100 years: beyond, the number is a typing error.
const maxKeep = 1200

// CheckKeep returns an error unless keep is a number of months that can be kept.
func CheckKeep(keep int) error {
	if keep < 1 || keep > maxKeep {
		return fmt.Errorf("keep %d months: want 1 to %d; the running month is one of them and always stays", keep, maxKeep)
	}
	return nil
}
