package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

// Oldest returns the oldest sealed segment that was not released. Until it is released, it is the same one.
func (j *Journal) Oldest() (*Segment, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.waiting) == 0 {
		return nil, false
	}
	return j.waiting[0], true
}

// Release gives up the oldest segment: its records are safe elsewhere. The file is recycled or removed, or put aside
// if it is damaged. Segments are released in their order (ErrNotOldest). If the file cannot be moved, the error says
// so, and Release may be tried again. After a power cut the segment may be there again, with the same token.
func (j *Journal) Release(s *Segment) error {
	if err := j.beginRelease(s); err != nil {
		return fmt.Errorf("release journal segment %s: %w", s.path, err)
	}
	err := j.retire(s)
	j.endRelease(s, err == nil)
	if err != nil {
		return fmt.Errorf("release journal segment %s: %w; check that directory", s.path, err)
	}
	return nil
}

func (j *Journal) beginRelease(s *Segment) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.closing:
		return ErrClosed
	case len(j.waiting) == 0 || j.waiting[0] != s || s.gone:
		return ErrNotOldest
	case s.reading > 0:
		return ErrReading
	}
	s.gone = true
	j.reading++ // Close waits
	return nil
}

func (j *Journal) endRelease(s *Segment, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.reading--
	j.changed.Broadcast()
	if !ok {
		s.gone = false
		return
	}
	j.waiting[0] = nil
	j.waiting = j.waiting[1:]
	j.released += s.count - s.lost
	j.rooms++ // appenders wait for the next try instead of being refused
	wake(j.wantSpare)
}

// retire takes the file away from under its name, so that the next Open does not deliver it again. It waits for a
// running sync of the file.
func (j *Journal) retire(s *Segment) error {
	s.mapping.Lock()
	defer s.mapping.Unlock()
	j.mu.Lock()
	newest := s.number >= j.newest
	recycle := s.file != nil && s.failed == nil && s.damage == nil && s.size == j.opts.SegmentBytes && len(j.pool) == 0
	aside := s.damage != nil
	j.mu.Unlock()
	f, err := s.file, error(nil)
	switch {
	case recycle:
		if err = j.recycle(s); err == nil {
			return nil
		}
	case aside:
		err = j.putAside(s.number, s.path)
	case newest:
		free := j.path(s.number, freeExt)
		if err = os.Rename(s.path, free); err == nil {
			s.file = nil
			j.tell(j.keep(s.number, free, f))
			return nil
		}
	default:
		err = os.Remove(s.path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		j.tell(j.leaveRemoved(s.path))
	} else if err != nil {
		return err
	}
	s.file = nil
	if f != nil {
		j.tell(f.close())
	}
	return nil
}

// leaveRemoved goes on after somebody removed the file at path, and perhaps others, under the journal. What stands in them is
// still read from memory, but what came to them from now on would die with the process: it goes to other files.
func (j *Journal) leaveRemoved(path string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	errs := []error{fmt.Errorf("%s was removed by somebody else; its records are counted, the next ones go to other files", path)}
	leave := func(s *Segment) bool {
		if s == nil || s.isThere() {
			return false
		}
		errs = append(errs, s.file.close())
		return true
	}
	if s := j.open; s != nil && s.count > 0 && !s.isThere() {
		j.sealOpen()
	} else if leave(s) {
		j.open = nil
	}
	if leave(j.spare) {
		j.spare = nil
	}
	j.pool = slices.DeleteFunc(j.pool, leave)
	wake(j.wantSpare)
	return errors.Join(errs...)
}

func (s *Segment) isThere() bool {
	_, err := os.Lstat(s.path)
	return !errors.Is(err, fs.ErrNotExist)
}

func (j *Journal) recycle(s *Segment) error {
	free := j.path(s.number, freeExt)
	if err := os.Rename(s.path, free); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.pool = append(j.pool, &Segment{j: j, number: s.number, path: free, size: s.size, file: s.file})
	s.file = nil
	return nil
}

// tell reports an error after which the journal goes on.
func (j *Journal) tell(err error) {
	if err != nil {
		j.opts.OnTrouble(fmt.Errorf("journal %s goes on after: %w", j.opts.Dir, err))
	}
}
