package horizon

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"precount/internal/counters"
	"precount/internal/sqlitestore"
)

var oct25 = counters.Month{Year: 2025, Month: time.October}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T) Records {
	t.Helper()
	s, err := sqlitestore.Open(sqlitestore.Options{Dir: t.TempDir()})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

func TestLine(t *testing.T) {
	records, ctx := open(t), t.Context()
	h, other := New(records), New(records)
	check := func(want ...bool) {
		t.Helper()
		for _, h := range []*Horizon{h, other} {
			must(t, h.Refresh(ctx))
			for i, expired := range want {
				if m := oct25.Add(i - 1); h.Expired(m) != expired {
					t.Errorf("%s expired: %v", m, !expired)
				}
			}
		}
	}
	check(false, false, false)
	must(t, h.Reopen(ctx, oct25))
	must(t, h.Close(ctx, oct25))
	check(true, true, false)
	must(t, other.Reopen(ctx, oct25))
	must(t, other.Reopen(ctx, oct25))
	check(true, false, false)
	must(t, h.Close(ctx, oct25.Add(-1))) // an older month moves nothing forward or back
	check(true, false, false)
	must(t, h.Close(ctx, oct25))
	check(true, true, false)
}

func TestBacklogs(t *testing.T) {
	records, ctx := open(t), t.Context()
	h := New(records)
	must(t, h.Close(ctx, oct25))
	for _, m := range []counters.Month{oct25.Add(2), oct25} {
		expired, err := h.Announce(ctx, "c1", m)
		must(t, err)
		if !expired(oct25) || expired(oct25.Add(1)) {
			t.Error("Announce does not say which months are put away")
		}
		if got, err := h.Announced(ctx, "c1"); err != nil || got != m {
			t.Errorf("announced %v, %v", got, err)
		}
	}
	_, err := h.Announce(ctx, "c2", oct25.Add(1))
	must(t, err)
	all, err := h.Backlogs(ctx)
	must(t, err)
	if len(all) != 2 || all[0].Collector != "c1" || all[0].Oldest != oct25 || all[1].Oldest != oct25.Add(1) {
		t.Errorf("backlogs %+v", all)
	}
	for range 2 {
		must(t, h.Forget(ctx, "c1"))
	}
	if got, err := h.Announced(ctx, "c1"); err != nil || !got.IsZero() {
		t.Errorf("announced %v, %v", got, err)
	}
}

// TestNeverMiss: of a collector that announces a month and a retention that closes it, at least one sees the other.
func TestNeverMiss(t *testing.T) {
	records, ctx := open(t), t.Context()
	for round := range 30 {
		m := oct25.Add(round)
		var seenByCollector, seenByRetention bool
		var wg sync.WaitGroup
		wg.Go(func() {
			expired, err := New(records).Announce(ctx, fmt.Sprint("c", round), m)
			if err != nil {
				t.Error(err)
				return
			}
			seenByCollector = expired(m)
		})
		wg.Go(func() {
			h := New(records)
			if err := h.Close(ctx, m); err != nil {
				t.Error(err)
			}
			all, err := h.Backlogs(ctx)
			if err != nil {
				t.Error(err)
			}
			for _, b := range all {
				seenByRetention = seenByRetention || b.Collector == fmt.Sprint("c", round)
			}
		})
		wg.Wait()
		if !seenByCollector && !seenByRetention {
			t.Fatalf("round %d: neither saw the other", round)
		}
	}
}

func TestDamagedRecords(t *testing.T) {
	records, ctx := open(t), t.Context()
	h := New(records)
	must(t, h.Close(ctx, oct25))
	record, err := records.Get(ctx, counters.RetentionRecords, lineID)
	must(t, err)
	record.Body = []byte(`{"dropped_before":"soon"}`)
	_, err = records.Put(ctx, counters.RetentionRecords, record)
	must(t, err)
	if err := h.Refresh(ctx); err == nil {
		t.Error("a damaged line is read")
	}
	if !h.Expired(oct25) {
		t.Error("the line did not stay as it was")
	}
}
