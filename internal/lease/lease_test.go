package lease

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"precount/internal/counters"
	"precount/internal/sqlitestore"
)

const collection = counters.JobsRecords

// bubble runs a test in fake time, with a real store.
func bubble(t *testing.T, test func(t *testing.T, s *flaky)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s, err := sqlitestore.Open(sqlitestore.Options{Dir: dir})
		must(t, err)
		defer s.Close()
		test(t, &flaky{Store: s})
	})
}

// A flaky store loses acknowledgements, or is away.
type flaky struct {
	*sqlitestore.Store
	mu   sync.Mutex
	lose bool // the next Put is done, but says it was not
	away bool
}

var errAway = errors.New("the store is away")

func (f *flaky) Put(ctx context.Context, collection string, r counters.Record) (counters.Record, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.away {
		return r, errAway
	}
	stored, err := f.Store.Put(ctx, collection, r)
	if f.lose && err == nil {
		f.lose = false
		return counters.Record{}, errAway
	}
	return stored, err
}

func (f *flaky) set(lose, away bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lose, f.away = lose, away
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func acquire(s Records, owner, place string) (*Lease, error) {
	return Acquire(context.Background(), Options{Records: s, Collection: collection, ID: "x", Owner: owner, Place: place})
}

// TestHolders is who gets the lease, and when.
func TestHolders(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name   string
		before func(t *testing.T, s *flaky, a *Lease) // a is held by "a" in place "here"
		owner  string
		place  string
		err    error
	}{
		{"held", func(*testing.T, *flaky, *Lease) {}, "b", "", ErrHeld},
		{"held by the same process", func(*testing.T, *flaky, *Lease) {}, "a", "", nil},
		{"its holder died in this place", func(*testing.T, *flaky, *Lease) {}, "b", "here", nil},
		{"held in another place", func(*testing.T, *flaky, *Lease) {}, "b", "there", ErrHeld},
		{"released", func(t *testing.T, _ *flaky, a *Lease) { must(t, a.Release(ctx)) }, "b", "", nil},
		{"about to run out", func(*testing.T, *flaky, *Lease) { time.Sleep(DefaultTTL - time.Second) }, "b", "", ErrHeld},
		{"run out", func(*testing.T, *flaky, *Lease) { time.Sleep(DefaultTTL) }, "b", "", nil},
		{"renewed in time", func(t *testing.T, _ *flaky, a *Lease) {
			time.Sleep(DefaultTTL - time.Second)
			must(t, a.Renew(ctx))
			time.Sleep(DefaultTTL - time.Second)
		}, "b", "", ErrHeld},
		{"released, but the acknowledgement of the renewal before was lost", func(t *testing.T, s *flaky, a *Lease) {
			s.set(true, false)
			if err := a.Renew(ctx); !errors.Is(err, errAway) {
				t.Fatal(err)
			}
			must(t, a.Release(ctx))
		}, "b", "", nil},
		{"renewed after a lost acknowledgement", func(t *testing.T, s *flaky, a *Lease) {
			s.set(true, false)
			_ = a.Renew(ctx)
			time.Sleep(DefaultTTL / 2)
			must(t, a.Renew(ctx))
			time.Sleep(DefaultTTL - time.Second)
		}, "b", "", ErrHeld},
		{"its record was deleted by hand, and renewed", func(t *testing.T, s *flaky, a *Lease) {
			r, err := s.Get(ctx, collection, "x")
			must(t, err)
			must(t, s.Delete(ctx, collection, "x", r.Rev))
			must(t, a.Renew(ctx))
		}, "b", "", ErrHeld},
		{"its place is not that of the holder before", func(t *testing.T, s *flaky, a *Lease) {
			must(t, a.Release(ctx))
			_, err := acquire(s, "c", "")
			must(t, err)
		}, "b", "here", ErrHeld},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, s *flaky) {
				a, err := acquire(s, "a", "here")
				must(t, err)
				c.before(t, s, a)
				if _, err := acquire(s, c.owner, c.place); !errors.Is(err, c.err) {
					t.Errorf("error is %v, want %v", err, c.err)
				} else if err != nil {
					t.Log(err)
				}
			})
		})
	}
}

