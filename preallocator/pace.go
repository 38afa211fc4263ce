package preallocator

import (
	"context"
	"time"
)

// A Progress is how far a preparation is.
type Progress struct {
	Month   string
	Planned int // templates found missing
	Done    int // of Planned: inserted, or found there
	Elapsed time.Duration
}

// Rate returns how many templates a second are done.
func (p Progress) Rate() float64 {
	if p.Elapsed <= 0 {
		return 0
	}
	return float64(p.Done) / p.Elapsed.Seconds()
}

// Left returns how long the rest will take at this rate.
func (p Progress) Left() time.Duration {
	if p.Done == 0 {
		return 0
	}
	return time.Duration(float64(p.Elapsed) * float64(p.Planned-p.Done) / float64(p.Done))
}

// wait sleeps until the rate, in templates per second, allows the next chunk; 0 is no limit.
func (p Progress) wait(ctx context.Context, rate int) error {
	if rate == 0 {
		return ctx.Err()
	}
	earliest := time.Duration(p.Done) * time.Second / time.Duration(rate)
	return sleep(ctx, earliest-p.Elapsed)
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
