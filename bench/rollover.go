package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"precount/collector"
	"precount/internal/counters"
	"precount/internal/journal"
	"precount/internal/sites"
	"precount/preallocator"
)

const (
	busyPages  = 50_000
	steadyRate = 2_000            // hits per second, over all pages alike: the worst case for the turn
	aroundTurn = 30 * time.Second // of load, before the month's end and after it
	manyKeys   = 100_000

	benchSections = 97
)

// theTurn is when the month ends.
var theTurn = time.Date(2031, time.December, 1, 0, 0, 0, 0, time.UTC)

// A turnStore is what rollover needs of an engine.
type turnStore interface {
	store
	preallocator.Store
	preallocator.Records
}

// rollover drives a steady load over the end of a month, with and without its documents prepared, and measures the
// flushes.
func rollover(dir string) error {
	all, stop := engines(dir)
	defer stop()
	for _, e := range all {
		if err := e.templates(dir); err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		fmt.Printf("\nRollover, %s: %d hits/s over %d pages at random, %v before the month's end and %v after it. Time of one flush:\n\n",
			e.name, steadyRate, busyPages, aroundTurn, aroundTurn)
		fmt.Println("| run | part | flushes | p50 | p99 | max | max / median before | inserted documents | changed in place | most pending hits |")
		fmt.Println("|---|---|---|---|---|---|---|---|---|---|")
		for _, prepared := range []bool{false, true} {
			if err := e.turn(dir, prepared); err != nil {
				return fmt.Errorf("%s: %w", e.name, err)
			}
		}
	}
	return nil
}

