package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
	"sync"
)

// Segment is one file of the journal: a run of records under one number. Those that a caller sees are sealed.
type Segment struct {
	j      *Journal
	number uint64
	path   string
	key    key

	// Guarded by the journal's mutex; end and count do not change any more once sealed.
	end        int64  // behind the last record
	count      uint64 // records appended or promised by the seal
	lost       uint64 // of them, not found when they were read
	size       int64  // bytes on disk
	synced     int64  // end of what is known to be on disk
	sealed     bool
	sealSynced bool
	failed     error // a fault or a failed fsync; nothing is appended or synced any more
	reading    int
	parked     bool // sealed, synced, cut to its length and not mapped
	gone       bool // released, or about to be
	damage     *CorruptionError

	// mapping is held while the file is synced, opened, closed, cut or renamed. It is taken before the journal's mutex.
	// Appending needs only the journal's mutex, reading only that reading is not zero: both keep the file open.
	mapping sync.Mutex
	file    file // nil while parked
}

// Token is the segment's number: 1 or more, strictly increasing, never given out twice in this journal's life.
func (s *Segment) Token() uint64 { return s.number }

// Records is how many records Each will deliver if the segment is sound. It may be zero.
func (s *Segment) Records() uint64 {
	s.j.mu.Lock()
	defer s.j.mu.Unlock()
	return s.count - s.lost
}

// Damage is what Open or a complete Each found wrong with the segment, or nil.
func (s *Segment) Damage() *CorruptionError {
	s.j.mu.Lock()
	defer s.j.mu.Unlock()
	return s.damage
}

// Each calls fn with every sound record, in the order of Append. The record is valid until fn returns. It may be called
// again and delivers the same records. It stops with fn's error, and fails if the file cannot be opened for a reason
// that may pass. Damage is no error: see Damage and Options.OnDamage. Release waits for no Each; fn must not release
// the segment nor close the journal.
func (s *Segment) Each(fn func(record []byte) error) error {
	if err := s.j.beginReading(s); err != nil {
		return err
	}
	defer s.j.endReading(s)
	data, err := s.load()
	if err != nil {
		return fmt.Errorf("read journal segment %s: %w", s.path, err)
	}
	w := newWalker(data, s.key, s.end)
	for record := w.next(); record != nil; record = w.next() {
		if err := fn(record); err != nil {
			return err
		}
	}
	w.promise(seal{end: s.end, count: s.count})
	s.j.settle(s, w)
	return nil
}

// load maps a parked file again. A file that is not there any more has no bytes: that is damage, not an error.
func (s *Segment) load() ([]byte, error) {
	s.mapping.Lock()
	defer s.mapping.Unlock()
	if s.file != nil {
		return s.file.bytes(), nil
	}
	f, err := s.j.disk.open(s.path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errShort) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s.file = f
	s.j.mu.Lock()
	s.parked = false
	s.j.mu.Unlock()
	return f.bytes(), nil
}

func (s *Segment) room() int64 { return s.size - s.end - endMark }

// append adds a record that fits. On error the record is not in the segment. The caller holds the journal's mutex.
func (s *Segment) append(record []byte) error {
	next := s.end + recordSize(len(record))
	if err := s.store(next, record); err != nil {
		return fmt.Errorf("append to journal segment %s: %w; it takes no more, the next record goes to a new one", s.path, err)
	}
	s.end = next
	s.count++
	return nil
}

func (s *Segment) store(next int64, record []byte) (err error) {
	defer catchFault(debug.SetPanicOnFault(true), &err)
	s.key.put(s.file.bytes()[s.end:next+endMark], record)
	return s.file.flush(s.end, next+endMark)
}

// seal writes down how many records there are. The caller holds the journal's mutex.
func (s *Segment) seal() {
	s.sealed = true
	if err := s.writeSeal(); err != nil {
		s.fail(err)
	}
}

// fail notes the first reason not to trust the segment. The caller holds the journal's mutex.
func (s *Segment) fail(err error) {
	s.j.failures.Add(1)
	if s.failed == nil {
		s.failed = err
	}
}

func (s *Segment) writeSeal() (err error) {
	defer catchFault(debug.SetPanicOnFault(true), &err)
	seal{end: s.end, count: s.count}.put(s.file.bytes(), s.key)
	return s.file.flush(sealAt, sealAt+sealSize)
}

// dirty says whether there is something to sync. The caller holds the journal's mutex.
func (s *Segment) dirty() bool {
	return s.failed == nil && !s.gone && (s.end > s.synced || s.sealed && !s.sealSynced)
}
