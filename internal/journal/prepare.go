package journal

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"time"
)

const (
	segExt  = ".seg"
	freeExt = ".free"
	// retryEvery is how often a refusal is looked into again if nothing was released meanwhile.
	retryEvery = time.Second
)

// prepareLoop keeps a spare at hand and parks what piles up. It alone makes segments once Open returned.
func (j *Journal) prepareLoop() {
	retry := time.NewTimer(retryEvery)
	defer retry.Stop()
	for {
		select {
		case <-j.quit:
			return
		case <-j.wantSpare:
		case <-retry.C:
		}
		j.park(keptMapped)
		if err := j.prepare(); err != nil {
			retry.Reset(retryEvery)
		}
	}
}

// prepare makes the spare if there is none, tells the appenders that wait, and reports when an outage begins or ends.
func (j *Journal) prepare() error {
	j.mu.Lock()
	room := j.rooms
	j.mu.Unlock()
	err := j.makeSpare()
	j.mu.Lock()
	if j.closing { // nothing was tried, so this is not the end of an outage
		j.mu.Unlock()
		return nil
	}
	before := j.refusal
	j.refusal, j.refused = err, room
	j.changed.Broadcast()
	j.mu.Unlock()
	if (before == nil) != (err == nil) {
		j.opts.OnTrouble(err)
	}
	if err == nil {
		j.dropKeeper()
	}
	return err
}

func (j *Journal) makeSpare() error {
	failures := j.failures.Load()
	h, base, err := j.reserveNumber()
	if errors.Is(err, ErrFull) {
		j.park(0) // sealed segments with little in them need not hold what they reserved
		h, base, err = j.reserveNumber()
	}
	if err != nil || h.number == 0 {
		return err
	}
	s, err := j.build(h, base)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.building = 0
	if err != nil {
		return j.explain(h.number, err)
	}
	j.newest = s.number
	if failures != j.failures.Load() { // the disk failed meanwhile: the file has to prove itself again
		j.pool = append(j.pool, s)
		wake(j.wantSpare)
		return nil
	}
	j.spare = s
	return nil
}

// reserveNumber takes the next number and a file to recycle, if there is one. A number of zero means that no spare is
// needed. A number is used up even if building fails: it may stand on the disk.
func (j *Journal) reserveNumber() (header, *Segment, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.spare != nil || j.closing {
		return header{}, nil, nil
	}
	var base *Segment
	if n := len(j.pool); n > 0 {
		base, j.pool = j.pool[n-1], j.pool[:n-1]
		j.building = base.size
	} else if used := j.bytes(); used+j.opts.SegmentBytes > j.opts.MaxBytes {
		return header{}, nil, fmt.Errorf("%w: %s holds %d of %d bytes; bring back what empties it, or raise the limit",
			ErrFull, j.opts.Dir, used, j.opts.MaxBytes)
	} else {
		j.building = j.opts.SegmentBytes
	}
	h := header{number: j.next, previous: j.tail, salt: rand.Uint64(), id: j.id}
	j.next++
	return h, base, nil
}

// build makes an empty segment whose number and size are durable. base is overwritten, or nil.
func (j *Journal) build(h header, base *Segment) (*Segment, error) {
	s := &Segment{j: j, number: h.number, path: j.path(h.number, segExt), key: newKey(h), end: dataAt, synced: dataAt,
		size: j.opts.SegmentBytes}
	free := j.path(h.number, freeExt)
	if base == nil {
		f, err := j.disk.create(free, s.size)
		if err != nil {
			return nil, err
		}
		s.file = f
	} else {
		if err := os.Rename(base.path, free); err != nil {
			return nil, errors.Join(err, j.keep(base.number, base.path, base.file))
		}
		s.file = base.file
	}
	if err := s.begin(h, free); err != nil {
		return nil, errors.Join(err, gone(os.Rename(s.path, free)), j.keep(s.number, free, s.file))
	}
	return s, nil
}

// begin writes the header and makes it durable before the file gets its name: a number must not be given out again
// because a power cut took the file that had it.
func (s *Segment) begin(h header, free string) error {
	if err := s.writeHeader(h); err != nil {
		return err
	}
	if err := s.file.sync(); err != nil {
		return err
	}
	if err := os.Rename(free, s.path); err != nil {
		return err
	}
	return syncDir(s.j.opts.Dir)
}

func (s *Segment) writeHeader(h header) (err error) {
	defer catchFault(debug.SetPanicOnFault(true), &err)
	h.put(s.file.bytes())
	return s.file.flush(0, dataAt+endMark)
}

// explain says which segment could not be made and what to do about it.
func (j *Journal) explain(number uint64, err error) error {
	if diskFull(err) {
		return fmt.Errorf("prepare journal segment %s: %w: %w; make room on that disk", j.path(number, segExt), ErrFull, err)
	}
	return fmt.Errorf("prepare journal segment %s: %w; check the disk", j.path(number, segExt), err)
}
