package journal

import (
	"fmt"
	"os"
	"path/filepath"
)

// admit queues a segment that a former process left. A seal is believed until the segment is read, so a long queue
// does not delay the start; what was not sealed is walked through and sealed now, and never appended to again.
func (j *Journal) admit(c candidate) error {
	j.noteGap(c)
	s := &Segment{j: j, number: c.number, path: c.path, key: newKey(c.header), size: c.size, sealed: true, parked: true}
	e, sealed, sealErr := parseSeal(c.head, s.key)
	if sealed {
		s.end, s.count = e.end, e.count
	} else if err := s.salvage(sealErr); err != nil {
		return fmt.Errorf("recover journal segment %s: %w; check the disk", s.path, err)
	}
	s.synced, s.sealSynced = s.end, true
	j.waiting = append(j.waiting, s)
	j.appended += s.count
	return nil
}

// noteGap reports that the segment which came before c is not here, though an older one is.
func (j *Journal) noteGap(c candidate) {
	n := len(j.waiting)
	if n == 0 || c.header.previous <= j.waiting[n-1].number {
		return
	}
	path := j.path(c.header.previous, segExt)
	aside, _ := filepath.Glob(filepath.Join(j.opts.Dir, damagedDir, filepath.Base(path)+"*")) // the pattern is sound
	if len(aside) == 0 {
		j.opts.OnDamage(&CorruptionError{Segment: c.header.previous, Path: path, Err: errMissing})
	}
}

// salvage finds the end of a segment that was not sealed, and seals it there. sealErr says that its seal is unreadable.
func (s *Segment) salvage(sealErr error) error {
	f, err := s.j.disk.open(s.path)
	if err != nil {
		return err
	}
	s.file = f
	w := newWalker(f.bytes(), s.key, s.size)
	for w.next() != nil {
	}
	s.end, s.count = w.end, w.count
	if sealErr != nil {
		w.bad, w.damage = sealAt, sealErr
	}
	s.blame(w)
	s.seal()
	err = f.sync()
	if err == nil && s.failed != nil {
		err = s.failed
	}
	if err != nil {
		s.fail(err)
		s.parked = false // the end may be known in memory only: keep it there
		s.j.tell(err)
		return nil
	}
	if s.damage != nil { // keep the evidence whole
		s.file = nil
		return f.close()
	}
	s.size, err = s.trim()
	s.j.tell(err)
	return nil
}

// blame notes the damage that a walk found, and reports it the first time.
func (s *Segment) blame(w *walker) {
	if w.damage == nil {
		return
	}
	s.j.mu.Lock()
	first := s.damage == nil
	if first {
		s.damage = &CorruptionError{Segment: s.number, Path: s.path, Offset: w.bad, Err: w.damage}
	}
	s.j.mu.Unlock()
	if first {
		s.j.opts.OnDamage(s.damage)
	}
}

// dropEmpty removes the empty segments at the end of the queue: the open one and the spare of a former process. The
// highest number stays on disk. Empty ones further ahead stay, so that they do not look missing.
func (j *Journal) dropEmpty() error {
	for n := len(j.waiting); n > 0; n-- {
		s := j.waiting[n-1]
		if s.count > 0 || s.damage != nil || s.failed != nil {
			break
		}
		free := j.path(s.number, freeExt)
		if err := os.Rename(s.path, free); err != nil {
			return fmt.Errorf("free empty journal segment: %w; check that directory", err)
		}
		j.tell(j.keep(s.number, free, nil))
		j.waiting = j.waiting[:n-1]
	}
	return nil
}
