package journal

import "fmt"

// maxWaiting bounds the sealed segments that Seal makes while the reader is away: from there on the open one grows.
const maxWaiting = 1024

// Position is the place of a record: where it ends.
type Position struct {
	segment uint64
	end     int64
}

// Token is the number of the segment that holds the record.
func (p Position) Token() uint64 { return p.segment }

// Append copies a record of 1 to 65,536 bytes into the open segment. It makes no system call and does not allocate
// unless the segment is full and no spare is ready. When it returns nil, the record survives the death of the process;
// WaitSynced says when it survives a power cut. The caller may reuse record.
//
// Errors: ErrEmpty, ErrTooLarge, ErrClosed, ErrFull, or a failing disk. The record is not in the journal then.
func (j *Journal) Append(record []byte) (Position, error) {
	if err := j.checkLength(len(record)); err != nil {
		return Position{}, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	s, err := j.roomFor(recordSize(len(record)))
	if err != nil {
		return Position{}, err
	}
	if err := s.append(record); err != nil {
		s.fail(err)
		j.sealOpen()
		return Position{}, err
	}
	j.appended++
	return Position{segment: s.number, end: s.end}, nil
}

func (j *Journal) checkLength(n int) error {
	switch {
	case n == 0:
		return ErrEmpty
	case n > j.limit:
		return fmt.Errorf("%w: %d bytes, at most %d fit", ErrTooLarge, n, j.limit)
	}
	return nil
}

// roomFor returns an open segment with size bytes to spare. It waits for the preparer as long as that has hope. The
// caller holds mu.
func (j *Journal) roomFor(size int64) (*Segment, error) {
	for {
		switch {
		case j.closing:
			return nil, fmt.Errorf("journal %s: %w", j.opts.Dir, ErrClosed)
		case j.open != nil && j.open.room() >= size:
			return j.open, nil
		case j.spare != nil:
			j.rotate()
		case j.refusal != nil && j.refused == j.rooms:
			return nil, j.refusal
		default:
			j.changed.Wait()
		}
	}
}

// rotate seals the open segment, if there is one, and opens the spare. The caller holds mu.
func (j *Journal) rotate() {
	if j.open != nil {
		j.sealOpen()
	}
	j.open, j.spare = j.spare, nil
	j.tail = j.open.number
	wake(j.wantSpare)
}

// sealOpen moves the open segment to those waiting. The caller holds mu.
func (j *Journal) sealOpen() {
	j.open.seal()
	j.waiting = append(j.waiting, j.open)
	j.open = nil
	wake(j.wantSpare) // to park what piles up
}

// Seal closes the open segment so that it can be read, and reports whether it did. It does not if the segment is
// empty, or if 1,024 segments wait already. Seal only when nothing waits: during an outage of the reader's target a
// segment had better grow.
func (j *Journal) Seal() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closing || j.open == nil || j.open.count == 0 || len(j.waiting) >= maxWaiting {
		return false
	}
	j.sealOpen()
	return true
}
