package collector

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
)

// remindEvery is the time between two lines about something that goes on failing.
const remindEvery = time.Minute

// An outage logs one thing that may fail many times a second: once when it begins, every remindEvery while it lasts, and
// once when it is over. It is safe for concurrent use.
type outage struct {
	log  zerolog.Logger
	what string // "write the journal"
	hint string // what happens meanwhile

	active atomic.Bool
	mu     sync.Mutex
	since  time.Time
	told   time.Time
	count  uint64
}

func (o *outage) failed(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	if !o.active.Swap(true) {
		o.since, o.count, o.told = now, 0, time.Time{}
	}
	o.count++
	if now.Sub(o.told) < remindEvery {
		return
	}
	o.told = now
	o.log.Error().Err(err).Uint64("failures", o.count).Msgf("cannot %s; %s", o.what, o.hint)
}

// worked ends the outage, if there is one; while there is none it costs one load.
func (o *outage) worked() {
	if !o.active.Load() {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.active.Swap(false) {
		o.log.Info().Uint64("failures", o.count).Stringer("after", time.Since(o.since).Round(time.Millisecond)).
			Msgf("recovered: can %s again", o.what)
	}
}
