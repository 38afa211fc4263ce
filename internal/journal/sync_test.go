package journal

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// One fdatasync serves all that wait.
func TestGroupSync(t *testing.T) {
	d := &faultyDisk{}
	o := small(t.TempDir())
	o.disk = d
	j := mustOpen(t, o)
	var wg sync.WaitGroup
	const waiters, each = 64, 20
	for w := range waiters {
		wg.Go(func() {
			for i := range each {
				p, err := j.Append(fmt.Appendf(nil, "%d-%d", w, i))
				if err == nil {
					err = j.WaitSynced(p)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if d.syncs > waiters*each/4 {
		t.Errorf("%d syncs for %d records", d.syncs, waiters*each)
	}
	t.Logf("%d syncs for %d records", d.syncs, waiters*each)
}

// What nobody waits for is synced after SyncEvery, and only if there is something. The time is fake.
func TestSyncEvery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &faultyDisk{}
		o := small(t.TempDir())
		o.disk, o.SyncEvery = d, 100*time.Millisecond
		j := mustOpen(t, o)
		must(t, j.WaitSynced(mustAppend(t, j, "first"))) // and the next spare is prepared
		synctest.Wait()
		before := d.syncs
		p := mustAppend(t, j, "r")
		time.Sleep(101 * time.Millisecond)
		synctest.Wait()
		if known, _ := j.isSynced(p); !known || d.syncs != before+1 {
			t.Errorf("synced: %v, %d syncs", known, d.syncs-before)
		}
		time.Sleep(time.Minute)
		if d.syncs != before+1 {
			t.Errorf("an idle journal synced %d times", d.syncs-before)
		}
	})
}

func TestWaitSyncedEnds(t *testing.T) {
	d := &faultyDisk{}
	o := small(t.TempDir())
	o.disk = d
	j := mustOpen(t, o)
	p := mustAppend(t, j, "r")
	must(t, j.WaitSynced(p))
	q := mustAppend(t, j, "q")
	must(t, j.Close())
	if err := j.WaitSynced(q); err != nil {
		t.Errorf("Close syncs, but: %v", err)
	}
	late := Position{segment: q.segment, end: q.end + 16}
	if err := j.WaitSynced(late); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// slow returns a journal in a bubble of fake time, whose syncs take as long as is said with the function, from the next on.
func slow(t *testing.T) (j *Journal, take func(time.Duration)) {
	t.Helper()
	d := &faultyDisk{}
	o := small(t.TempDir())
	o.disk, o.SyncTimeout = d, 10*time.Second
	j = mustOpen(t, o)
	must(t, j.WaitSynced(mustAppend(t, j, "before"))) // and the next spare is prepared
	synctest.Wait()
	return j, func(each time.Duration) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.syncTime = each
	}
}

// TestWaitSyncedOverdue: while the disk hangs, nobody waits for it longer than the time-out, and new ones do not wait for
// those before them. When it goes on, so does everything. What was not promised in time is there all the same.
func TestWaitSyncedOverdue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j, take := slow(t)
		take(25 * time.Second)
		start := time.Now()
		var group sync.WaitGroup
		for _, c := range []struct {
			at, until time.Duration // seconds
			want      error
		}{
			{0, 10, ErrOverdue},  // in the sync that hangs
			{1, 11, ErrOverdue},  // for the next one
			{10, 11, ErrOverdue}, // with the former
			{12, 22, ErrOverdue}, // for another one, because that was given up
			{24, 25, nil},
			{30, 30, nil},
		} {
			group.Go(func() {
				time.Sleep(c.at*time.Second - time.Since(start))
				if c.at == 24 {
					take(0)
				}
				err := j.WaitSynced(mustAppend(t, j, fmt.Sprint("at ", c.at)))
				if now := time.Since(start); !errors.Is(err, c.want) || now != c.until*time.Second {
					t.Errorf("record of %ds: %v after %v, want %v after %ds", c.at, err, now, c.want, c.until)
				}
			})
		}
		group.Wait()
		if got := drain(t, j); len(got) != 7 {
			t.Errorf("records %q", got)
		}
		must(t, j.Close())
	})
}

// TestWaitSyncedOnASlowDisk: syncs that take long, but less than the time-out, are waited for by all.
func TestWaitSyncedOnASlowDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j, take := slow(t)
		take(6 * time.Second)
		var group sync.WaitGroup
		for i := range 400 {
			group.Go(func() {
				time.Sleep(time.Duration(i) * 200 * time.Millisecond)
				if err := j.WaitSynced(mustAppend(t, j, fmt.Sprint(i))); err != nil {
					t.Errorf("record %d: %v", i, err)
				}
			})
		}
		group.Wait()
		must(t, j.Close())
	})
}

// TestWaitSyncedAfterOverdue: a round that all have given up is not what later ones wait for.
func TestWaitSyncedAfterOverdue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j, take := slow(t)
		take(25 * time.Second)
		start := time.Now()
		var group sync.WaitGroup
		for range 2 { // one in the sync that hangs, one for the next
			group.Go(func() {
				if err := j.WaitSynced(mustAppend(t, j, "in vain")); !errors.Is(err, ErrOverdue) {
					t.Error(err)
				}
			})
			time.Sleep(time.Second)
		}
		group.Wait()
		p := mustAppend(t, j, "later")
		take(5 * time.Second)
		time.Sleep(26*time.Second - time.Since(start)) // the next sync runs
		if err := j.WaitSynced(p); err != nil || time.Since(start) != 30*time.Second {
			t.Errorf("%v after %v, want nil after 30s", err, time.Since(start))
		}
		must(t, j.Close())
	})
}

// TestCloseServesWaiters: Close finishes the sync that runs and does the one that is waited for.
func TestCloseServesWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j, take := slow(t)
		take(5 * time.Second)
		var group sync.WaitGroup
		for at := range 2 {
			group.Go(func() {
				time.Sleep(time.Duration(at) * time.Second)
				if err := j.WaitSynced(mustAppend(t, j, fmt.Sprint(at))); err != nil {
					t.Errorf("record of %ds: %v", at, err)
				}
			})
		}
		time.Sleep(2 * time.Second)
		must(t, j.Close())
		group.Wait()
	})
}

// A record whose segment was released is safe elsewhere: nobody waits for it.
func TestWaitSyncedReleased(t *testing.T) {
	j := mustOpen(t, small(t.TempDir()))
	p := mustAppend(t, j, "r")
	drain(t, j)
	must(t, j.WaitSynced(p))
}
