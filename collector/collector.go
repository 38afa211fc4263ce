package collector

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"github.com/valyala/fasthttp"

	"precount/internal/counters"
	"precount/internal/journal"
	"precount/internal/sites"
)

// An Ack is what an answer of 200 promises.
type Ack string

// The promises.
const (
	AckWritten Ack = "written" // the hit survives the death of the process
	AckSynced  Ack = "synced"  // the hit survives a power cut
)

// MinFlushEvery is the shortest interval between flushes: each syncs the store's disk.
const MinFlushEvery = 10 * time.Millisecond

// Options configure a Collector. Journal, Store and Sites are needed; other zero fields mean the default.
type Options struct {
	Journal *journal.Journal // stays the caller's to close, after Stop
	Store   Store
	Sites   func() *sites.Directory // called for every hit; must not block
	Months  Months                  // which months take no hits any more; nil: all take them

	// Permit is asked before each try of a batch; an error makes the batch wait. It is where a lease keeps two processes from
	// counting under one id. nil: always permitted.
	Permit func(context.Context) error

	Ack        Ack              // AckWritten
	FlushEvery time.Duration    // 1 s; at least MinFlushEvery
	Caps       Caps             // see there
	Now        func() time.Time // time.Now; a hit's time is then when the fasthttp server had read its request
	Log        zerolog.Logger
}

// A Collector takes hits and counts them in a store. All its methods are safe for concurrent use, but Run and Stop are
// called once.
type Collector struct {
	options     Options
	journal     *journal.Journal
	arrival     func(*fasthttp.RequestCtx) time.Time // of a hit
	cardinality *cardinality
	scratches   sync.Pool
	sheet       tallySheet
	flusher     *flusher
	metrics     *metrics
	appending   *outage
	syncing     *outage
	stopping    atomic.Bool
}

// New checks the options and returns a Collector. Hits are taken at once; they are counted while Run runs.
func New(o Options) (*Collector, error) {
	if o.Ack == "" {
		o.Ack = AckWritten
	}
	if o.FlushEvery == 0 {
		o.FlushEvery = time.Second
	}
	arrival := (*fasthttp.RequestCtx).Time // the server looks at its clock anyway
	if now := o.Now; now != nil {
		arrival = func(*fasthttp.RequestCtx) time.Time { return now() }
	} else {
		o.Now = time.Now
	}
	if o.Permit == nil {
		o.Permit = func(context.Context) error { return nil }
	}
	if o.Months == nil {
		o.Months = allMonths{}
	}
	switch {
	case o.Journal == nil || o.Store == nil || o.Sites == nil:
		return nil, errors.New("collector: Journal, Store and Sites are needed")
	case o.Ack != AckWritten && o.Ack != AckSynced:
		return nil, fmt.Errorf("ack %q: want %s or %s", o.Ack, AckWritten, AckSynced)
	case o.FlushEvery < MinFlushEvery:
		return nil, fmt.Errorf("flush every %v: want %v or more", o.FlushEvery, MinFlushEvery)
	}
	c := &Collector{
		options:     o,
		journal:     o.Journal,
		arrival:     arrival,
		cardinality: newCardinality(o.Caps),
		scratches:   sync.Pool{New: func() any { return newScratch() }},
		appending:   &outage{log: o.Log, what: "write the journal", hint: "hits are refused with 503 until it can"},
		syncing:     &outage{log: o.Log, what: "sync the journal", hint: "hits are answered with 503, but those written will count"},
	}
	c.flusher = &flusher{
		journal: o.Journal,
		store:   o.Store,
		permit:  o.Permit,
		settle:  c.sheet.settle,
		backlog: backlog{months: o.Months, collector: o.Journal.ID(), running: c.running},
		apply:   &outage{log: o.Log, what: "write to the store", hint: "hits wait in the journal and nothing is lost; trying again"},
		damage:  &outage{log: o.Log, what: "carry a segment of the journal to the store", hint: "it is kept; trying again"},
	}
	c.flusher.up.Store(true)
	c.metrics = newMetrics(books{c}) // reads the books once
	c.flusher.metrics = c.metrics
	return c, nil
}

// Run counts what is journaled until ctx ends. When it returns, nothing is being written to the store; what is not yet
// counted stands in the journal.
func (c *Collector) Run(ctx context.Context) { c.flusher.run(ctx, c.options.FlushEvery) }

// Refuse answers all hits from now on with 503 and "stopping".
func (c *Collector) Refuse() { c.stopping.Store(true) }

// Stop refuses further hits and counts what is in the journal, until ctx ends; call it after Run returned. If the store
// does not take everything in time, the rest stays in the journal for the next start, and the error says so.
func (c *Collector) Stop(ctx context.Context) error {
	c.Refuse()
	c.sheet.settle()
	if err := c.flusher.flush(ctx); err != nil {
		return fmt.Errorf("%d hits stay in the journal and will be counted at the next start: %w", c.Ledger().Pending, err)
	}
	return c.flusher.backlog.end(ctx)
}

// StoreUp says whether the store is known to answer, for the metrics; flushes find out by themselves.
func (c *Collector) StoreUp(up bool) { c.flusher.up.Store(up) }

// Token returns the token of the last batch that the store has of this process; 0 before the first.
func (c *Collector) Token() uint64 { return c.flusher.done.Load() }

// RefuseUnread counts a request that was too large to be read, so that not even its address is known.
func (c *Collector) RefuseUnread() {
	c.sheet.mu.RLock()
	defer c.sheet.mu.RUnlock()
	c.sheet.received.Add(1)
	c.sheet.verdicts[TooLong].Add(1)
}

// Rejected counts an update that the store set aside because its document could not take it.
func (c *Collector) Rejected() { c.metrics.rejected.Inc() }

// Ready returns nil while hits are accepted, else why they are not.
func (c *Collector) Ready() error {
	if c.stopping.Load() {
		return errors.New("stopping")
	}
	if stats := c.journal.Stats(); !stats.Accepting {
		return fmt.Errorf("the journal takes no hits: %w", stats.Refusal)
	}
	return nil
}

// Announce tells retention which months this collector may write, before it takes its first hit: those of an earlier process
// that stand in the journal, or those from now on.
func (c *Collector) Announce(ctx context.Context) error { return c.flusher.backlog.begin(ctx) }

// running returns the month that runs in the westernmost of the sites, the oldest that a hit can still fall into.
func (c *Collector) running() counters.Month {
	now := c.options.Now()
	oldest := counters.MonthOf(now.In(westernmost))
	for i, s := range c.options.Sites().All() {
		if m := s.Local(now).Month; i == 0 || m.Before(oldest) {
			oldest = m
		}
	}
	return oldest
}

// westernmost is where days end last on earth, for as long as there are no sites.
var westernmost = time.FixedZone("UTC-12", -12*60*60)

// Ledger returns what became of all hits, at this moment.
func (c *Collector) Ledger() Ledger { return c.sheet.snapshot(c.journal, &c.flusher.late) }

// Learn reads from the store which pages and sections the sites already have this month, so that caps hold across
// restarts. Hits may come meanwhile.
func (c *Collector) Learn(ctx context.Context, names Names) error {
	for _, s := range c.options.Sites().All() {
		if err := c.cardinality.load(ctx, names, s.Base, s.Local(c.options.Now()).Month); err != nil {
			return fmt.Errorf("read the pages of %s: %w", s.Host, err)
		}
	}
	return nil
}
