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

// TestWaitSyncedOverdue: while the disk hangs, nobody waits for it longer than the time-out, and new ones do not wait for
// those before them. When it goes on, so does everything. What was not promised in time is there all the same.
func TestWaitSyncedOverdue(t *testing.T) {
	d := &faultyDisk{}
	o := small(t.TempDir())
	o.disk, o.SyncTimeout = d, 50*time.Millisecond
	j := mustOpen(t, o)
	must(t, j.WaitSynced(mustAppend(t, j, "before")))
	d.hang.Lock()
	for i := range 6 {
		begin := time.Now()
		if err := j.WaitSynced(mustAppend(t, j, fmt.Sprint("meanwhile ", i))); !errors.Is(err, ErrOverdue) {
			t.Errorf("record %d: %v", i, err)
		}
		if took := time.Since(begin); took < o.SyncTimeout {
			t.Errorf("record %d waited only %v", i, took)
		}
	}
	d.hang.Unlock()
	must(t, j.WaitSynced(mustAppend(t, j, "after")))
	if got := drain(t, j); len(got) != 8 {
		t.Errorf("records %q", got)
	}
}

// A record whose segment was released is safe elsewhere: nobody waits for it.
func TestWaitSyncedReleased(t *testing.T) {
	j := mustOpen(t, small(t.TempDir()))
	p := mustAppend(t, j, "r")
	drain(t, j)
	must(t, j.WaitSynced(p))
}
