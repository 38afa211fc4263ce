package retention

import (
	"context"
	"errors"
	"io"
	"time"

	"precount/internal/counters"
	"precount/internal/horizon"
	"precount/internal/jobs"
	"precount/internal/sites"
)

// Options of New. Store, Sites, Keep and Owner are needed, and either Archive or NoArchive.
type Options struct {
	Store Store
	Sites func() *sites.Directory // whose time zones say which month is running
	Keep  int                     // months, the running one included

	Archive     string // directory of the archives
	MakeArchive bool   // make that directory if there is none; else a disk that is not mounted is an error
	NoArchive   bool   // drop months without a copy

	Owner    string // unique for each process
	Engine   string // for the manifest: "sqlite", "mongodb"
	Version  string // for the manifest
	TTL      time.Duration
	Now      func() time.Time
	Progress func(Progress) // may be nil; called now and then during long steps
}

// Progress is how far a long step is.
type Progress struct {
	Month     counters.Month
	Step      string // "archive"
	Name      string // of the collection
	Documents int64  // so far
}

// An Outcome is one month that was put away, or brought back.
type Outcome struct {
	Month       string `json:"month"`
	Archive     string `json:"archive,omitempty"` // its directory
	Collections int    `json:"collections"`
	Documents   int64  `json:"documents"`
	Views       int64  `json:"views"`
}

// A Retention puts months away. Its methods are safe for concurrent use; of many processes one does the work.
type Retention struct {
	options Options
	horizon *horizon.Horizon

	reached func(point string)        // tests end the process at named points with it
	wrap    func(io.Writer) io.Writer // tests make disks full with it
}

// New checks the options.
func New(o Options) (*Retention, error) {
	if o.Store == nil || o.Sites == nil || o.Owner == "" {
		return nil, errors.New("retention: Store, Sites and Owner are needed")
	}
	if err := CheckKeep(o.Keep); err != nil {
		return nil, err
	}
	if (o.Archive == "") != o.NoArchive {
		return nil, errors.New("want a directory for the archives, or no archive, not both")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	return &Retention{options: o, horizon: horizon.New(o.Store), reached: func(string) {}}, nil
}

// Running returns the running month where it runs longest.
func (r *Retention) running() counters.Month {
	var zones []*time.Location
	for _, s := range r.options.Sites().All() {
		zones = append(zones, s.Location())
	}
	return running(r.options.Now(), zones)
}

// candidates returns the months to put away, oldest first: those past their time that have collections, and those that an
// earlier process left half-way, which may have none any more.
func (r *Retention) candidates(ctx context.Context) ([]counters.Month, error) {
	all, err := r.options.Store.Collections(ctx)
	if err != nil {
		return nil, err
	}
	unfinished, err := unfinished(ctx, r.options.Store)
	if err != nil {
		return nil, err
	}
	for _, m := range unfinished {
		all = append(all, counters.Collection{Month: m})
	}
	return expired(all, r.running(), r.options.Keep), nil
}

// Run puts away every month that is past its time, oldest first, and stops at the first that cannot be. The error is
// lease.ErrHeld while another process is at it.
func (r *Retention) Run(ctx context.Context) ([]Outcome, error) {
	months, err := r.candidates(ctx)
	if err != nil {
		return nil, err
	}
	var done []Outcome
	for _, m := range months {
		outcome, err := r.month(ctx, m)
		if err != nil {
			return done, err
		}
		if outcome != nil {
			done = append(done, *outcome)
		}
	}
	return done, nil
}

func (r *Retention) jobOptions() jobs.Options {
	return jobs.Options{Records: r.options.Store, Owner: r.options.Owner, TTL: r.options.TTL, Now: r.options.Now}
}
