package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"precount/reporter/retention"
)

func (c *common) restoreCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "restore FILE... | DIR...",
		Short: "Bring archived months back",
		Long: `Bring archived months back: all files of an archive, or its directory. The archive is proven first, by its manifest and to
the last byte. Documents that the store has must count the same; nothing is ever overwritten. An archive from one engine
can be restored into another.

The month is past its time still: the next "retain" puts it away again, unless --keep was raised.`,
		Example: `  precount restore precount-data/archive/2025-10`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := interruptible(cmd)
			defer stop()
			return c.restore(ctx, args, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cmd
}

func (c *common) restore(ctx context.Context, paths []string, asJSON bool) error {
	return c.withStore(ctx, func(s store) error {
		done, err := retention.Restore(ctx, retention.RestoreOptions{Store: s, Owner: processName(), Progress: c.progress()}, paths)
		return errors.Join(c.tell(done, "restored", asJSON), err)
	})
}
