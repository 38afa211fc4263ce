package preallocator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"precount/internal/counters"
	"precount/internal/jobs"
	"precount/internal/sites"
)

const (
	chunk        = 1_000            // templates in one Insert
	saveEvery    = 10 * time.Second // progress is logged, and saved in the job
	leaveTimeout = 5 * time.Second  // to give the job up when the context has ended
	// liveFor is how long after its lease ran out a collector still counts as live: it may come back this month.
	liveFor = 35 * 24 * time.Hour
)

// A preparation is one month of some sites.
type preparation struct {
	*Preallocator
	month      counters.Month
	sites      []*sites.Site
	share      float64 // of what is planned, 0 to 1
	rate       int     // templates per second; 0: no limit
	onProgress func(Progress)
	collectors []string

	report   Report
	progress Progress
	began    time.Time
	saved    time.Time
}

func (p *Preallocator) preparation(m counters.Month, of []*sites.Site, share float64) *preparation {
	return &preparation{Preallocator: p, month: m, sites: of, share: share, report: newReport(m),
		progress: Progress{Month: m.String()}, onProgress: func(Progress) {}}
}

// run does the work as the one process that holds the month's job. What was inserted when an error comes stays, and
// the next run goes on from there.
func (p *preparation) run(ctx context.Context) (err error) {
	ctx, job, err := jobs.Take(ctx, jobs.Options{Records: p.options.Records, Owner: p.options.Owner, TTL: p.options.TTL,
		Now: p.options.Now}, "preallocate-"+p.month.String(), "preallocate")
	if err != nil {
		return fmt.Errorf("cannot prepare %s: %w", p.month, err)
	}
	defer func() { err = p.leave(ctx, job, err) }()
	pending, err := p.survey(ctx)
	if err != nil {
		return err
	}
	if err := p.createCollections(ctx); err != nil {
		return err
	}
	for _, site := range pending {
		if err := p.insertSite(ctx, job, site); err != nil {
			return err
		}
	}
	return nil
}

// leave ends the job: well, with the reason it failed, or as it is if the process is told to stop.
func (p *preparation) leave(ctx context.Context, job *jobs.Job, err error) error {
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause // the lease was lost, or the process stops
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTimeout)
	defer cancel()
	switch {
	case err == nil:
		return job.Done(last)
	case ctx.Err() != nil:
		return errors.Join(err, job.Leave(last))
	}
	return errors.Join(err, job.Fail(last, err))
}

// survey counts what is missing, and returns the sites that miss something.
func (p *preparation) survey(ctx context.Context) (pending []*sites.Site, err error) {
	if p.collectors, err = p.liveCollectors(ctx); err != nil {
		return nil, err
	}
	for _, site := range p.sites {
		keys, err := p.due(ctx, site)
		if err != nil {
			return nil, err
		}
		for _, key := range keys {
			p.report.plan(key, p.options.Size(key))
		}
		if len(keys) > 0 {
			pending = append(pending, site)
		}
	}
	p.progress.Planned = p.report.Planned
	p.began = p.options.Now()
	return pending, nil
}

// due returns the keys of one site that are to be inserted now.
func (p *preparation) due(ctx context.Context, s *sites.Site) ([]counters.Key, error) {
	store := p.options.Store
	plan, err := plan(siteSource{
		base:  s.Base,
		month: p.month,
		documents: func(kind counters.Kind) documents {
			return store.Scan(ctx, counters.Collection{Month: p.month.Add(-1), Kind: kind}, counters.IDPrefix(kind, s.Base))
		},
		existing: func(kind counters.Kind) ids {
			return store.IDs(ctx, counters.Collection{Month: p.month, Kind: kind}, counters.IDPrefix(kind, s.Base))
		},
		wishes: p.wishes[s.Base],
	}, p.options.MinViews, p.options.Caps)
	if err != nil {
		return nil, fmt.Errorf("plan %s for %s: %w", p.month, s.Host, err)
	}
	return plan.due(p.share), nil
}

// createCollections makes all collections of the month exist, also those that nothing is to be put in, and with January
// the year's database. Those of a sharded cluster are split first, because they can only be split cheaply while they are empty.
func (p *preparation) createCollections(ctx context.Context) error {
	if err := p.shard(ctx); err != nil {
		return err
	}
	for _, kind := range counters.Kinds() {
		c := counters.Collection{Month: p.month, Kind: kind}
		if _, err := p.options.Store.Insert(ctx, c, nil, p.collectors); err != nil {
			return fmt.Errorf("create %s: %w", c, err)
		}
	}
	return nil
}

// insertSite plans the site again, so that at no time more than one site's plan is in memory, and inserts it.
func (p *preparation) insertSite(ctx context.Context, job *jobs.Job, s *sites.Site) error {
	keys, err := p.due(ctx, s)
	if err != nil {
		return err
	}
	for c, some := range byCollection(keys) {
		for part := range slices.Chunk(some, chunk) {
			n, err := p.options.Store.Insert(ctx, c, part, p.collectors)
			p.report.insert(n)
			if err != nil {
				return fmt.Errorf("insert into %s: %w", c, err)
			}
			if err := p.advance(ctx, job, len(part)); err != nil {
				return err
			}
		}
	}
	return nil
}

// advance shows the progress, saves and logs it every saveEvery, and keeps to the rate.
func (p *preparation) advance(ctx context.Context, job *jobs.Job, n int) error {
	now := p.options.Now()
	p.progress.Done += n
	p.progress.Planned = max(p.progress.Planned, p.progress.Done) // hits between survey and plan may add to it
	p.progress.Elapsed = now.Sub(p.began)
	p.onProgress(p.progress)
	if p.saved.IsZero() || now.Sub(p.saved) >= saveEvery {
		if !p.saved.IsZero() {
			p.options.Log.Info().Str("month", p.progress.Month).Int("done", p.progress.Done).Int("planned", p.progress.Planned).
				Float64("per_second", p.progress.Rate()).Stringer("left", p.progress.Left().Round(time.Second)).Msg("preallocating")
		}
		p.saved = now
		if err := job.Save(ctx, map[string]int{"planned": p.progress.Planned, "done": p.progress.Done}); err != nil {
			return fmt.Errorf("save the progress: %w", err)
		}
	}
	return p.progress.wait(ctx, p.rate)
}

// liveCollectors returns the ids of the collectors that may write in the month.
func (p *preparation) liveCollectors(ctx context.Context) (ids []string, err error) {
	records, err := p.options.Records.List(ctx, counters.CollectorsRecords)
	if err != nil {
		return nil, fmt.Errorf("list the collectors: %w", err)
	}
	since := p.options.Now().Add(-liveFor)
	for _, r := range records {
		var lease struct {
			Until time.Time `json:"lease_until"`
			Seen  time.Time `json:"seen"` // also of one that was stopped and released its lease
		}
		// One that cannot be read is left out: its first flush adds its token to a document, no count depends on it.
		if json.Unmarshal(r.Body, &lease) == nil && (lease.Until.After(since) || lease.Seen.After(since)) {
			ids = append(ids, r.ID)
		}
	}
	return ids, nil
}