// TestLost: who lost the lease learns it from every call, and cannot give up what is another's.
func TestLost(t *testing.T) {
	bubble(t, func(t *testing.T, s *flaky) {
		ctx := context.Background()
		a, err := acquire(s, "a", "")
		must(t, err)
		time.Sleep(DefaultTTL)
		_, err = acquire(s, "b", "")
		must(t, err)
		if err := a.Renew(ctx); !errors.Is(err, ErrLost) {
			t.Errorf("Renew: %v", err)
		}
		if err := a.Merge(ctx, []byte(`{"x":1}`)); !errors.Is(err, ErrLost) {
			t.Errorf("Merge: %v", err)
		}
		if err := a.Keep(ctx, a.Renew, func(error) {}); !errors.Is(err, ErrLost) {
			t.Errorf("Keep: %v", err)
		}
		must(t, a.Release(ctx))
		if _, err := acquire(s, "c", ""); !errors.Is(err, ErrHeld) {
			t.Errorf("after the loser's Release: %v", err)
		}
	})
}

// TestKeep: the lease is held for as long as it is kept, also while the store is away for longer than the lease holds.
func TestKeep(t *testing.T) {
	bubble(t, func(t *testing.T, s *flaky) {
		a, err := acquire(s, "a", "")
		must(t, err)
		ctx, cancel := context.WithCancel(context.Background())
		kept := make(chan error)
		go func() { kept <- a.Keep(ctx, a.Renew, func(error) {}) }()
		for range 10 {
			time.Sleep(DefaultTTL)
			if _, err := acquire(s, "b", ""); !errors.Is(err, ErrHeld) {
				t.Fatalf("taken from one who keeps it: %v", err)
			}
		}
		s.set(false, true)
		time.Sleep(5 * DefaultTTL)
		s.set(false, false)
		time.Sleep(DefaultTTL / 3)
		synctest.Wait()
		if _, err := acquire(s, "b", ""); !errors.Is(err, ErrHeld) {
			t.Errorf("after the outage: %v", err)
		}
		cancel()
		must(t, <-kept)
		time.Sleep(DefaultTTL)
		_, err = acquire(s, "b", "")
		must(t, err)
	})
}

// TestMerge: fields beside the lease's outlive renewals, losses of acknowledgements, and the change of the holder.
func TestMerge(t *testing.T) {
	bubble(t, func(t *testing.T, s *flaky) {
		ctx := context.Background()
		a, err := acquire(s, "a", "")
		must(t, err)
		must(t, a.Merge(ctx, []byte(`{"state":"one","kept":[1]}`)))
		s.set(true, false)
		_ = a.Merge(ctx, []byte(`{"state":"two"}`))
		must(t, a.Merge(ctx, []byte(`{"state":"three"}`)))
		must(t, a.Release(ctx))
		b, err := acquire(s, "b", "")
		must(t, err)
		var got struct {
			Owner, State string
			Kept         []int
		}
		must(t, json.Unmarshal(b.Body(), &got))
		if got.Owner != "b" || got.State != "three" || len(got.Kept) != 1 {
			t.Errorf("the record says %s", b.Body())
		}
	})
}

// TestRace: of many processes at once, one gets the lease.
func TestRace(t *testing.T) {
	s, err := sqlitestore.Open(sqlitestore.Options{Dir: t.TempDir()})
	must(t, err)
	defer s.Close()
	for range 20 {
		var group sync.WaitGroup
		errs := make([]error, 8)
		leases := make([]*Lease, len(errs))
		for i := range errs {
			group.Go(func() { leases[i], errs[i] = acquire(s, string(rune('a'+i)), "") })
		}
		group.Wait()
		holders := 0
		for i, err := range errs {
			if err == nil {
				holders++
				must(t, leases[i].Release(context.Background()))
			} else if !errors.Is(err, ErrHeld) {
				t.Error(err)
			}
		}
		if holders != 1 {
			t.Fatalf("%d of %d hold the lease", holders, len(errs))
		}
	}
}
