package main

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"precount/collector"
	"precount/internal/horizon"
	"precount/internal/journal"
	"precount/internal/lease"
	"precount/internal/sites"
	"precount/preallocator"
	"precount/reporter"
)

// How long each step of stopping may take.
const (
	finishTimeout = 5 * time.Second  // requests in flight
	flushTimeout  = 10 * time.Second // the last hits into the store
)

// learnPause is the time between tries to read which pages there are.
const learnPause = 10 * time.Second

// A service is what one serving process has open.
type service struct {
	common     *common
	flags      serveFlags
	journalMax int64
	wanted     []*sites.Site // of --site and --demo

	journal  *journal.Journal
	store    store
	registry *sites.Registry
	months   *horizon.Horizon
	lease    *lease.Lease // nil until the store answered
	holder   time.Time    // until when another process was seen to hold it
	listener net.Listener

	collector    *collector.Collector
	preallocator *preallocator.Preallocator // nil: switched off
	router       *router
	firstRun     bool
}

// open takes what the service needs, the data directory first: its lock keeps a second process from touching anything.
func (s *service) open(ctx context.Context) (err error) {
	if _, err := os.Stat(s.common.data); errors.Is(err, os.ErrNotExist) {
		s.firstRun = true
	}
	if s.journal, err = s.openJournal(); err != nil {
		return err
	}
	if s.store, err = s.common.openStore(ctx); err != nil {
		return err
	}
	if err := s.checkYears(ctx); err != nil {
		return err
	}
	s.registry = sites.NewRegistry(s.store)
	s.registry.KeepCopy(filepath.Join(s.common.data, "sites.json"))
	s.months = horizon.New(s.store)
	if err := s.build(); err != nil {
		return err
	}
	if err := s.firstContact(ctx); err != nil {
		return err
	}
	s.listener, err = listen(s.flags.listen)
	return err
}

// checkYears looks into the files of the embedded store that hits will be counted in, today and tomorrow anywhere on earth:
// a start is when somebody looks. Later, hits wait in the journal until a file can be used again.
func (s *service) checkYears(ctx context.Context) error {
	embedded, ok := s.store.(interface {
		CheckYear(ctx context.Context, year int) error
	})
	if !ok {
		return nil
	}
	for _, from := range []time.Duration{-24 * time.Hour, 48 * time.Hour} {
		if err := embedded.CheckYear(ctx, time.Now().Add(from).Year()); err != nil {
			return err
		}
	}
	return nil
}

func (s *service) openJournal() (*journal.Journal, error) {
	log := s.common.log
	return journal.Open(journal.Options{
		Dir:      filepath.Join(s.common.data, "journal"),
		MaxBytes: s.journalMax,
		OnDamage: func(e *journal.CorruptionError) { log.Error().Uint64("segment", e.Segment).Err(e).Msg("journal") },
		OnTrouble: func(err error) {
			if err == nil {
				log.Info().Msg("journal: recovered, there is room for segments again")
				return
			}
			log.Error().Err(err).Msg("journal: trouble with the disk; hits are refused with 503 if no segment can take them")
		},
	})
}

func (s *service) build() (err error) {
	s.collector, err = collector.New(collector.Options{
		Journal:    s.journal,
		Store:      s.store,
		Sites:      s.registry.Directory,
		Months:     s.months,
		Ack:        collector.Ack(s.flags.ack),
		FlushEvery: s.flags.flushEvery,
		Permit:     func(ctx context.Context) error { return s.lease.Ensure(ctx) }, // held before anything is counted
		Log:        s.common.log,
	})
	if err != nil {
		return err
	}
	s.common.rejected = s.collector.Rejected
	if s.preallocator, err = s.newPreallocator(); err != nil {
		return err
	}
	s.router = &router{collector: s.collector}
	s.router.reporter, err = reporter.New(reporter.Options{
		Sites: s.registry.Directory,
		Store: s.store,
		Open:  s.flags.openReports,
		Now:   time.Now,
		Log:   s.common.log,
	})
	if err == nil && s.flags.demo {
		s.router.demo, err = newDemo(s.router.reporter.Asset)
	}
	return err
}

