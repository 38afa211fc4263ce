package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"precount/collector"
	"precount/internal/counters"
	"precount/internal/sites"
	"precount/preallocator"
)

type preallocateFlags struct {
	month    string
	minViews int64
	wishes   string
	dryRun   bool
	json     bool
}

func (c *common) preallocateCommand() *cobra.Command {
	var f preallocateFlags
	cmd := &cobra.Command{
		Use:   "preallocate",
		Short: "Prepare the documents of the next month",
		Long: `Prepare the documents of the next month: zeros for the pages, sections and attribute values that had views in the month
before it, and for every day of every site. Counts never depend on it, and what is there stays as it is: run it as often
as you like, also while serve runs, which does the same on its own (--preallocate-days).

It says nothing when there is nothing to do; for cron see docs/cron.md.`,
		Example: `  precount preallocate --dry-run
  precount preallocate --month 2027-01 --min-views 100
  precount preallocate --wish campaign.txt        a file with an address on each line`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.preallocate(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.month, "month", "", "YYYY-MM, the running month to 12 months ahead (default: the next month)")
	flags.Int64Var(&f.minViews, "min-views", preallocator.DefaultMinViews, "views in the month before that make a page, section or value worth it")
	flags.StringVar(&f.wishes, "wish", "", "file of addresses to prepare whatever their views")
	flags.BoolVar(&f.dryRun, "dry-run", false, "only say what would be inserted")
	flags.BoolVar(&f.json, "json", false, "write JSON")
	return cmd
}

// check returns the month, zero for the default, and what is wrong with the flags before anything is touched.
func (f preallocateFlags) check() (m counters.Month, err error) {
	if f.minViews < 1 {
		return m, fmt.Errorf("--min-views %d: want 1 or more", f.minViews)
	}
	if f.month == "" {
		return m, nil
	}
	if m, err = counters.ParseMonth(f.month); err == nil {
		err = preallocator.CheckMonth(m, time.Now())
	}
	if err != nil {
		return m, fmt.Errorf("--month: %w", err)
	}
	return m, nil
}

func (c *common) preallocate(ctx context.Context, f preallocateFlags) error {
	month, err := f.check()
	if err != nil {
		return usageError{err}
	}
	if err := c.checkStore(); err != nil {
		return usageError{err}
	}
	ctx, restore := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer restore()
	return c.withStore(ctx, func(s store) error {
		registry := sites.NewRegistry(s)
		if err := registry.Refresh(ctx); err != nil {
			return err
		}
		options := c.preallocatorOptions(s, registry.Directory, zerolog.Nop())
		options.MinViews = f.minViews
		if options.Wishes, err = readWishes(f.wishes, registry.Directory()); err != nil {
			return err
		}
		p, err := preallocator.New(options)
		if err != nil {
			return err
		}
		if f.dryRun {
			reports, err := p.Plan(ctx, month)
			return errors.Join(err, c.sayPlanned(reports, f.json))
		}
		bar, start := &progressBar{out: c.err, on: isTerminal(c.err)}, time.Now()
		reports, err := p.Prepare(ctx, month, bar.show)
		bar.clear()
		return errors.Join(err, c.sayInserted(reports, time.Since(start), f.json))
	})
}

// preallocatorOptions are those that the command and serve have in common.
func (c *common) preallocatorOptions(s store, directory func() *sites.Directory, log zerolog.Logger) preallocator.Options {
	o := preallocator.Options{Store: s, Records: s, Sites: directory, Owner: processName(), Log: log, Size: preallocator.RowSize}
	if name, _, _ := c.engine(); name == "mongodb" {
		o.Size = preallocator.BSONSize
	}
	o.Cluster, _ = s.(preallocator.Cluster)
	return o
}

func readWishes(name string, directory *sites.Directory) ([]preallocator.Wish, error) {
	if name == "" {
		return nil, nil
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("--wish: %w", err)
	}
	defer file.Close()
	wishes, err := preallocator.ReadWishes(file, func(address string) (w preallocator.Wish, err error) {
		w.Base, w.Path, err = collector.PageOf(directory, address)
		return w, err
	})
	if err != nil {
		return nil, fmt.Errorf("--wish %s: %w", name, err)
	}
	return wishes, nil
}

func (c *common) sayPlanned(reports []preallocator.Report, asJSON bool) error {
	if asJSON {
		return c.writeJSON(map[string]any{"dry_run": true, "months": append([]preallocator.Report{}, reports...)})
	}
	w := tabwriter.NewWriter(c.out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "COLLECTION\tDOCUMENTS\tABOUT\t")
	for _, r := range reports {
		for _, part := range r.Collections {
			fmt.Fprintf(w, "%s\t%d\t%s\t\n", part.Name, part.Documents, humanize.IBytes(uint64(part.Bytes)))
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t\n", r.Month, r.Planned, humanize.IBytes(uint64(r.Bytes)))
	}
	return w.Flush()
}

// sayInserted says nothing about a month to which nothing was added, so that cron has nothing to mail.
func (c *common) sayInserted(reports []preallocator.Report, took time.Duration, asJSON bool) error {
	if asJSON {
		return c.writeJSON(map[string]any{"dry_run": false, "months": append([]preallocator.Report{}, reports...), "seconds": took.Seconds()})
	}
	for _, r := range reports {
		if r.Inserted == 0 {
			continue
		}
		if err := c.say("prepared %s: %d documents, about %s, in %v\n", r.Month, r.Inserted,
			humanize.IBytes(uint64(r.Bytes)), took.Round(time.Millisecond)); err != nil {
			return err
		}
	}
	return nil
}

// A progressBar is one line on a terminal, written over and over.
type progressBar struct {
	out   io.Writer
	on    bool
	shown time.Time
}

const barWidth = 30

func (b *progressBar) show(p preallocator.Progress) {
	if now := time.Now(); b.on && p.Planned > 0 && (now.Sub(b.shown) >= 100*time.Millisecond || p.Done == p.Planned) {
		b.shown = now
		full := barWidth * p.Done / p.Planned
		fmt.Fprintf(b.out, "\r%s [%s%s] %d of %d, %.0f/s, %v left \x1b[K", p.Month, strings.Repeat("#", full),
			strings.Repeat(".", barWidth-full), p.Done, p.Planned, p.Rate(), p.Left().Round(time.Second))
	}
}

func (b *progressBar) clear() {
	if !b.shown.IsZero() {
		fmt.Fprint(b.out, "\r\x1b[K")
	}
}

// newPreallocator makes what prepares months while the service runs; nil if it is switched off.
func (s *service) newPreallocator() (*preallocator.Preallocator, error) {
	if s.flags.preallocateDays == 0 {
		return nil, nil
	}
	o := s.common.preallocatorOptions(s.store, s.registry.Directory, s.common.log)
	o.Days, o.MinViews = s.flags.preallocateDays, s.flags.minViews
	return preallocator.New(o)
}
