package retention

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"precount/internal/counters"
	"precount/internal/jobs"
)

// A step is one part of putting a month away. Each may be repeated.
type step struct {
	name string // as it stands in the job once it is done
	do   func(*work, context.Context) error
}

var steps = []step{
	{"closed", (*work).close},
	{"archived", (*work).archive},
	{"verified", (*work).verify},
	{"rolled up", (*work).rollUp},
	{"dropped", (*work).drop},
	{"database", (*work).dropDatabase},
	{"audited", (*work).audit},
}

// Names of jobs, and what kind they are.
const (
	jobPrefix   = "retain-"
	jobKind     = "retain"
	restoreStep = "restoring"
)

// state is what a job remembers of its month.
type state struct {
	Step        string      `json:"step"`              // the last one that is done
	Archive     string      `json:"archive,omitempty"` // directory
	Started     string      `json:"started"`
	Collections []FileEntry `json:"collections"` // what the month held; without an archive only their names
}

// work is one month that this process puts away.
type work struct {
	*Retention
	month counters.Month
	job   *jobs.Job
	state state
}

// month puts one month away, or goes on where a dead process stopped. The outcome is nil if another process has done it.
func (r *Retention) month(ctx context.Context, m counters.Month) (*Outcome, error) {
	ctx, job, err := jobs.Take(ctx, r.jobOptions(), jobPrefix+m.String(), jobKind)
	if err != nil {
		return nil, err
	}
	w := &work{Retention: r, month: m, job: job}
	something, err := w.begin(ctx)
	if err == nil && something {
		err = w.run(ctx)
	}
	switch {
	case err == nil && something:
		if err := job.Done(ctx); err != nil {
			return nil, err
		}
		return w.outcome(), nil
	case err == nil:
		return nil, job.Leave(ctx)
	}
	return nil, w.giveUp(ctx, err)
}

// giveUp leaves the job to the next process, with the reason if it is not that we were told to stop.
func (w *work) giveUp(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		cause := context.Cause(ctx)
		_ = w.job.Leave(ctx) // a lease that was lost cannot be given up, and the cause says that already
		return fmt.Errorf("%s: %w", w.month, cause)
	}
	err = fmt.Errorf("%s is not put away: %w", w.month, err)
	if failed := w.job.Fail(ctx, err); failed != nil {
		return fmt.Errorf("%w; and the job cannot be marked as failed: %w", err, failed)
	}
	return err
}

// begin finds out where to go on: anew, unless collections are dropped already. It reports whether anything is to be done.
func (w *work) begin(ctx context.Context) (something bool, err error) {
	exist, err := w.collections(ctx)
	if err != nil {
		return false, err
	}
	old := state{}
	if w.job.State() == jobs.Done {
		if len(exist) == 0 {
			return false, nil
		}
		err = w.job.Save(ctx, old) // what an earlier life of the month did says nothing about this one
	} else {
		_, err = w.job.Progress(&old)
	}
	if err != nil {
		return false, fmt.Errorf("job %s%s: %w", jobPrefix, w.month, err)
	}
	if old.Step == restoreStep {
		return false, fmt.Errorf("a restore of it is not finished: run precount restore %s again", old.Archive)
	}
	dropping := slices.IndexFunc(steps, func(s step) bool { return s.name == old.Step }) >= rolledUp && len(exist) < len(old.Collections)
	if dropping {
		w.state = old
		return true, w.proveRest(ctx, exist)
	}
	w.state = state{Started: w.options.Now().UTC().Format("2006-01-02T15:04:05.000Z")}
	if old.Step == "" && len(exist) > 0 {
		err = w.neverPutAway(ctx)
	}
	return len(exist) > 0, err
}

var rolledUp = slices.IndexFunc(steps, func(s step) bool { return s.name == "rolled up" })

// neverPutAway returns an error if the month was put away before and collections of it are there again without a restore:
// rolling them up anew would overwrite the totals of the whole month with those of a part.
func (w *work) neverPutAway(ctx context.Context) error {
	records, err := rollupsOf(ctx, w.options.Store, w.month)
	if err != nil || len(records) == 0 {
		return err
	}
	return fmt.Errorf("it was put away before, and collections of it are there again, which no restore made: bring the rest back with "+
		"precount restore, or delete them by hand if they are a mistake (rollup %q)", records[0].ID)
}

// proveRest compares what is left of a month that is half dropped with its archive.
func (w *work) proveRest(ctx context.Context, exist []counters.Collection) error {
	if w.state.Archive == "" || len(exist) == 0 {
		return nil
	}
	_, err := verify(ctx, w.options.Store, w.state.Archive, exist)
	return err
}

func (w *work) run(ctx context.Context) error {
	next := slices.IndexFunc(steps, func(s step) bool { return s.name == w.state.Step }) + 1
	for _, s := range steps[next:] {
		if err := s.do(w, ctx); err != nil {
			return err
		}
		w.reached(s.name)
		w.state.Step = s.name
		if err := w.job.Save(ctx, w.state); err != nil {
			return fmt.Errorf("save the job: %w", err)
		}
		w.reached(s.name + ", saved")
	}
	return nil
}

// collections returns those of the month that exist.
func (w *work) collections(ctx context.Context) ([]counters.Collection, error) {
	all, err := w.options.Store.Collections(ctx)
	return slices.DeleteFunc(all, func(c counters.Collection) bool { return c.Month != w.month }), err
}

func (w *work) outcome() *Outcome {
	m := Manifest{Collections: w.state.Collections}
	documents, views := m.sums()
	return &Outcome{w.month.String(), w.state.Archive, len(m.Collections), documents, views}
}

// unfinished returns the months whose job was begun and neither finished nor is a restore.
func unfinished(ctx context.Context, records Records) ([]counters.Month, error) {
	all, err := records.List(ctx, counters.JobsRecords)
	if err != nil {
		return nil, err
	}
	var months []counters.Month
	for _, record := range all {
		text, ok := strings.CutPrefix(record.ID, jobPrefix)
		m, err := counters.ParseMonth(text)
		if !ok || err != nil {
			continue
		}
		var job struct {
			State    jobs.State `json:"state"`
			Progress state      `json:"progress"`
		}
		if err := json.Unmarshal(record.Body, &job); err != nil {
			return nil, fmt.Errorf("job %q as stored: %w", record.ID, err)
		}
		if job.State != jobs.Done && job.State != "" && job.Progress.Step != restoreStep {
			months = append(months, m)
		}
	}
	return months, nil
}
