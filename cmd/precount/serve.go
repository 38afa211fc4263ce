package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"precount/collector"
	"precount/internal/sites"
	"precount/preallocator"
)

// minJournal is the smallest --journal-max; see journal.Options.MaxBytes.
const minJournal = 256 << 10

type serveFlags struct {
	listen      string
	ack         string
	flushEvery  time.Duration
	journalMax  string
	sites       []string
	openReports bool
	demo        bool
	retain      retainFlags

	preallocateDays int
	minViews        int64
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
	flags.IntVar(&f.preallocateDays, "preallocate-days", preallocator.DefaultDays, "prepare the next month in so many last days of a month; 0: not at all")
	flags.Int64Var(&f.minViews, "min-views", preallocator.DefaultMinViews, "views a month that make a page worth preparing")
	return cmd
}

// check returns the journal's cap in bytes, and what is wrong with the flags before anything is touched.
func (f serveFlags) check() (journalMax int64, err error) {
	size, err := humanize.ParseBytes(f.journalMax)
	switch {
	case !isAddress(f.listen):
		return 0, fmt.Errorf("--listen %q: want HOST:PORT, or :PORT for all interfaces", f.listen)
	case err != nil || size < minJournal || size > 1<<50:
		return 0, fmt.Errorf("--journal-max %q: want a size like 512MiB or 1GiB, at least 256KiB", f.journalMax)
	case f.ack != string(collector.AckWritten) && f.ack != string(collector.AckSynced):
		return 0, fmt.Errorf("--ack %q: want written or synced", f.ack)
	case f.flushEvery < collector.MinFlushEvery || f.flushEvery > time.Hour:
		return 0, fmt.Errorf("--flush-every %v: want %v to 1h", f.flushEvery, collector.MinFlushEvery)
	case f.preallocateDays < 0 || f.preallocateDays > preallocator.MaxDays:
		return 0, fmt.Errorf("--preallocate-days %d: want 0 to %d", f.preallocateDays, preallocator.MaxDays)
	case f.minViews < 1:
		return 0, fmt.Errorf("--min-views %d: want 1 or more", f.minViews)
	}
	return int64(size), f.retain.checkServe()
}

func isAddress(listen string) bool {
	_, port, err := net.SplitHostPort(listen)
	if err != nil || port == "" {
		return false
	}
	_, err = net.LookupPort("tcp", port)
	return err == nil
}

// wanted returns the sites of --site and --demo, with default settings.
func (f serveFlags) wanted() ([]*sites.Site, error) {
	hosts := f.sites
	if f.demo {
		hosts = append(hosts[:len(hosts):len(hosts)], demoHost)
	}
	all := make([]*sites.Site, 0, len(hosts))
	for _, host := range hosts {
		site, err := sites.New(host)
		if err != nil {
			return nil, fmt.Errorf("--site: %w", err)
		}
		site.Public = f.demo && site.Host == demoHost
		all = append(all, site)
	}
	return all, nil
}

func (c *common) serve(ctx context.Context, f serveFlags) (err error) {
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, restore := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer restore()
	s := &service{common: c, flags: f}
	if s.journalMax, err = f.check(); err == nil {
		s.wanted, err = f.wanted()
	}
	if err == nil {
		err = c.checkStore()
	}
	if err != nil {
		return usageError{err}
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.open(ctx); err != nil {
		return err
	}
	s.welcome()
	return s.run(ctx, restore)
}
