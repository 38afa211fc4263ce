package collector

import (
	"context"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"precount/internal/counters"
	"precount/internal/horizon"
	"precount/internal/sites"
)

var (
	sep26 = counters.Month{Year: 2026, Month: 9}
	oct26 = counters.Month{Year: 2026, Month: 10}
	nov26 = counters.Month{Year: 2026, Month: 11}
)

// withHorizon is a pipeline whose collector knows of retention.
func withHorizon(t *testing.T) (*pipeline, *horizon.Horizon) {
	t.Helper()
	p := newPipeline(t, site(t, "berlin.example", "Europe/Berlin"), site(t, "west.example", "America/Los_Angeles"))
	h := horizon.New(p.store)
	var err error
	p.Collector, err = New(Options{Journal: p.journal, Store: p.store, Sites: func() *sites.Directory { return p.directory }, Months: h,
		Now: func() time.Time { return p.now }, Log: zerolog.Nop()})
	must(t, err)
	return p, h
}

func (p *pipeline) announced(h *horizon.Horizon, want counters.Month) {
	p.t.Helper()
	got, err := h.Announced(context.Background(), p.journal.ID())
	must(p.t, err)
	if got != want {
		p.t.Errorf("announced is %v, want %v", got, want)
	}
}

// TestExpired: a hit for a month that was put away is refused with its reason, and allocates nothing.
func TestExpired(t *testing.T) {
	p, h := withHorizon(t)
	must(t, h.Close(context.Background(), oct26))
	p.now = time.Date(2026, 10, 15, 12, 0, 0, 0, time.UTC)
	answer := p.hit("berlin.example", "/")
	if answer.StatusCode() != 410 || string(answer.Header.Peek("X-Precount")) != "expired" || len(answer.Body()) != 43 {
		t.Errorf("%d %s", answer.StatusCode(), answer.Header.String())
	}
	must(t, p.Ledger().Check())
	if n := p.Ledger().Verdicts[Expired]; n != 1 || p.Ledger().Refused() != 1 {
		t.Errorf("%d expired", n)
	}
	p.now = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	if status := p.hit("berlin.example", "/").StatusCode(); status != 200 {
		t.Error(status)
	}
	if n := testing.AllocsPerRun(100, func() { h.Expired(oct26) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestAnnouncedMonths: what is announced is never later than a hit that is not in the store, and goes on when all are.
func TestAnnouncedMonths(t *testing.T) {
	ctx := context.Background()
	p, h := withHorizon(t)
	p.now = time.Date(2026, 10, 31, 23, 30, 0, 0, time.UTC) // November in Berlin
	must(t, p.Announce(ctx))
	p.announced(h, oct26)
	p.hit("berlin.example", "/")
	p.mustFlush()
	p.announced(h, oct26)
	p.hit("west.example", "/")
	p.now = time.Date(2026, 11, 1, 7, 0, 0, 0, time.UTC) // November everywhere
	p.announced(h, oct26)
	p.mustFlush()
	p.announced(h, nov26)
	p.now = time.Date(2026, 9, 30, 12, 0, 0, 0, time.UTC) // a clock that is wrong
	p.hit("west.example", "/")
	p.mustFlush()
	p.announced(h, sep26)
	if n := len(p.documents(counters.Pages, sep26)); n != 1 {
		t.Errorf("%d pages", n)
	}
	p.now = time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)
	p.hit("west.example", "/")
	must(t, p.Stop(ctx))
	p.announced(h, counters.Month{})
}

// TestAnnouncedByAnEarlierProcess: its hits stand in the journal, so the next process begins with its months.
func TestAnnouncedByAnEarlierProcess(t *testing.T) {
	ctx := context.Background()
	p, h := withHorizon(t)
	_, err := h.Announce(ctx, p.journal.ID(), sep26)
	must(t, err)
	must(t, p.Announce(ctx))
	p.announced(h, sep26)
	p.mustFlush()
	p.announced(h, nov26)
}

// TestLate: hits whose month is put away while they wait, which only happens when their journal was given up, do not bring the
// month back; they are counted as late, the others are counted, and the ledger balances.
func TestLate(t *testing.T) {
	ctx := context.Background()
	p, h := withHorizon(t)
	p.now = time.Date(2026, 10, 15, 12, 0, 0, 0, time.UTC)
	must(t, p.Announce(ctx))
	for range 3 {
		p.hit("berlin.example", "/a/b")
	}
	p.now = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	p.hit("berlin.example", "/a/b")
	must(t, h.Forget(ctx, p.journal.ID()))
	must(t, h.Close(ctx, oct26))
	p.flusher.backlog.oldest = counters.Month{} // another process
	p.mustFlush()
	all, err := p.store.Collections(ctx)
	must(t, err)
	for _, c := range all {
		if c.Month == oct26 {
			t.Errorf("%s came back", c)
		}
	}
	if n := p.documents(counters.Pages, nov26)["example.berlin/a/b"].Total; n != 1 {
		t.Errorf("%d views in November", n)
	}
	l := p.Ledger()
	must(t, l.Check())
	if l.Late != 3 || l.Lost != 3 || l.Counted != 1 || l.Pending != 0 {
		t.Errorf("%+v", l)
	}
}
