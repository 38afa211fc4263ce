package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/rs/zerolog/diode"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"precount/internal/lease"
)

// The exit codes of INTERFACE.md.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	exitLeased = 3
)

// A usageError is a call that the command cannot make sense of: exit 2, with the command's usage.
type usageError struct{ error }

// common is what every subcommand has: its flags, and where results and logs go.
type common struct {
	out, err io.Writer

	store     string
	data      string
	logLevel  string
	logFormat string

	log      zerolog.Logger
	ring     *diode.Writer // between log and standard error
	rejected func()        // counts a rejection of the store; nil outside serve
}

// run executes one command line and returns its exit code.
func run(args []string, out, errOut io.Writer) int {
	c := &common{out: out, err: errOut}
	root := c.rootCommand()
	root.SetArgs(args)
	started := false
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if err := flagsFromEnvironment(cmd.Flags()); err != nil {
			return usageError{err}
		}
		started = true
		return c.openLog()
	}
	cmd, err := root.ExecuteC()
	if c.ring != nil {
		c.closeLog()
	}
	if err == nil {
		return exitDone
	}
	fmt.Fprintf(errOut, "precount: %v\n", err)
	// What fails before a command starts is its flags and arguments.
	if usage := (usageError{}); !started || errors.As(err, &usage) {
		fmt.Fprintf(errOut, "\n%s", cmd.UsageString())
		return exitUsage
	}
	if errors.Is(err, lease.ErrHeld) || errors.Is(err, lease.ErrLost) {
		return exitLeased
	}
	return exitFailed
}

func (c *common) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "precount",
		Short: "Self-hosted web analytics with precomputed counters",
		Long: `precount counts the views of your pages, exactly, on your own machine.

A page carries a one-pixel image; each view of it becomes an increment on small monthly documents, which reports read
directly. The embedded store needs no other server.`,
		Example: `  precount serve --demo                          try it: http://127.0.0.1:8080/demo/
  precount serve --site example.org              count a site
  precount report --site example.org --from 7d   its last week, in the terminal`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	root.SetOut(c.out)
	root.SetErr(c.err)
	root.CompletionOptions.DisableDefaultCmd = true
	flags := root.PersistentFlags()
	flags.SortFlags = false
	flags.StringVar(&c.store, "store", "", `where the counters are kept: sqlite:DIR, mongodb://… or mongodb+srv://… (default: sqlite in --data)`)
	flags.StringVar(&c.data, "data", "precount-data", "directory of the journal and of the embedded store")
	flags.StringVar(&c.logLevel, "log-level", "info", "least important messages logged: debug, info, warn, error")
	flags.StringVar(&c.logFormat, "log-format", "console", "console or json; logs go to standard error")
	root.AddCommand(c.serveCommand(), c.siteCommand(), c.reportCommand(), c.preallocateCommand(), c.retainCommand(), c.restoreCommand(), c.versionCommand())
	return root
}

// flagsFromEnvironment sets each flag that was not given from its variable: --flush-every from PRECOUNT_FLUSH_EVERY.
func flagsFromEnvironment(flags *pflag.FlagSet) (err error) {
	flags.VisitAll(func(f *pflag.Flag) {
		name := "PRECOUNT_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value, ok := os.LookupEnv(name)
		if !ok || f.Changed || err != nil {
			return
		}
		if e := flags.Set(f.Name, value); e != nil {
			err = fmt.Errorf("environment variable %s=%q: %w", name, value, e)
		}
	})
	return err
}

func (c *common) openLog() error {
	level, err := zerolog.ParseLevel(c.logLevel)
	if err != nil || c.logLevel == "" {
		return usageError{fmt.Errorf("--log-level %q: want debug, info, warn or error", c.logLevel)}
	}
	var out io.Writer
	switch c.logFormat {
	case "json":
		out = c.err
	case "console":
		out = zerolog.ConsoleWriter{Out: c.err, NoColor: !isTerminal(c.err), TimeFormat: "2006-01-02 15:04:05"}
	default:
		return usageError{fmt.Errorf("--log-format %q: want console or json", c.logFormat)}
	}
	// Who does not read standard error, as a stopped terminal or a service manager that hangs, must not hold up hits.
	ring := diode.NewWriter(struct{ io.Writer }{out}, logLines, 0, func(missed int) {
		log := zerolog.New(out)
		log.Warn().Int("lines", missed).Msg("lines of this log are missing: it was not read in time")
	})
	c.ring, c.log = &ring, zerolog.New(ring).Level(level).With().Timestamp().Logger()
	return nil
}

const (
	logLines   = 1000        // waiting for standard error; beyond them the oldest are dropped
	logTimeout = time.Second // for writing them at the end
)

// closeLog writes what was logged, as far as it is read in time.
func (c *common) closeLog() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = c.ring.Close()
	}()
	select {
	case <-done:
	case <-time.After(logTimeout):
	}
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
