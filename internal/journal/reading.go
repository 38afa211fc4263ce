package journal

import "fmt"

// beginReading keeps the segment's file from being unmapped.
func (j *Journal) beginReading(s *Segment) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.closing:
		return fmt.Errorf("read journal segment %s: %w", s.path, ErrClosed)
	case s.gone:
		return fmt.Errorf("read journal segment %s: %w: it was released", s.path, ErrNotOldest)
	}
	s.reading++
	j.reading++
	return nil
}

func (j *Journal) endReading(s *Segment) {
	j.mu.Lock()
	defer j.mu.Unlock()
	s.reading--
	j.reading--
	j.changed.Broadcast() // Close may wait
}

// settle enters into the books what a complete walk found.
func (j *Journal) settle(s *Segment, w *walker) {
	j.mu.Lock()
	if w.count > s.count { // cannot be, as a seal has a checksum; but the books must balance whatever the disk says
		j.appended += w.count - s.count
		s.count = w.count
	}
	lost := s.count - w.count
	j.lost += lost - s.lost
	s.lost = lost
	j.mu.Unlock()
	s.blame(w)
}
