package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"precount/internal/sites"
)

func (c *common) siteCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "site",
		Short: "Register sites and change their settings",
		Long: `A hit counts only if its site is registered. A running serve sees changes within two seconds.

Settings:
  timezone     the site's days begin at midnight there; an IANA name (default UTC)
  alias        other hosts that count as this site, separated by commas
  keep-query   query parameters that tell pages apart, separated by commas; others are cut off
  public       true: reports need no login
  dnt          true: visitors who send DNT or Sec-GPC are not counted`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.siteAdd(), c.siteList(), c.siteShow(), c.siteSet(), c.siteRemove())
	return cmd
}

func (c *common) siteAdd() *cobra.Command {
	return &cobra.Command{
		Use:     "add HOST [KEY=VALUE...]",
		Short:   "Register a site",
		Example: "  precount site add example.org timezone=Europe/Berlin alias=example.com,blog.example.org",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := sites.New(args[0])
			if err != nil {
				return usageError{err}
			}
			if err := setAll(s, args[1:]); err != nil {
				return err
			}
			return c.withRegistry(cmd.Context(), func(ctx context.Context, r *sites.Registry) error {
				if err := r.Add(ctx, s); err != nil {
					return err
				}
				return c.say("added %s as %s, days in %s\n", s.Host, s.Base, s.TimeZone)
			})
		},
	}
}

func (c *common) siteSet() *cobra.Command {
	return &cobra.Command{
		Use:     "set HOST KEY=VALUE...",
		Short:   "Change settings of a site",
		Long:    "Change settings of a site. A new time zone holds for hits from now on; what is counted stays on its days.",
		Example: "  precount site set example.org timezone=America/New_York public=true",
		Args:    cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withRegistry(cmd.Context(), func(ctx context.Context, r *sites.Registry) error {
				s, err := r.Change(ctx, args[0], func(s *sites.Site) error { return setAll(s, args[1:]) })
				if err != nil {
					return err
				}
				return c.show(s, false)
			})
		},
	}
}

func setAll(s *sites.Site, pairs []string) error {
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return usageError{fmt.Errorf("%q: want KEY=VALUE", pair)}
		}
		if err := s.Set(key, value); err != nil {
			return usageError{err}
		}
	}
	return nil
}

func (c *common) siteList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the registered sites",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withRegistry(cmd.Context(), func(_ context.Context, r *sites.Registry) error {
				all := r.Directory().All()
				if asJSON {
					return c.writeJSON(map[string]any{"sites": append([]*sites.Site{}, all...)})
				}
				if len(all) == 0 {
					return c.say("no site is registered; add one: precount site add example.org\n")
				}
				w := tabwriter.NewWriter(c.out, 0, 8, 2, ' ', 0)
				fmt.Fprintln(w, "HOST\tBASE\tTIMEZONE\tALIAS")
				for _, s := range all {
					fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", s.Host, s.Base, s.TimeZone, strings.Join(s.Aliases, ","))
				}
				return w.Flush()
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cmd
}

func (c *common) siteShow() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show HOST",
		Short: "Show a site's settings",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withRegistry(cmd.Context(), func(_ context.Context, r *sites.Registry) error {
				s := r.Directory().Find(args[0])
				if s == nil {
					return fmt.Errorf("%q: %w; see: precount site list", args[0], sites.ErrUnknown)
				}
				return c.show(s, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cmd
}

func (c *common) siteRemove() *cobra.Command {
	return &cobra.Command{
		Use:   "remove HOST",
		Short: "Take a site out of the registry",
		Long: `Take a site out of the registry: its hits are refused from then on. What was counted stays until its months expire,
and shows again when the site is added again.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withRegistry(cmd.Context(), func(ctx context.Context, r *sites.Registry) error {
				s, err := r.Remove(ctx, args[0])
				if err != nil {
					return err
				}
				return c.say("removed %s; its counts stay\n", s.Host)
			})
		},
	}
}

func (c *common) show(s *sites.Site, asJSON bool) error {
	if asJSON {
		return c.writeJSON(s)
	}
	w := tabwriter.NewWriter(c.out, 0, 8, 2, ' ', 0)
	fmt.Fprintf(w, "host\t%s\nbase\t%s\n", s.Host, s.Base)
	for i, value := range s.Settings() {
		fmt.Fprintf(w, "%s\t%s\n", sites.SettingNames()[i], value)
	}
	return w.Flush()
}

func (c *common) withRegistry(ctx context.Context, do func(context.Context, *sites.Registry) error) error {
	return c.withStore(ctx, func(s store) error {
		r := sites.NewRegistry(s)
		if err := r.Refresh(ctx); err != nil {
			return err
		}
		return do(ctx, r)
	})
}

func (c *common) say(format string, args ...any) error {
	_, err := fmt.Fprintf(c.out, format, args...)
	return err
}

func (c *common) writeJSON(v any) error {
	e := json.NewEncoder(c.out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
