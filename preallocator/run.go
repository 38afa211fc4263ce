package preallocator

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"precount/internal/counters"
	"precount/internal/lease"
	"precount/internal/sites"
)

// Between two tries after an error, and while another process is at the same work.
const (
	firstPause   = time.Second
	longestPause = time.Minute
)

// Run prepares months on its own until ctx ends: the running month of every site at once if it is unprepared, also that
// of a site added meanwhile, and the next month in the last days of the running one. While the store is away it goes
// on trying. When it returns, nothing is being inserted.
func (p *Preallocator) Run(ctx context.Context) {
	pause := firstPause
	for {
		wait := p.options.Poll
		switch err := p.step(ctx); {
		case err == nil:
			p.outage.worked()
			pause = firstPause
		case errors.Is(err, lease.ErrHeld):
			wait = max(wait, p.options.TTL/2)
		case ctx.Err() == nil:
			p.outage.failed(err)
			wait, pause = pause, min(2*pause, longestPause)
		}
		if sleep(ctx, wait) != nil {
			return
		}
	}
}

// step does what is due now. A month that another process is at keeps it from no other month.
func (p *Preallocator) step(ctx context.Context) error {
	tasks := p.memory.tasks(p.options.Sites(), p.options.Now(), p.options.Days)
	var held error
	for _, alike := range group(tasks) {
		err := p.do(ctx, alike)
		if err != nil && !errors.Is(err, lease.ErrHeld) {
			return err
		}
		held = errors.Join(held, err)
	}
	return held
}

// do prepares the same month for some sites.
func (p *Preallocator) do(ctx context.Context, tasks []task) error {
	var of []*sites.Site
	for _, t := range tasks {
		if t.step == 0 {
			prepared, err := p.isPrepared(ctx, t.site, t.month)
			if err != nil {
				return err
			}
			if prepared {
				continue
			}
		}
		of = append(of, t.site)
	}
	if len(of) > 0 {
		work := p.preparation(tasks[0].month, of, tasks[0].share())
		work.rate = p.options.Rate
		if err := work.run(ctx); err != nil {
			return err
		}
		if n := work.report.Inserted; n > 0 {
			p.options.Log.Info().Str("month", work.report.Month).Int("inserted", n).Int("sites", len(of)).
				Stringer("took", work.progress.Elapsed.Round(time.Millisecond)).Msg("preallocated")
		}
	}
	for _, t := range tasks {
		p.memory.done(t)
	}
	return nil
}

// isPrepared reports whether all of a site's templates were inserted once: those of its last day's hours come last.
func (p *Preallocator) isPrepared(ctx context.Context, s *sites.Site, m counters.Month) (bool, error) {
	last := counters.HoursKey(m, s.Base, m.Days())
	for _, err := range p.options.Store.IDs(ctx, last.Collection, last.ID()) {
		return err == nil, err
	}
	return false, nil
}

// Prepare prepares a month for all sites now, or with a zero Month the month after each site's running one, and calls
// progress, if it is not nil, after each chunk. Sites for which the month is over are left out. The error is lease.ErrHeld while another
// process is at the same month. The reports are of what was done, also with an error.
func (p *Preallocator) Prepare(ctx context.Context, m counters.Month, progress func(Progress)) ([]Report, error) {
	return p.each(m, func(work *preparation) error {
		if progress != nil {
			work.onProgress = progress
		}
		return work.run(ctx)
	})
}

// Plan reports what Prepare would insert, and changes nothing.
func (p *Preallocator) Plan(ctx context.Context, m counters.Month) ([]Report, error) {
	return p.each(m, func(work *preparation) error {
		_, err := work.survey(ctx)
		return err
	})
}

// each makes a preparation for every month that some sites need, at most two around a month's end.
func (p *Preallocator) each(m counters.Month, do func(*preparation) error) (reports []Report, err error) {
	now := p.options.Now()
	if !m.IsZero() {
		if err := CheckMonth(m, now); err != nil {
			return nil, err
		}
	}
	var tasks []task
	for _, s := range p.options.Sites().All() {
		running := s.Local(now).Month
		switch {
		case m.IsZero():
			tasks = append(tasks, task{site: s, month: running.Add(1)})
		case !m.Before(running):
			tasks = append(tasks, task{site: s, month: m})
		}
	}
	for _, alike := range group(tasks) {
		var of []*sites.Site
		for _, t := range alike {
			of = append(of, t.site)
		}
		work := p.preparation(alike[0].month, of, 1)
		err := do(work)
		reports = append(reports, work.report)
		if err != nil {
			return reports, err
		}
	}
	return reports, nil
}

// An outage logs the errors of Run: the first, one a minute, and the end.
type outage struct {
	log   zerolog.Logger
	now   func() time.Time
	since time.Time // zero: there is none
	told  time.Time
}

func (o *outage) failed(err error) {
	now := o.now()
	if o.since.IsZero() {
		o.since = now
	} else if now.Sub(o.told) < time.Minute {
		return
	}
	o.told = now
	o.log.Warn().Err(err).Msg("cannot preallocate; hits make their own documents meanwhile, trying again")
}

func (o *outage) worked() {
	if !o.since.IsZero() {
		o.log.Info().Stringer("after", o.now().Sub(o.since).Round(time.Second)).Msg("recovered: can preallocate again")
		o.since = time.Time{}
	}
}
