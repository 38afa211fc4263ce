package journal

import (
	"errors"
	"fmt"
	"time"
)

// Defaults and limits of Options.
const (
	defaultSegmentBytes = 8 << 20
	defaultMaxBytes     = 1 << 30
	defaultSyncEvery    = 100 * time.Millisecond
	defaultSyncTimeout  = 10 * time.Second
	minSegmentBytes     = 64 << 10
	minSegments         = 4 // open, spare, one being read, one being recycled
	segmentGrain        = 4 << 10
)

// Options say where a journal lives and how large it may get. Only Dir is needed.
type Options struct {
	// Dir is created with mode 0700 if it is missing.
	Dir string
	// SegmentBytes is the size of a segment file, 8 MiB unless set; 64 KiB to 1 GiB. It is lowered if MaxBytes would
	// not hold four segments.
	SegmentBytes int64
	// MaxBytes caps the sum of all segment files, the spare included and damaged/ left out; 1 GiB unless set, 256 KiB
	// at the least.
	MaxBytes int64
	// SyncEvery is how often what was appended is synced if nobody waits for it; 100 ms unless set.
	SyncEvery time.Duration
	// SyncTimeout is how long WaitSynced waits for a sync to begin, and as long again for its end; 10 s unless set.
	SyncTimeout time.Duration
	// OnDamage, if set, is told each damage once, while Open, Each or Release runs and in its goroutine.
	OnDamage func(*CorruptionError)
	// OnTrouble, if set, is told when the disk fails an fsync and when no further segment can be prepared (once per
	// outage), and gets nil when segments can be prepared again. It is also told what Open and Release could not tidy up.
	// It may be called by the journal's own goroutines, and must call none of the journal's methods but Stats.
	OnTrouble func(error)

	disk disk // for tests: a disk that fails
}

// withDefaults fills in what is not set and checks the rest.
func (o Options) withDefaults() (Options, error) {
	if o.Dir == "" {
		return o, errors.New("journal needs a directory: set Options.Dir")
	}
	if o.SegmentBytes == 0 {
		o.SegmentBytes = defaultSegmentBytes
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = defaultMaxBytes
	}
	if o.SyncEvery <= 0 {
		o.SyncEvery = defaultSyncEvery
	}
	if o.SyncTimeout <= 0 {
		o.SyncTimeout = defaultSyncTimeout
	}
	if o.MaxBytes < minSegments*minSegmentBytes {
		return o, fmt.Errorf("journal cap of %d bytes is too small: give it %d or more", o.MaxBytes, minSegments*minSegmentBytes)
	}
	if o.SegmentBytes < minSegmentBytes || o.SegmentBytes > 1<<30 {
		return o, fmt.Errorf("journal segment of %d bytes: give it %d to %d", o.SegmentBytes, minSegmentBytes, 1<<30)
	}
	o.SegmentBytes = min(o.SegmentBytes, o.MaxBytes/minSegments) &^ (segmentGrain - 1)
	if o.OnDamage == nil {
		o.OnDamage = func(*CorruptionError) {}
	}
	if o.OnTrouble == nil {
		o.OnTrouble = func(error) {}
	}
	if o.disk == nil {
		o.disk = osDisk{}
	}
	return o, nil
}
