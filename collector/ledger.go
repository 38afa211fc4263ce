package collector

import (
	"fmt"
	"sync"
	"sync/atomic"

	"precount/internal/journal"
)

// A tallySheet counts what came in and what became of it. A hit holds mu for reading from its arrival to its verdict, so
// that who holds it for writing sees no hit half-way.
type tallySheet struct {
	mu       sync.RWMutex
	received atomic.Uint64
	verdicts [verdicts]atomic.Uint64 // Counted stays 0: the journal counts those
}

// A Ledger is what became of all hits, at one moment. It includes the hits that an earlier process left in the journal, as
// received and journaled.
type Ledger struct {
	Received  uint64
	Verdicts  [verdicts]uint64 // by verdict; Counted is unused
	Journaled uint64           // written to the journal
	Counted   uint64           // in the store
	Lost      uint64           // journaled, but damaged on disk before they were counted, or late
	Late      uint64           // of Lost: their month was put away before they could be counted
	Pending   uint64           // in the journal, not yet in the store
	Recovered uint64           // of Journaled: found in the journal at the start
}

// settle waits until every hit that came in before the call has its verdict.
func (s *tallySheet) settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
}

// snapshot reads the sheet and the journal at one moment.
func (s *tallySheet) snapshot(j *journal.Journal, late *atomic.Uint64) Ledger {
	s.mu.Lock()
	defer s.mu.Unlock()
	missed := late.Load() // before the journal, which counts them as released a moment earlier
	stats := j.Stats()
	l := Ledger{
		Received:  s.received.Load() + stats.Recovered,
		Journaled: stats.Appended,
		Counted:   stats.Released - missed,
		Lost:      stats.Lost + missed,
		Late:      missed,
		Pending:   stats.Pending,
		Recovered: stats.Recovered,
	}
	for v := range s.verdicts {
		l.Verdicts[v] = s.verdicts[v].Load()
	}
	return l
}

// Ignored returns how many hits were not counted on purpose.
func (l Ledger) Ignored() uint64 { return l.sum(Verdict.Ignored) }

// Refused returns how many hits were not counted because something was wrong.
func (l Ledger) Refused() uint64 { return l.sum(Verdict.Refused) }

func (l Ledger) sum(of func(Verdict) bool) (n uint64) {
	for v, count := range l.Verdicts {
		if of(Verdict(v)) {
			n += count
		}
	}
	return n
}

// Check returns an error if the ledger does not balance: received = journaled + ignored + refused, and journaled =
// counted + lost + pending. Each side is counted in a place of its own.
func (l Ledger) Check() error {
	if known := l.Journaled + l.Ignored() + l.Refused(); l.Received != known {
		return fmt.Errorf("%d hits received, but %d journaled, %d ignored and %d refused make %d",
			l.Received, l.Journaled, l.Ignored(), l.Refused(), known)
	}
	if known := l.Counted + l.Lost + l.Pending; l.Journaled != known {
		return fmt.Errorf("%d hits journaled, but %d counted, %d lost and %d pending make %d",
			l.Journaled, l.Counted, l.Lost, l.Pending, known)
	}
	return nil
}