// run serves until ctx ends or something fails for good, then stops: no new connections, requests in flight finish, what
// is still sent is refused, and the last hits go into the store. The lease is given up by close.
func (s *service) run(ctx context.Context, restoreSignals func()) (failure error) {
	background, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	var tasks sync.WaitGroup
	tasks.Go(func() {
		if err := s.work(background); err != nil {
			cancel(err)
		}
	})
	server, served := s.router.server(connections(openFiles()), s.common.log), make(chan error, 1)
	go func() { served <- server.Serve(newBoundedListener(s.listener, s.common.log)) }()
	select {
	case <-ctx.Done():
		restoreSignals() // a second signal ends the process at once
		s.common.log.Info().Msg("stopping: finishing requests, then counting what is in the journal")
	case <-background.Done():
		failure = context.Cause(background)
	case failure = <-served:
	}
	finish, done := context.WithTimeout(context.Background(), finishTimeout)
	defer done()
	if err := server.ShutdownWithContext(finish); err != nil {
		s.common.log.Warn().Err(err).Msg("some connections did not finish in time")
	}
	s.collector.Refuse()
	cancel(nil)
	tasks.Wait()
	return errors.Join(failure, s.finish())
}

// work does all that needs the store, once it answers: nothing is counted before the collector's lease is held, because
// two processes that count under one id would each take the other's batches for their own. It returns nil when ctx ends.
func (s *service) work(ctx context.Context) error {
	if err := s.contact(ctx); err != nil {
		return err
	}
	var tasks sync.WaitGroup
	defer tasks.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	log := s.common.log
	if err := s.collector.Announce(ctx); err != nil { // then the first flush does it
		log.Debug().Err(err).Msg("retention is not told yet which months this collector may write")
	}
	tasks.Go(func() { s.collector.Run(ctx) })
	tasks.Go(func() {
		var remind reminder
		s.registry.Run(ctx, func(err error) {
			if remind.due() {
				log.Warn().Err(err).Msg("sites may not be as they should")
			}
		})
	})
	tasks.Go(func() {
		s.months.Run(ctx, func(err error) { log.Debug().Err(err).Msg("months stay as they were last read") })
	})
	tasks.Go(func() { s.retain(ctx) })
	tasks.Go(func() { s.learn(ctx) })
	if s.preallocator != nil {
		tasks.Go(func() { s.preallocator.Run(ctx) })
	}
	return s.keepLease(ctx)
}

// learn tells the collector which pages there are already; until it worked, caps count from zero.
func (s *service) learn(ctx context.Context) {
	for s.collector.Learn(ctx, s.store) != nil {
		select {
		case <-ctx.Done():
			return
		case <-time.After(learnPause):
		}
	}
}

// finish counts what is left and gives the lease up, as far as the store lets it.
func (s *service) finish() error {
	if s.lease == nil {
		s.common.log.Warn().Uint64("hits", s.collector.Ledger().Pending).Msg("stopped; the store never answered, the hits stay in the journal")
		return nil
	}
	ctx, done := context.WithTimeout(context.Background(), flushTimeout)
	defer done()
	if err := s.collector.Stop(ctx); err != nil {
		s.common.log.Warn().Err(err).Msg("stopped")
		return nil
	}
	s.common.log.Info().Uint64("counted", s.collector.Ledger().Counted).Msg("stopped; every hit is counted")
	return nil
}

// close gives everything back, in the reverse order of open.
func (s *service) close() error {
	var errs []error
	if s.listener != nil {
		if err := s.listener.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	if s.lease != nil {
		s.releaseLease()
	}
	if s.store != nil {
		errs = append(errs, s.store.Close())
	}
	if s.journal != nil {
		errs = append(errs, s.journal.Close())
	}
	return errors.Join(errs...)
}
