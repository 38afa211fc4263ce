package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"precount/internal/sites"
	"precount/reporter/retention"
)

// retainFlags are those that retain and serve have in common.
type retainFlags struct {
	keep      int
	archive   string
	noArchive bool
}

func (f *retainFlags) register(flags *pflag.FlagSet, keep string) {
	flags.IntVar(&f.keep, "keep", 0, keep)
	flags.StringVar(&f.archive, "archive", "", "existing directory for the archives (default: archive in the --data directory)")
	flags.BoolVar(&f.noArchive, "no-archive", false, "drop months without a copy: only their totals stay")
}

func (f retainFlags) check() error {
	if err := retention.CheckKeep(f.keep); err != nil {
		return fmt.Errorf("--keep: %w", err)
	}
	if f.archive != "" && f.noArchive {
		return errors.New("--archive and --no-archive: want one of them")
	}
	return nil
}

// checkServe also takes flags that are all absent: retention is off.
func (f retainFlags) checkServe() error {
	if f == (retainFlags{}) {
		return nil
	}
	return f.check()
}

type retainCommandFlags struct {
	retainFlags
	dryRun bool
	json   bool
	forget string
}

func (c *common) retainCommand() *cobra.Command {
	var f retainCommandFlags
	cmd := &cobra.Command{
		Use:   "retain --keep MONTHS",
		Short: "Archive, roll up and drop months that are past their time",
		Long: `Archive, roll up and drop months that are past their time. Of each month, one after the other:

  its collections are written into the archive, read back, and compared with the store, document by document;
  one small record per site keeps its totals, per day and per first section, for ever: reports go on showing them;
  its collections are dropped, and the year with its last one.

The running month always stays, also where it runs longest. It may be interrupted and repeated at any moment, and run
beside serve. "precount restore" brings a month back. See docs/retention.md.`,
		Example: `  precount retain --keep 13 --dry-run
  precount retain --keep 13 --archive /mnt/backup/precount`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil && f.forget == "" {
				return usageError{err}
			}
			ctx, stop := interruptible(cmd)
			defer stop()
			return c.retain(ctx, f)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	f.register(flags, "months to keep, the running one included (needed)")
	flags.BoolVar(&f.dryRun, "dry-run", false, "only say what would go")
	flags.BoolVar(&f.json, "json", false, "write JSON")
	flags.StringVar(&f.forget, "forget-collector", "", "give up the hits that a lost journal may still hold; the id is in the error that asks for it")
	return cmd
}

// interruptible returns a context that ends with SIGINT or SIGTERM, so that a lease is given up at once instead of running out.
func interruptible(cmd *cobra.Command) (context.Context, context.CancelFunc) {
	ctx := cmd.Context()
	if ctx == nil { // cobra has none if it was executed without
		ctx = context.Background()
	}
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
}

func (c *common) retain(ctx context.Context, f retainCommandFlags) error {
	return c.withRegistryAndStore(ctx, func(s store, registry *sites.Registry) error {
		if f.forget != "" {
			r, err := c.retention(retainFlags{keep: 1, noArchive: true}, s, registry)
			if err == nil {
				err = r.Forget(ctx, f.forget)
			}
			if err != nil {
				return err
			}
			return c.say("what collector %s may still have held is given up\n", f.forget)
		}
		r, err := c.retention(f.retainFlags, s, registry)
		if err != nil {
			return err
		}
		if f.dryRun {
			plan, err := r.Plan(ctx)
			switch {
			case err != nil:
				return err
			case f.json:
				return c.writeJSON(plan)
			}
			return plan.WriteTable(c.out)
		}
		done, err := r.Run(ctx)
		return errors.Join(c.tell(done, "put away", f.json), err)
	})
}

// tell writes what became of months.
func (c *common) tell(done []retention.Outcome, what string, asJSON bool) error {
	if asJSON {
		return c.writeJSON(map[string]any{"months": append([]retention.Outcome{}, done...)})
	}
	for _, o := range done {
		where := "without an archive"
		if o.Archive != "" {
			where = o.Archive
		}
		if err := c.say("%s %s: %d collections, %d documents; %s\n", what, o.Month, o.Collections, o.Documents, where); err != nil {
			return err
		}
	}
	if len(done) == 0 {
		return c.say("nothing is %s\n", what)
	}
	return nil
}

func (c *common) withRegistryAndStore(ctx context.Context, do func(store, *sites.Registry) error) error {
	return c.withStore(ctx, func(s store) error {
		registry := sites.NewRegistry(s)
		if err := registry.Refresh(ctx); err != nil {
			return err
		}
		return do(s, registry)
	})
}

func (c *common) retention(f retainFlags, s store, registry *sites.Registry) (*retention.Retention, error) {
	engine, _, err := c.engine()
	if err != nil {
		return nil, err
	}
	o := retention.Options{Store: s, Sites: registry.Directory, Keep: f.keep, Archive: f.archive, NoArchive: f.noArchive,
		Owner: processName(), Engine: engine, Version: versionText(), Progress: c.progress()}
	if o.Archive == "" && !o.NoArchive {
		o.Archive, o.MakeArchive = filepath.Join(c.data, "archive"), true
	}
	return retention.New(o)
}

// progress logs long steps, a line every few seconds.
func (c *common) progress() func(retention.Progress) {
	var told time.Time
	return func(p retention.Progress) {
		if now := time.Now(); now.Sub(told) > 5*time.Second {
			told = now
			c.log.Info().Stringer("month", p.Month).Str("collection", p.Name).Int64("documents", p.Documents).Msg(p.Step)
		}
	}
}

// retain puts months away every day, if --keep was given.
func (s *service) retain(ctx context.Context) {
	if s.flags.retain == (retainFlags{}) {
		return
	}
	r, err := s.common.retention(s.flags.retain, s.store, s.registry)
	if err != nil {
		s.common.log.Error().Err(err).Msg("retention is off")
		return
	}
	r.Schedule(ctx, func(done []retention.Outcome, err error) {
		for _, o := range done {
			s.common.log.Info().Str("month", o.Month).Str("archive", o.Archive).Int64("documents", o.Documents).Msg("put away")
		}
		if err != nil {
			s.common.log.Error().Err(err).Stringer("again_in", retention.AgainAfter).Msg("cannot put a month away; its data stays")
		}
	})
}
