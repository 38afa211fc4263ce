package journal

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// round is one group of goroutines that wait for the same sync, on one channel and one timer: a timer for each waiter was
// a tenth of what a synced hit costs (bench/RESULTS.md, 2026-11-21).
type round struct {
	upTo  Position      // what it covers, once it runs
	timer *time.Timer   // ends it if the sync hangs; nil before the first waiter. Guarded by the journal's mutex
	once  sync.Once     // for end
	done  chan struct{} // closed by end
	err   error         // why the waiters did not get what they waited for; read once done is closed
}

func newRound() *round { return &round{done: make(chan struct{})} }

// end lets the waiters go. Only the first call has an effect.
func (r *round) end(err error) {
	r.once.Do(func() {
		r.err = err
		close(r.done)
	})
}

func (r *round) ended() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// stain is what a round finds not synced in one segment.
type stain struct {
	s      *Segment
	end    int64
	sealed bool
}

// WaitSynced returns nil when the record at p is on disk, or was released. All that wait at the same time share one
// sync. If the sync fails, the record must be taken for lost in a power cut, and the error says so; it is still read
// and counted if the process lives. It returns ErrOverdue if a sync, or the wait until it can begin, takes longer than
// Options.SyncTimeout, and ErrClosed if Close came before.
func (j *Journal) WaitSynced(p Position) error {
	r, err := j.join(p)
	if r == nil {
		return err
	}
	<-r.done
	if r.err != nil || j.failures.Load() == 0 {
		return r.err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	_, err = j.isSynced(p)
	return err
}

// join returns the round that will sync p, or nil with the answer if that is known.
func (j *Journal) join(p Position) (*round, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if known, err := j.isSynced(p); known {
		return nil, err
	}
	if r := j.thisRound; r != nil && (p.segment < r.upTo.segment || p.segment == r.upTo.segment && p.end <= r.upTo.end) {
		return j.await(r), nil
	}
	if j.nextRound == nil {
		return nil, fmt.Errorf("journal %s: %w", j.opts.Dir, ErrClosed)
	}
	if j.nextRound.ended() { // the one before it hangs
		j.nextRound = newRound()
	}
	wake(j.wantSync)
	return j.await(j.nextRound), nil
}

// await gives a round that has somebody waiting its timer. The caller holds mu.
func (j *Journal) await(r *round) *round {
	if r.timer == nil {
		r.timer = time.AfterFunc(j.opts.SyncTimeout, func() {
			r.end(fmt.Errorf("journal %s: %w: it takes more than %v; check the disk", j.opts.Dir, ErrOverdue, j.opts.SyncTimeout))
		})
	}
	return r
}

// isSynced says whether the fate of p is known, and if it is bad, why. The caller holds mu.
func (j *Journal) isSynced(p Position) (known bool, err error) {
	s := j.open
	if s == nil || s.number != p.segment {
		s = nil
		for i := len(j.waiting) - 1; i >= 0 && j.waiting[i].number >= p.segment; i-- {
			s = j.waiting[i]
		}
	}
	switch {
	case s == nil || s.number != p.segment: // released: safe elsewhere
		return true, nil
	case p.end <= s.synced:
		return true, nil
	case s.failed != nil:
		return true, s.failed
	}
	return false, nil
}

// syncLoop runs a round whenever somebody waits or SyncEvery is over, and a last one when the journal closes.
func (j *Journal) syncLoop() {
	tick := time.NewTicker(j.opts.SyncEvery)
	defer tick.Stop()
	for {
		select {
		case <-j.quit:
			j.syncRound(nil)
			return
		case <-j.wantSync:
		case <-tick.C:
		}
		j.syncRound(newRound())
	}
}

// syncRound syncs all that stands in the journal now. Who comes later is for the following round.
func (j *Journal) syncRound(following *round) {
	r, stains := j.beginRound(following)
	for _, st := range stains {
		j.syncSegment(st)
	}
	j.mu.Lock()
	j.thisRound = nil
	if r.timer != nil {
		r.timer.Stop()
	}
	park := len(j.waiting) > keptMapped
	j.mu.Unlock()
	r.end(nil)
	if park {
		wake(j.wantSpare)
	}
}

func (j *Journal) beginRound(following *round) (*round, []stain) {
	j.mu.Lock()
	defer j.mu.Unlock()
	r := j.nextRound
	if r.ended() { // it waited too long for the one before it; who comes now waits anew
		r = newRound()
	}
	if r.timer != nil {
		r.timer.Reset(j.opts.SyncTimeout) // the wait is over, the sync begins
	}
	j.thisRound, j.nextRound = r, following
	var stains []stain
	if s := j.open; s != nil {
		r.upTo = Position{segment: s.number, end: s.end}
		stains = s.addStain(stains)
	} else if n := len(j.waiting); n > 0 {
		r.upTo = Position{segment: j.waiting[n-1].number, end: j.waiting[n-1].end}
	}
	for _, s := range slices.Backward(j.waiting) {
		if s.failed == nil && !s.dirty() {
			break // segments are synced in order: those before are clean too
		}
		stains = s.addStain(stains)
	}
	slices.Reverse(stains)
	return r, stains
}

func (s *Segment) addStain(list []stain) []stain {
	if !s.dirty() {
		return list
	}
	return append(list, stain{s: s, end: s.end, sealed: s.sealed})
}

// syncSegment syncs one file and notes it. A released file needs no sync.
func (j *Journal) syncSegment(st stain) {
	s := st.s
	s.mapping.Lock()
	defer s.mapping.Unlock()
	if s.file == nil {
		return
	}
	if err := s.file.sync(); err != nil {
		j.distrust(s, fmt.Errorf("sync journal segment %s: %w; check the disk", s.path, err))
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	s.synced = max(s.synced, st.end)
	s.sealSynced = s.sealSynced || st.sealed
}

// distrust gives up a segment whose sync failed. The kernel reports such an error once and takes the pages for clean
// afterwards (https://lwn.net/Articles/752063), so a second sync that succeeds would prove nothing. The records stay
// readable in memory. The spare has to prove itself anew, because it may lie on the same broken disk.
func (j *Journal) distrust(s *Segment, err error) {
	j.mu.Lock()
	s.fail(err)
	if s == j.open {
		j.sealOpen()
	}
	if j.spare != nil {
		j.pool = append(j.pool, j.spare)
		j.spare = nil
	}
	j.mu.Unlock()
	wake(j.wantSpare)
	j.opts.OnTrouble(err)
}

// lastSyncError is the first error that was noted for a segment that is still here; for Close, after the last round.
func (j *Journal) lastSyncError() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, s := range j.waiting {
		if s.failed != nil {
			return s.failed
		}
	}
	return nil
}
