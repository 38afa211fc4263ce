package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"precount/collector"
	"precount/internal/counters"
	"precount/internal/horizon"
	"precount/internal/journal"
	"precount/internal/sites"
	"precount/pixel"
	"precount/reporter"
)

// minJournal is the smallest --journal-max; see journal.Options.MaxBytes.
const minJournal = 256 << 10

// How long each step of stopping may take.
const (
	finishTimeout = 5 * time.Second  // requests in flight
	flushTimeout  = 10 * time.Second // the last hits into the store
)

type serveFlags struct {
	listen      string
	ack         string
	flushEvery  time.Duration
	journalMax  string
	sites       []string
	openReports bool
	demo        bool
	retain      retainFlags
}

func (c *common) serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Collect hits and show reports, in one process",
		Long: `Collect hits and show reports, in one process, until SIGINT or SIGTERM.

A first start needs nothing: the data directory and the store are made. The process prints its address and the line of
HTML to paste into your pages.`,
		Example: `  precount serve --demo
  precount serve --site example.org --listen :8080
  PRECOUNT_SITE=example.org PRECOUNT_DATA=/var/lib/precount precount serve`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.serve(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.listen, "listen", "127.0.0.1:8080", `address; ":8080" for all interfaces`)
	flags.StringVar(&f.ack, "ack", "written", "what a 200 promises: written (survives the process) or synced (survives a power cut)")
	flags.DurationVar(&f.flushEvery, "flush-every", time.Second, "how often hits go from the journal into the store")
	flags.StringVar(&f.journalMax, "journal-max", "1GiB", "size of the journal beyond which hits are refused with 503")
	flags.StringArrayVar(&f.sites, "site", nil, "register this site if it is not yet (repeatable)")
	flags.BoolVar(&f.openReports, "open-reports", false, "show reports and API to everybody, without a login")
	flags.BoolVar(&f.demo, "demo", false, "register localhost, with public reports, and serve /demo/, a page with the pixel on it")
	f.retain.register(flags, "months to keep, the running one included; older ones are archived and dropped every day (default: keep all)")
	return cmd
}

// check returns the journal's cap in bytes, and what is wrong with the flags before anything is touched.
func (f serveFlags) check() (journalMax int64, err error) {
	size, err := humanize.ParseBytes(f.journalMax)
	switch {
	case err != nil || size < minJournal || size > 1<<50:
		return 0, fmt.Errorf("--journal-max %q: want a size like 512MiB or 1GiB, at least 256KiB", f.journalMax)
	case f.ack != string(collector.AckWritten) && f.ack != string(collector.AckSynced):
		return 0, fmt.Errorf("--ack %q: want written or synced", f.ack)
	case f.flushEvery < collector.MinFlushEvery || f.flushEvery > time.Hour:
		return 0, fmt.Errorf("--flush-every %v: want %v to 1h", f.flushEvery, collector.MinFlushEvery)
	}
	if err := f.retain.checkServe(); err != nil {
		return 0, err
	}
	for _, host := range f.sites {
		if _, err := sites.New(host); err != nil {
			return 0, fmt.Errorf("--site: %w", err)
		}
	}
	return int64(size), nil
}

// A service is what one serving process has open.
type service struct {
	common     *common
	flags      serveFlags
	journalMax int64

	journal  *journal.Journal
	store    store
	registry *sites.Registry
	months   *horizon.Horizon
	listener net.Listener

	collector *collector.Collector
	router    *router
	firstRun  bool
}

func (c *common) serve(ctx context.Context, f serveFlags) (err error) {
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, restore := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer restore()
	maxBytes, err := f.check()
	if err != nil {
		return usageError{err}
	}
	if _, err := c.storeDir(); err != nil {
		return err
	}
	s := &service{common: c, flags: f, journalMax: maxBytes}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.open(ctx); err != nil {
		return err
	}
	s.welcome()
	return s.run(ctx, restore)
}

