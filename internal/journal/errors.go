package journal

import (
	"errors"
	"fmt"
	"path/filepath"
)

// Errors of the journal's methods. They come wrapped: the text names the file and says what to do.
var (
	// ErrFull says that the byte cap is reached or the disk is full. The journal accepts again without a restart once
	// there is room.
	ErrFull = errors.New("journal is full")
	// ErrClosed says that Close was called.
	ErrClosed = errors.New("journal is closed")
	// ErrOverdue says that a sync hangs.
	ErrOverdue = errors.New("the disk does not finish a sync")
	// ErrTooLarge says that a record is longer than 65,536 bytes or than a segment.
	ErrTooLarge = errors.New("record is too large for the journal")
	// ErrEmpty says that a record has no bytes: a length of zero is the format's end mark.
	ErrEmpty = errors.New("record is empty")
	// ErrLocked says that another process has the directory.
	ErrLocked = errors.New("journal is in use by another process")
	// ErrNotOldest says that segments were not released in their order, or one was released twice.
	ErrNotOldest = errors.New("segment is not the oldest one")
	// ErrReading says that a segment was to be released while Each was running on it.
	ErrReading = errors.New("segment is being read")
)

// What can be wrong with a file, as the Err of a CorruptionError. errNoSegment is what those have in common that make
// the whole file useless to this journal.
var (
	errNoSegment      = errors.New("not a segment of this journal")
	errShort          = fmt.Errorf("%w: file is too short", errNoSegment)
	errMagic          = fmt.Errorf("%w: it begins with other bytes", errNoSegment)
	errHeaderChecksum = fmt.Errorf("%w: header fails its checksum", errNoSegment)
	errNumber         = fmt.Errorf("%w: header has another number than the file's name", errNoSegment)
	errForeign        = fmt.Errorf("%w: it belongs to another collector", errNoSegment)
	errStrange        = fmt.Errorf("%w: strange name", errNoSegment)
	errVersion        = errors.New("segment was written by a newer version")
	errSeal           = errors.New("seal fails its checksum")
	errRecord         = errors.New("record is unreadable, sound ones follow")
	errCount          = errors.New("records are missing that the seal promises")
	errUnmapped       = errors.New("part of the file cannot be read")
	errMissing        = errors.New("segment is missing, and those between it and the one before, if any")
)

// A CorruptionError describes damage that was found. The sound part of the segment, if it is one, is not lost.
type CorruptionError struct {
	Segment uint64 // number of the segment; 0 if the file is none
	Path    string // the file, as it was named when the damage was found
	Offset  int64  // of the first bad byte known
	Err     error  // what is wrong
}

func (e *CorruptionError) Error() string {
	if errors.Is(e.Err, errMissing) {
		return fmt.Sprintf("journal file %s: %v; if it was moved, stop, move it back and start again", e.Path, e.Err)
	}
	return fmt.Sprintf("journal file %s is damaged at offset %d: %v; sound records are delivered, the file is kept in %s",
		e.Path, e.Offset, e.Err, filepath.Join(filepath.Dir(e.Path), damagedDir))
}

func (e *CorruptionError) Unwrap() error { return e.Err }