// openTurn opens an engine without the months around the turn.
func (e engine) openTurn(turn time.Time) (turnStore, error) {
	s, err := e.open()
	if err != nil {
		return nil, err
	}
	for _, m := range []counters.Month{counters.MonthOf(turn).Add(-1), counters.MonthOf(turn)} {
		for _, kind := range counters.Kinds() {
			err = errors.Join(err, s.Drop(context.Background(), counters.Collection{Month: m, Kind: kind}))
		}
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s.(turnStore), nil
}

// templates times the insertion of many templates into a new month, in chunks as the preallocator makes them.
func (e engine) templates(dir string) (err error) {
	s, err := e.openTurn(theTurn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	keys := make([]counters.Key, manyKeys)
	for i := range keys {
		keys[i] = counters.PageKey(counters.MonthOf(theTurn), benchBase, pagePath(i))
	}
	slices.SortFunc(keys, func(a, b counters.Key) int { return strings.Compare(a.ID(), b.ID()) }) // as the preallocator does
	before, start := e.sizeOnDisk(dir), time.Now()
	for part := range slices.Chunk(keys, 1000) {
		if _, err := s.Insert(context.Background(), part[0].Collection, part, []string{"bench"}); err != nil {
			return err
		}
	}
	took := time.Since(start)
	fmt.Printf("\nTemplates, %s: %d pages in chunks of 1,000: %v (%.0f/s), about %d bytes each on disk.\n", e.name, manyKeys,
		took.Round(time.Millisecond), manyKeys/took.Seconds(), (e.sizeOnDisk(dir)-before)/manyKeys)
	return nil
}

func pagePath(i int) string { return fmt.Sprintf("/section-%d/page-%d", i%benchSections, i) }

// A turning is one run over the month's end.
type turning struct {
	store     *timedStore
	collector *collector.Collector
	directory *sites.Directory
	turn      time.Time
	start     time.Time // of the load, on the real clock
}

// now is the clock of the run: the month ends aroundTurn after its start.
func (r *turning) now() time.Time {
	if r.start.IsZero() {
		return r.turn.Add(-time.Hour)
	}
	return r.turn.Add(time.Since(r.start) - aroundTurn)
}

func (e engine) turn(dir string, prepared bool) (err error) {
	store, err := e.openTurn(theTurn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	r, how := &turning{turn: theTurn}, "not prepared"
	site, err := sites.New("example.org")
	if err != nil {
		return err
	}
	if r.directory, err = sites.NewDirectory([]*sites.Site{site}); err != nil {
		return err
	}
	if err := fillMonth(store, counters.MonthOf(theTurn).Add(-1)); err != nil {
		return err
	}
	if prepared {
		begin := time.Now()
		if err := r.prepare(store); err != nil {
			return err
		}
		how = fmt.Sprintf("prepared in %v", time.Since(begin).Round(time.Millisecond))
	}
	if r.store, err = newTimedStore(store, r); err != nil {
		return err
	}
	before := e.sizeOnDisk(dir)
	if err := r.load(filepath.Join(dir, fmt.Sprint("journal-", e.name, prepared))); err != nil {
		return err
	}
	r.print(fmt.Sprintf("%s; files %.1f MB before the load, %.1f MB after it", how, float64(before)/1e6, float64(e.sizeOnDisk(dir))/1e6))
	return nil
}

// fillMonth counts 20 views of every page, so that all of them are worth preparing, with their sections.
func fillMonth(store collector.Store, m counters.Month) error {
	batch := counters.Batch{Collector: "fill", Token: uint64(time.Now().UnixNano())}
	add := func(key counters.Key) {
		batch.Updates = append(batch.Updates, counters.Update{Key: key,
			Inc: []counters.Delta{{Field: counters.Total, N: 20}, {Field: counters.Day(7), N: 20}}})
	}
	for i := range busyPages - 1 { // and "/": the cap
		add(counters.PageKey(m, benchBase, pagePath(i)))
	}
	add(counters.SectionKey(m, benchBase, 0, "/"))
	for i := range benchSections {
		add(counters.SectionKey(m, benchBase, 1, fmt.Sprintf("/section-%d/", i)))
	}
	return store.Apply(context.Background(), batch)
}

func (r *turning) prepare(store turnStore) error {
	p, err := preallocator.New(preallocator.Options{Store: store, Records: store, Sites: func() *sites.Directory { return r.directory },
		Owner: "bench", Now: r.now})
	if err != nil {
		return err
	}
	_, err = p.Prepare(context.Background(), counters.Month{}, nil)
	return err
}

// load sends hits over the turn, by the whole way of a hit but the network.
func (r *turning) load(journalDir string) (err error) {
	j, err := journal.Open(journal.Options{Dir: journalDir})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	r.collector, err = collector.New(collector.Options{Journal: j, Store: r.store, Sites: func() *sites.Directory { return r.directory }, Now: r.now})
	if err != nil {
		return err
	}
	r.start = time.Now()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); r.collector.Run(ctx) }()
	err = r.hits()
	cancel()
	<-done
	return errors.Join(err, r.collector.Stop(context.Background()), r.collector.Ledger().Check())
}

func (r *turning) hits() error {
	const slice = 10 * time.Millisecond
	random := rand.New(rand.NewPCG(7, 7))
	tick := time.NewTicker(slice)
	defer tick.Stop()
	for sent := 0; ; {
		<-tick.C
		elapsed := time.Since(r.start)
		if elapsed > 2*aroundTurn {
			return nil
		}
		for ; sent < int(elapsed.Seconds()*steadyRate); sent++ {
			var ctx fasthttp.RequestCtx
			var request fasthttp.Request
			request.SetRequestURI("/pixel.gif?host=example.org&path=" + pagePath(random.IntN(busyPages-1)))
			ctx.Init(&request, nil, nil)
			if r.collector.Pixel(&ctx); ctx.Response.StatusCode() != fasthttp.StatusOK {
				return fmt.Errorf("a hit was answered with %d", ctx.Response.StatusCode())
			}
		}
	}
}

// sizeOnDisk returns the bytes of the embedded engine's files, or of the test server's tables and indexes. What goes away
// meanwhile is not counted.
func (e engine) sizeOnDisk(dir string) (size int64) {
	part, in := ".db", "sqlite"
	if e.flags != nil {
		part, in = "/base/", "mongodb"
	}
	_ = filepath.WalkDir(filepath.Join(dir, in), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(path, part) {
			return nil
		}
		if info, err := d.Info(); err == nil {
			size += info.Size()
		}
		return nil
	})
	return size
}
