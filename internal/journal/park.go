package journal

import (
	"errors"
	"fmt"
	"os"
)

// keptMapped is how many waiting segments stay mapped: the one that is read and the next. What piles up behind them
// while the reader is away takes neither memory nor more disk than its records need.
const keptMapped = 2

// park unmaps the waiting segments from the given place in the queue on, as far as they are synced and nobody reads
// them, and cuts their files to what is used.
func (j *Journal) park(from int) {
	for _, s := range j.parkable(from) {
		if err := j.parkOne(s); err != nil {
			j.opts.OnTrouble(fmt.Errorf("cut journal segment %s: %w; it keeps its full size until it is released", s.path, err))
		}
	}
}

func (j *Journal) parkable(from int) []*Segment {
	j.mu.Lock()
	defer j.mu.Unlock()
	var list []*Segment
	for i := from; i < len(j.waiting); i++ {
		if s := j.waiting[i]; s.mayPark() {
			list = append(list, s)
		}
	}
	return list
}

// mayPark leaves alone what failed: its records may stand in memory only. The caller holds the journal's mutex.
func (s *Segment) mayPark() bool {
	return !s.parked && !s.gone && s.failed == nil && s.reading == 0 && !s.dirty()
}

func (j *Journal) parkOne(s *Segment) error {
	s.mapping.Lock()
	defer s.mapping.Unlock()
	j.mu.Lock()
	ok := s.mayPark()
	j.mu.Unlock()
	if !ok {
		return nil
	}
	// Who wants to read from here on waits in load for the mapping's lock, and maps the file again.
	size, err := s.trim()
	j.mu.Lock()
	defer j.mu.Unlock()
	s.parked = true
	s.size = size
	return err
}

// trim cuts the file behind its records, closes it, and returns its new size. The caller holds mapping.
func (s *Segment) trim() (size int64, err error) {
	page := int64(os.Getpagesize())
	size = s.size
	if used := (s.end + endMark + page - 1) &^ (page - 1); used < size {
		if err = s.file.shrink(used); err == nil {
			size = used
		}
	}
	err = errors.Join(err, s.file.close())
	s.file = nil
	return size, err
}