// open takes what the service needs, the data directory first: its lock keeps a second process from touching anything.
func (s *service) open(ctx context.Context) (err error) {
	if _, err := os.Stat(s.common.data); errors.Is(err, os.ErrNotExist) {
		s.firstRun = true
	}
	if s.journal, err = s.openJournal(); err != nil {
		return err
	}
	if s.store, err = s.common.openStore(); err != nil {
		return err
	}
	s.registry = sites.NewRegistry(s.store)
	if err := s.registry.Refresh(ctx); err != nil {
		return err
	}
	if err := s.register(ctx); err != nil {
		return err
	}
	s.months = horizon.New(s.store)
	if err := s.build(); err != nil {
		return err
	}
	if err := s.collector.Announce(ctx); err != nil {
		return err
	}
	s.listener, err = listen(s.flags.listen)
	return err
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

// register adds the sites of --site and --demo that are not there yet.
func (s *service) register(ctx context.Context) error {
	wanted := s.flags.sites
	if s.flags.demo {
		wanted = append(wanted[:len(wanted):len(wanted)], demoHost)
	}
	for _, host := range wanted {
		site, err := sites.New(host)
		if err != nil {
			return err
		}
		site.Public = s.flags.demo && site.Host == demoHost
		if err := s.registry.Add(ctx, site); err != nil && !errors.Is(err, sites.ErrExists) && !errors.Is(err, counters.ErrConflict) {
			return err
		}
	}
	return nil
}

func (s *service) build() (err error) {
	s.collector, err = collector.New(collector.Options{
		Journal:    s.journal,
		Store:      s.store,
		Sites:      s.registry.Directory,
		Months:     s.months,
		Ack:        collector.Ack(s.flags.ack),
		FlushEvery: s.flags.flushEvery,
		Log:        s.common.log,
	})
	if err != nil {
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

// run serves until ctx ends, then stops: no new connections, requests in flight finish, what is still sent is refused, and the
// last hits go into the store.
func (s *service) run(ctx context.Context, restoreSignals func()) error {
	background, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var tasks sync.WaitGroup
	tasks.Go(func() { s.collector.Run(background) })
	tasks.Go(func() {
		s.registry.Run(background, func(err error) { s.common.log.Warn().Err(err).Msg("sites stay as they were last read") })
	})
	tasks.Go(func() {
		s.months.Run(background, func(err error) { s.common.log.Warn().Err(err).Msg("months stay as they were last read") })
	})
	tasks.Go(func() { s.retain(background) })
	tasks.Go(func() {
		if err := s.collector.Learn(background, s.store); err != nil && background.Err() == nil {
			s.common.log.Warn().Err(err).Msg("caps begin anew")
		}
	})
	server, served := s.router.server(), make(chan error, 1)
	go func() { served <- server.Serve(s.listener) }()
	var failure error
	select {
	case <-ctx.Done():
		restoreSignals() // a second signal ends the process at once
		s.common.log.Info().Msg("stopping: finishing requests, then counting what is in the journal")
	case failure = <-served:
	}
	finish, done := context.WithTimeout(context.Background(), finishTimeout)
	if err := server.ShutdownWithContext(finish); err != nil {
		s.common.log.Warn().Err(err).Msg("some connections did not finish in time")
	}
	done()
	s.collector.Refuse()
	cancel()
	tasks.Wait()
	last, done := context.WithTimeout(context.Background(), flushTimeout)
	defer done()
	if err := s.collector.Stop(last); err != nil {
		s.common.log.Warn().Err(err).Msg("stopped")
	} else {
		s.common.log.Info().Uint64("counted", s.collector.Ledger().Counted).Msg("stopped; every hit is counted")
	}
	return failure
}

// close gives everything back, in the reverse order of open.
func (s *service) close() error {
	var errs []error
	if s.listener != nil {
		if err := s.listener.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	if s.store != nil {
		errs = append(errs, s.store.Close())
	}
	if s.journal != nil {
		errs = append(errs, s.journal.Close())
	}
	return errors.Join(errs...)
}

// welcome tells a person where everything is: at length the first time, in one log line later.
func (s *service) welcome() {
	address := "http://" + s.listener.Addr().String()
	s.common.log.Info().Str("address", address).Str("data", s.common.data).Int("sites", len(s.registry.Directory().All())).
		Str("version", versionText()).Msg("precount serves")
	if !s.firstRun && !s.flags.demo {
		return
	}
	data := s.common.data
	if absolute, err := filepath.Abs(data); err == nil {
		data = absolute
	}
	say := func(format string, args ...any) { _ = s.common.say(format, args...) }
	say("\nprecount listens on   %s\n", address)
	say("the data lies in      %s\n", data)
	if s.flags.demo {
		say("open the demo         %s/demo/\n", address)
	}
	for _, site := range s.registry.Directory().All() {
		say("report of a site      %s/sites/%s\n", address, site.Host)
	}
	if len(s.registry.Directory().All()) == 0 {
		say("no site is registered: hits are refused until you add one, for example\n\n    precount site add example.org --data %s\n", s.common.data)
	}
	say("\nPaste this into every page, with the address under which your visitors reach this server:\n\n    %s\n\n", pixel.Snippet(address))
}
