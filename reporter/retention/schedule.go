package retention

import (
	"context"
	"errors"
	"time"

	"precount/internal/lease"
)

// How often a serving process looks for months that are past their time, and how soon again after a failure.
const (
	Every      = 24 * time.Hour
	AgainAfter = time.Hour
)

// Schedule runs Run at once and then every day, until ctx ends; told is called after each run that put something away or
// failed. That another process is at it is no failure. When it returns, nothing of it is running.
func (r *Retention) Schedule(ctx context.Context, told func([]Outcome, error)) {
	for {
		done, err := r.Run(ctx)
		if errors.Is(err, lease.ErrHeld) {
			err = nil
		}
		if ctx.Err() != nil {
			return
		}
		pause := Every
		if err != nil {
			pause = AgainAfter
		}
		if err != nil || len(done) > 0 {
			told(done, err)
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
	}
}
