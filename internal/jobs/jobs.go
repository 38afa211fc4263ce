package jobs

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"precount/internal/counters"
	"precount/internal/lease"
)

// A State says how far a job is.
type State string

// The states. A job that is Running without a live lease was left by a process that died.
const (
	Running State = "running"
	Done    State = "done"
	Failed  State = "failed"
)

// Options of Take. Records and Owner are needed.
type Options struct {
	Records lease.Records
	Owner   string // unique for each process
	TTL     time.Duration
	Now     func() time.Time
}

// A Job is held by this process, until Done, Fail or Leave. Its methods are for one goroutine; the lease is renewed by
// another one.
type Job struct {
	lease    *lease.Lease
	now      func() time.Time
	stored   body
	cancel   context.CancelCauseFunc
	finished chan struct{}
}

// body is the part of the record that is the job's.
type body struct {
	Kind     string          `json:"kind"`
	State    State           `json:"state"`
	Progress json.RawMessage `json:"progress,omitempty"`
	Error    string          `json:"error"`
	Created  time.Time       `json:"created"`
	Changed  time.Time       `json:"changed"`
}

// Take takes the job id, or makes it. The context it returns ends when the lease is lost to another process, with
// lease.ErrLost as its cause: work under it. The error is lease.ErrHeld while another process is at it.
func Take(ctx context.Context, o Options, id, kind string) (context.Context, *Job, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	held, err := lease.Acquire(ctx, lease.Options{Records: o.Records, Collection: counters.JobsRecords, ID: id,
		Owner: o.Owner + ", " + rand.Text(), TTL: o.TTL, Now: o.Now}) // two takers in one process are two, too
	if err != nil {
		return ctx, nil, err
	}
	j := &Job{lease: held, now: o.Now, finished: make(chan struct{})}
	if err := json.Unmarshal(held.Body(), &j.stored); err != nil {
		return ctx, nil, errors.Join(fmt.Errorf("job %q as stored: %w", id, err), held.Release(ctx))
	}
	if j.stored.Created.IsZero() {
		j.stored.Kind, j.stored.Created = kind, o.Now().UTC()
	}
	ctx, j.cancel = context.WithCancelCause(ctx)
	go func() {
		defer close(j.finished)
		if err := held.Keep(ctx, held.Renew, func(error) {}); err != nil {
			j.cancel(err)
		}
	}()
	return ctx, j, nil
}

// State returns what the job was when it was taken, or what it was made since; "" for a new one.
func (j *Job) State() State { return j.stored.State }

// Progress reads what was saved last, also by a process that died, into v, and reports whether there was anything.
func (j *Job) Progress(v any) (bool, error) {
	if len(j.stored.Progress) == 0 {
		return false, nil
	}
	return true, json.Unmarshal(j.stored.Progress, v)
}

// Save records where the job stands: the next process continues there if this one dies. The job is Running.
func (j *Job) Save(ctx context.Context, progress any) error {
	encoded, err := json.Marshal(progress)
	if err != nil {
		return err
	}
	j.stored.Progress = encoded
	return j.put(ctx, Running, "")
}

// Done ends the job well, and gives up its lease.
func (j *Job) Done(ctx context.Context) error {
	return errors.Join(j.put(ctx, Done, ""), j.Leave(ctx))
}

// Fail records why the job cannot go on, and gives up its lease. What was saved stays.
func (j *Job) Fail(ctx context.Context, why error) error {
	return errors.Join(j.put(ctx, Failed, why.Error()), j.Leave(ctx))
}

// Leave gives the job up as it is, for the next process.
func (j *Job) Leave(ctx context.Context) error {
	j.cancel(nil)
	<-j.finished
	return j.lease.Release(context.WithoutCancel(ctx))
}

func (j *Job) put(ctx context.Context, state State, why string) error {
	j.stored.State, j.stored.Error, j.stored.Changed = state, why, j.now().UTC()
	encoded, err := json.Marshal(j.stored)
	if err != nil {
		return err
	}
	return j.lease.Merge(ctx, encoded)
}
