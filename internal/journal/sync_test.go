package journal

import (
	"context"
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
					err = j.WaitSynced(t.Context(), p)
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
		must(t, j.WaitSynced(t.Context(), mustAppend(t, j, "first"))) // and the next spare is prepared
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
	d.mu.Lock() // the sync hangs
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := j.WaitSynced(ctx, p); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	d.mu.Unlock()
	must(t, j.WaitSynced(t.Context(), p))
	q := mustAppend(t, j, "q")
	must(t, j.Close())
	if err := j.WaitSynced(t.Context(), q); err != nil {
		t.Errorf("Close syncs, but: %v", err)
	}
	late := Position{segment: q.segment, end: q.end + 16}
	if err := j.WaitSynced(t.Context(), late); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// A record whose segment was released is safe elsewhere: nobody waits for it.
func TestWaitSyncedReleased(t *testing.T) {
	j := mustOpen(t, small(t.TempDir()))
	p := mustAppend(t, j, "r")
	drain(t, j)
	must(t, j.WaitSynced(t.Context(), p))
}
