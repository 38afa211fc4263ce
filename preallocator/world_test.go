package preallocator

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"github.com/valyala/fasthttp"

	"precount/collector"
	"precount/internal/counters"
	"precount/internal/journal"
	"precount/internal/sites"
	"precount/internal/sqlitestore"
)

// A world is all that counts, in fake time: a real journal, a real store, and the way of a hit between them.
type world struct {
	t         *testing.T
	dir       string
	log       *logged
	store     *guarded
	collector *collector.Collector
	directory atomic.Pointer[sites.Directory]
}

// inWorld runs a test in a world that begins at the given time.
func inWorld(t *testing.T, at string, test func(w *world), all ...*sites.Site) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(instant(t, at)))
		store, err := sqlitestore.Open(sqlitestore.Options{Dir: dir})
		must(t, err)
		defer store.Close()
		j, err := journal.Open(journal.Options{Dir: filepath.Join(dir, "journal"), SegmentBytes: 64 << 10, MaxBytes: 1 << 20, SyncEvery: time.Hour})
		must(t, err)
		defer j.Close()
		w := &world{t: t, dir: dir, log: &logged{}, store: &guarded{Store: store}}
		w.directory.Store(directory(t, all...))
		w.collector, err = collector.New(collector.Options{Journal: j, Store: store, Sites: w.directory.Load, FlushEvery: flushEvery,
			Now: time.Now})
		must(t, err)
		var group sync.WaitGroup
		ctx, cancel := context.WithCancel(context.Background())
		group.Go(func() { w.collector.Run(ctx) })
		defer group.Wait()
		defer cancel()
		test(w)
	})
}

const flushEvery = time.Hour

// options of a process with a name.
func (w *world) options(owner string) Options {
	return Options{Store: w.store, Records: w.store, Sites: w.directory.Load, Owner: owner, Log: zerolog.New(w.log)}
}

func (w *world) start(o Options) *Preallocator {
	w.t.Helper()
	p, err := New(o)
	must(w.t, err)
	return p
}

// run lets a Preallocator run until the returned function is called.
func (w *world) run(o Options) (stop func()) {
	p := w.start(o)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); p.Run(ctx) }()
	return func() { cancel(); <-done }
}

func (w *world) hit(s *sites.Site, path string) {
	w.t.Helper()
	var ctx fasthttp.RequestCtx
	var request fasthttp.Request
	request.SetRequestURI("/pixel.gif?host=" + s.Host + "&path=" + path)
	ctx.Init(&request, nil, nil)
	w.collector.Pixel(&ctx)
	if status := ctx.Response.StatusCode(); status != 200 {
		w.t.Fatalf("%s%s: status %d", s.Host, path, status)
	}
}

// flushed lets time pass until everything is counted.
func (w *world) flushed() {
	w.t.Helper()
	time.Sleep(flushEvery + time.Second)
	if l := w.collector.Ledger(); l.Pending > 0 {
		w.t.Fatalf("%+v", l)
	}
}

// views returns the total of each document of a site, and checks that each has all its counters.
func (w *world) views(m counters.Month, kind counters.Kind, base string) map[string]int64 {
	w.t.Helper()
	c := counters.Collection{Month: m, Kind: kind}
	all := map[string]int64{}
	for d, err := range w.store.Scan(context.Background(), c, counters.IDPrefix(kind, base)) {
		must(w.t, err)
		all[d.Key.ID()] = d.Total
		var sum int64
		for _, n := range d.Counts {
			sum += n
		}
		if len(d.Counts) != len(c.Counters())-1 || sum != d.Total {
			w.t.Errorf("%s %q: %d counters that sum up to %d, total %d", c, d.Key.ID(), len(d.Counts), sum, d.Total)
		}
	}
	return all
}

// count returns how many documents a site has in a month.
func (w *world) count(m counters.Month, base string) (n int) {
	for _, kind := range preparedKinds {
		n += len(w.views(m, kind, base))
	}
	return n
}

// A guarded store may be away, tells before each Insert, and remembers what Insert was told.
type guarded struct {
	*sqlitestore.Store
	before func() // each Insert of some keys

	mu       sync.Mutex
	away     bool
	inserts  int
	most     int // keys in one Insert
	tokensOf []string
}

func (g *guarded) setAway(away bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.away = away
}

func (g *guarded) Insert(ctx context.Context, c counters.Collection, keys []counters.Key, collectors []string) (int, error) {
	if g.before != nil && len(keys) > 0 {
		g.before()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.away {
		return 0, fmt.Errorf("the store is away")
	}
	g.inserts++
	g.most = max(g.most, len(keys))
	g.tokensOf = collectors
	return g.Store.Insert(ctx, c, keys, collectors)
}

// logged is a log that tests read.
type logged struct {
	mu    sync.Mutex
	lines []string
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, string(p))
	return len(p), nil
}

func (l *logged) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines
}
