package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// Journal is an open journal directory. Its methods may be called from any goroutine.
type Journal struct {
	opts  Options
	disk  disk
	id    string
	lock  *os.File // holds the directory's lock until Close
	limit int      // longest record that fits

	quit      chan struct{}  // closed by Close
	tasks     sync.WaitGroup // the two goroutines
	wantSync  chan struct{}  // wakes the syncer; holds one token
	wantSpare chan struct{}  // wakes the preparer; holds one token
	closed    chan struct{}  // closed when Close is done
	failures  atomic.Int64   // how many segments failed; if none did, waiters need not ask which

	mu      sync.Mutex // guards all below, and what Segment says is guarded by it
	changed sync.Cond  // on mu: a spare came or cannot be had, a reader left, Close began
	closing bool
	open    *Segment   // takes appends; nil if there is none at the moment
	spare   *Segment   // prepared, empty, durable under its final number; nil if not ready
	waiting []*Segment // sealed and not released, in order of their numbers
	pool    []*Segment // released files of full size, still mapped, to be recycled; two at the most
	keeper  keeper     // keeps the highest number while no segment does

	found    uint64 // highest number that was found by Open
	next     uint64 // number that the next segment gets
	newest   uint64 // highest number that is durably on disk
	tail     uint64 // number of the newest segment that was ever opened for appends
	building int64  // bytes of the file that the preparer is making
	refusal  error  // why no spare could be had, or nil
	rooms    uint64 // how often a release made room
	refused  uint64 // rooms when the refusal came about; it holds only while that is the same
	reading  int    // how many Each are running

	thisRound *round // being synced; nil if none
	nextRound *round // collects waiters; nil after the last

	appended, recovered, released, lost uint64
	damaged                             int // files in damaged/
}

// Open takes the directory's lock, recovers what a former process left, and starts the journal's goroutines, which
// Close ends. It fails with ErrLocked if another process has the directory. Damage is never fatal: it is reported to
// Options.OnDamage and kept aside. Neither is a full disk: then the journal refuses appends until there is room.
func Open(o Options) (*Journal, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := makeDir(o.Dir); err != nil {
		return nil, fmt.Errorf("create journal directory %s: %w", o.Dir, err)
	}
	lock, err := takeLock(o.Dir)
	if err != nil {
		return nil, err
	}
	j := newJournal(o, lock)
	if err := j.start(); err != nil {
		return nil, errors.Join(err, j.unmap(), lock.Close())
	}
	return j, nil
}

func newJournal(o Options, lock *os.File) *Journal {
	j := &Journal{
		opts:      o,
		disk:      o.disk,
		lock:      lock,
		limit:     int(min(maxRecord, o.SegmentBytes-dataAt-recordHead-endMark)),
		quit:      make(chan struct{}),
		closed:    make(chan struct{}),
		wantSync:  make(chan struct{}, 1),
		wantSpare: make(chan struct{}, 1),
		nextRound: newRound(),
	}
	j.changed.L = &j.mu
	return j
}

// start recovers, prepares the first segment and sets the goroutines going.
func (j *Journal) start() error {
	if err := j.recover(); err != nil {
		return err
	}
	if err := j.prepare(); err != nil && !errors.Is(err, ErrFull) {
		return err
	}
	j.tasks.Go(j.syncLoop)
	j.tasks.Go(j.prepareLoop)
	return nil
}

// ID is the journal's random name: 16 characters, lower-case letters and digits, a letter first. It never changes.
func (j *Journal) ID() string { return j.id }

// Found is the highest segment number that Open found, 0 in a new journal. If the reader remembers a higher one, the
// directory is an older copy of itself, and numbers would be given out twice.
func (j *Journal) Found() uint64 { return j.found }

// Close seals and syncs what was appended, ends the goroutines and gives up the lock. It waits for a running Each, and
// must not be called from inside one. When it returns, no goroutine of the journal runs, and all records that were
// not released are found again by the next Open. Its error is that of the last sync. Further calls do nothing.
func (j *Journal) Close() error {
	if !j.beginClose() {
		<-j.closed
		return nil
	}
	// The goroutines end before the files do: both work on mappings. The syncer's last round serves those who wait.
	close(j.quit)
	j.tasks.Wait()
	defer close(j.closed)
	return errors.Join(j.lastSyncError(), j.unmap(), j.lock.Close())
}

// beginClose stops appends, waits for readers and reports whether it was the first.
func (j *Journal) beginClose() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closing {
		return false
	}
	j.closing = true
	if j.open != nil && j.open.count > 0 {
		j.sealOpen()
	}
	j.changed.Broadcast()
	for j.reading > 0 {
		j.changed.Wait()
	}
	return true
}

// unmap closes all files.
func (j *Journal) unmap() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	var errs []error
	for _, s := range j.onDisk() {
		if s.file != nil {
			errs = append(errs, s.file.close())
			s.file = nil
		}
	}
	return errors.Join(errs...)
}

// onDisk lists every segment whose file counts against the cap. The caller holds mu.
func (j *Journal) onDisk() []*Segment {
	all := make([]*Segment, 0, len(j.waiting)+4)
	all = append(all, j.waiting...)
	all = append(all, j.pool...)
	for _, s := range []*Segment{j.open, j.spare} {
		if s != nil {
			all = append(all, s)
		}
	}
	return all
}

// path is the name of a segment's file; ext is segExt or freeExt.
func (j *Journal) path(number uint64, ext string) string {
	return filepath.Join(j.opts.Dir, fmt.Sprintf("%016x%s", number, ext))
}

// wake leaves a token for the goroutine behind c; one is enough.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
