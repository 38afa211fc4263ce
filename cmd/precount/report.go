package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"precount/internal/sites"
	"precount/internal/wholefile"
	"precount/reporter"
)

type reportFlags struct {
	site   string
	params reporter.Params
	format string
	output string
}

func (c *common) reportCommand() *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Print a site's views, top pages and sections",
		Long: `Print a site's views, top pages and sections. It reads the store directly, also while serve runs; views are there
within --flush-every plus one second.`,
		Example: `  precount report --site example.org
  precount report --site example.org --from 12mo --by month
  precount report --site example.org --from 2026-11-01 --to today --prefix /docs/ --format csv --output docs.csv`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.report(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.site, "site", "", "the site's host (needed)")
	flags.StringVar(&f.params.From, "from", "", "first day: YYYY-MM-DD, YYYY-MM, today, yesterday, 7d, 30d, 12mo (default 30d)")
	flags.StringVar(&f.params.To, "to", "", "last day (default today)")
	flags.StringVar(&f.params.Prefix, "prefix", "", "only pages whose path begins so: /docs/")
	flags.StringVar(&f.params.By, "by", "day", "a line per day, hour or month")
	flags.StringVar(&f.params.Limit, "limit", "", "pages and sections listed, 1 to 100000 (default 20 and 100)")
	flags.StringVar(&f.format, "format", "table", "table, json, csv or html")
	flags.StringVar(&f.output, "output", "", "write to this file instead of standard output")
	return cmd
}

func (c *common) report(ctx context.Context, f reportFlags) error {
	if f.site == "" {
		return usageError{errors.New("--site is needed: which site's report?")}
	}
	if err := reporter.Format(f.format).Check(); err != nil {
		return usageError{err}
	}
	var text bytes.Buffer
	err := c.withStore(ctx, func(s store) error {
		registry := sites.NewRegistry(s)
		if err := registry.Refresh(ctx); err != nil {
			return err
		}
		site := registry.Directory().Find(f.site)
		if site == nil {
			return fmt.Errorf("%q: %w; see: precount site list", f.site, sites.ErrUnknown)
		}
		q, err := f.params.Query(time.Now(), site.Location())
		if err != nil {
			return usageError{err}
		}
		r, err := reporter.Compile(ctx, s, site, q)
		if err != nil {
			return err
		}
		return reporter.Write(&text, reporter.Format(f.format), r)
	})
	if err != nil {
		return err
	}
	if f.output == "" {
		_, err = c.out.Write(text.Bytes())
		return err
	}
	return wholefile.Write(f.output, text.Bytes(), 0o644)
}
