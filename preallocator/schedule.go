package preallocator

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"precount/internal/counters"
	"precount/internal/sites"
)

// ErrMonth says that a month cannot be prepared.
var ErrMonth = errors.New("cannot prepare this month")

// CheckMonth returns ErrMonth if the month is over everywhere on earth, or more than MaxAhead months away everywhere.
func CheckMonth(m counters.Month, now time.Time) error {
	earliest := counters.MonthOf(now.UTC().Add(-12 * time.Hour)) // Baker Island
	latest := counters.MonthOf(now.UTC().Add(14 * time.Hour))    // Kiritimati
	if m.Before(earliest) {
		return fmt.Errorf("%w: %s is over; its documents are as they are", ErrMonth, m)
	}
	if latest.Add(MaxAhead).Before(m) {
		return fmt.Errorf("%w: %s is more than %d months ahead", ErrMonth, m, MaxAhead)
	}
	return nil
}

// steps is how many times Run looks at a site in the last days of its month. With each step more of the next month is
// there; the last steps find all of it there, and add what became busy meanwhile.
const (
	steps     = 24
	lastSteps = 3
)

// stepAt returns how many steps of the time from start to end have begun, 0 to steps.
func stepAt(now, start, end time.Time) int {
	if now.Before(start) {
		return 0
	}
	return min(1+int(now.Sub(start)*steps/end.Sub(start)), steps)
}

// shareAt returns which share of a month is to be there after a step.
func shareAt(step int) float64 { return min(1, float64(step)/(steps-lastSteps)) }

// window returns when the last days before a month begin and end in a site's time zone.
func window(next counters.Month, loc *time.Location, days int) (start, end time.Time) {
	end = next.Start(loc)
	return time.Date(next.Year, next.Month, 1-days, 0, 0, 0, 0, loc), end
}

// A task is what one site needs now.
type task struct {
	site  *sites.Site
	month counters.Month
	step  int // 0: the running month, at once
}

func (t task) share() float64 {
	if t.step == 0 {
		return 1
	}
	return shareAt(t.step)
}

// A memory is what Run did, by site; it spares the store questions, and may be lost. It holds an entry per registered site.
type memory map[string]remembered

type remembered struct {
	running counters.Month // was found prepared
	next    counters.Month
	step    int // of next; done
}

func newMemory() memory { return memory{} }

// tasks returns what is to be done now, and forgets sites that are not registered any more.
func (m memory) tasks(d *sites.Directory, now time.Time, days int) (tasks []task) {
	for base := range m {
		if d.ByBase([]byte(base)) == nil {
			delete(m, base)
		}
	}
	for _, s := range d.All() {
		running, done := s.Local(now).Month, m[s.Base]
		if done.running != running {
			tasks = append(tasks, task{s, running, 0})
		}
		next := running.Add(1)
		start, end := window(next, s.Location(), days)
		step := stepAt(now, start, end)
		if step > 0 && (done.next != next || done.step != step) {
			tasks = append(tasks, task{s, next, step})
		}
	}
	return tasks
}

func (m memory) done(t task) {
	r := m[t.site.Base]
	if t.step == 0 {
		r.running = t.month
	} else {
		r.next, r.step = t.month, t.step
	}
	m[t.site.Base] = r
}

// group puts tasks with the same month and step together, the running month first.
func group(tasks []task) [][]task {
	slices.SortStableFunc(tasks, func(x, y task) int {
		return cmp.Or(cmp.Compare(x.month.Year, y.month.Year), cmp.Compare(x.month.Month, y.month.Month), cmp.Compare(x.step, y.step))
	})
	return slices.Collect(chunkBy(tasks, func(x, y task) bool { return x.month == y.month && x.step == y.step }))
}
