package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"precount/internal/counters"
	"precount/internal/lease"
	"precount/internal/sqlitestore"
)

func bubble(t *testing.T, test func(t *testing.T, s *sqlitestore.Store)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s, err := sqlitestore.Open(sqlitestore.Options{Dir: dir})
		must(t, err)
		defer s.Close()
		test(t, s)
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func take(s *sqlitestore.Store, owner string) (context.Context, *Job, error) {
	return Take(context.Background(), Options{Records: s, Owner: owner}, "retain-2025-10", "retain")
}

func stored(t *testing.T, s *sqlitestore.Store) (b body) {
	t.Helper()
	r, err := s.Get(context.Background(), counters.JobsRecords, "retain-2025-10")
	must(t, err)
	must(t, json.Unmarshal(r.Body, &b))
	return b
}

// TestLife: one process does the job, others are refused until it is done, and then find it done.
func TestLife(t *testing.T) {
	bubble(t, func(t *testing.T, s *sqlitestore.Store) {
		ctx, job, err := take(s, "a")
		must(t, err)
		if job.State() != "" {
			t.Errorf("a new job is %q", job.State())
		}
		begun := time.Now()
		must(t, job.Save(ctx, map[string]int{"n": 1}))
		time.Sleep(10 * lease.DefaultTTL) // the lease is renewed meanwhile
		if _, _, err := take(s, "b"); !errors.Is(err, lease.ErrHeld) {
			t.Fatalf("taken twice: %v", err)
		}
		must(t, ctx.Err())
		if b := stored(t, s); b.State != Running || b.Kind != "retain" || !b.Created.Equal(begun) {
			t.Errorf("stored: %+v", b)
		}
		must(t, job.Done(ctx))
		if ctx.Err() == nil {
			t.Error("the job's context outlives it")
		}
		_, again, err := take(s, "b")
		must(t, err)
		if again.State() != Done {
			t.Errorf("the next finds it %q", again.State())
		}
		must(t, again.Leave(context.Background()))
		if b := stored(t, s); b.State != Done || !b.Created.Equal(begun) {
			t.Errorf("after a look: %+v", b)
		}
	})
}

// TestDies: what a process saved before it died is what the next one goes on from; the dead one, if it only slept, is told.
func TestDies(t *testing.T) {
	bubble(t, func(t *testing.T, s *sqlitestore.Store) {
		frozen := &frozen{Store: s}
		ctx, job, err := Take(context.Background(), Options{Records: frozen, Owner: "a"}, "retain-2025-10", "retain")
		must(t, err)
		must(t, job.Save(ctx, "half"))
		frozen.on.Store(true)
		time.Sleep(lease.DefaultTTL + time.Second)
		_, next, err := take(s, "b")
		must(t, err)
		var progress string
		if found, err := next.Progress(&progress); !found || err != nil || progress != "half" || next.State() != Running {
			t.Errorf("found %v %q, %q, %v", found, progress, next.State(), err)
		}
		frozen.on.Store(false)
		<-ctx.Done()
		if cause := context.Cause(ctx); !errors.Is(cause, lease.ErrLost) {
			t.Errorf("the context ended with %v", cause)
		}
		if err := job.Done(context.Background()); !errors.Is(err, lease.ErrLost) {
			t.Errorf("Done of a lost job: %v", err)
		}
		if b := stored(t, s); b.State != Running {
			t.Errorf("the loser wrote %+v", b)
		}
		must(t, next.Done(context.Background()))
	})
}

// frozen is the store as a process sees it that does not run.
type frozen struct {
	*sqlitestore.Store
	on atomic.Bool
}

func (f *frozen) Put(ctx context.Context, collection string, r counters.Record) (counters.Record, error) {
	if f.on.Load() {
		return r, errors.New("frozen")
	}
	return f.Store.Put(ctx, collection, r)
}

// TestFails: the reason stays to be read, and goes when the job is done after all.
func TestFails(t *testing.T) {
	bubble(t, func(t *testing.T, s *sqlitestore.Store) {
		ctx, job, err := take(s, "a")
		must(t, err)
		must(t, job.Save(ctx, "half"))
		must(t, job.Fail(ctx, errors.New("the disk is full")))
		if b := stored(t, s); b.State != Failed || b.Error != "the disk is full" || string(b.Progress) != `"half"` {
			t.Errorf("stored: %+v", b)
		}
		ctx, job, err = take(s, "b")
		must(t, err)
		must(t, job.Done(ctx))
		if b := stored(t, s); b.State != Done || b.Error != "" {
			t.Errorf("stored: %+v", b)
		}
	})
}

// TestUnreadable: a job that cannot be read is an error, and does not stay held.
func TestUnreadable(t *testing.T) {
	bubble(t, func(t *testing.T, s *sqlitestore.Store) {
		_, err := s.Put(context.Background(), counters.JobsRecords,
			counters.Record{ID: "retain-2025-10", Body: []byte(`{"state":7}`)})
		must(t, err)
		for _, owner := range []string{"a", "b"} {
			if _, _, err := take(s, owner); err == nil || errors.Is(err, lease.ErrHeld) {
				t.Errorf("%s: %v", owner, err)
			}
		}
	})
}

// TestStops: a process that is told to stop gives the job up at once.
func TestStops(t *testing.T) {
	bubble(t, func(t *testing.T, s *sqlitestore.Store) {
		parent, cancel := context.WithCancel(context.Background())
		ctx, job, err := Take(parent, Options{Records: s, Owner: "a"}, "retain-2025-10", "retain")
		must(t, err)
		cancel()
		<-ctx.Done()
		must(t, job.Leave(ctx))
		_, job, err = take(s, "b")
		must(t, err)
		must(t, job.Leave(context.Background()))
	})
}
