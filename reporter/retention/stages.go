package retention

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"precount/internal/counters"
)

// ErrBacklog says that a collector may still hold hits of the month.
var ErrBacklog = errors.New("a collector may still hold hits of it")

// close refuses the month's hits from now on, unless a collector may still hold some. Collectors announce what they may
// write and then read the line; we move the line and then read what they announced, so one of us sees the other.
func (w *work) close(ctx context.Context) error {
	if err := w.noBacklog(ctx); err != nil {
		return err
	}
	if err := w.horizon.Close(ctx, w.month); err != nil {
		return err
	}
	err := w.noBacklog(ctx)
	if errors.Is(err, ErrBacklog) {
		err = errors.Join(err, w.horizon.Reopen(ctx, w.month))
	}
	return err
}

func (w *work) noBacklog(ctx context.Context) error {
	all, err := w.horizon.Backlogs(ctx)
	if err != nil {
		return err
	}
	var names []string
	for _, b := range all {
		if !w.month.Before(b.Oldest) {
			names = append(names, b.Collector)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s; if it runs, wait until its journal is empty; if it is stopped, start it, so that it counts them; "+
		"if it and its journal are gone for good: precount retain --forget-collector %s", ErrBacklog, strings.Join(names, ", "), names[0])
}

// Forget gives up what a collector that is gone for good may still have held.
func (r *Retention) Forget(ctx context.Context, collector string) error {
	return r.horizon.Forget(ctx, collector)
}

const partialEnd = ".partial"

// archive writes the month into a directory that does not have its name yet. An archive that has it is left as it is: if it
// holds what the store holds it will do, else it is another one.
func (w *work) archive(ctx context.Context) error {
	all, err := w.collections(ctx)
	if err != nil {
		return err
	}
	w.state.Collections = nil
	if w.options.NoArchive {
		for _, c := range all {
			w.state.Collections = append(w.state.Collections, FileEntry{Collection: c.Name()})
		}
		return nil
	}
	if err := w.directory(); err != nil {
		return err
	}
	if _, err := os.Stat(w.state.Archive); !errors.Is(err, fs.ErrNotExist) {
		return w.same(ctx, all)
	}
	partial := w.state.Archive + partialEnd
	err = os.RemoveAll(partial) // of a process that died
	if err == nil {
		err = os.Mkdir(partial, 0o700)
	}
	if err != nil {
		return cannotWrite(partial, err)
	}
	a := archiver{store: w.options.Store, dir: partial, wrap: w.wrap, progress: func(c counters.Collection, n int64) {
		w.options.Progress(Progress{w.month, "archive", c.Name(), n})
	}}
	m := Manifest{Format: manifestFormat, Month: w.month.String(), Engine: w.options.Engine, Version: w.options.Version,
		Created: w.options.Now().UTC().Truncate(time.Second)}
	if m, err = a.write(ctx, all, m); err != nil {
		return errors.Join(err, os.RemoveAll(partial))
	}
	w.state.Collections = m.Collections
	return nil
}

// directory finds, or makes, the directory of the archives.
func (w *work) directory() error {
	dir, err := filepath.Abs(w.options.Archive)
	if err != nil {
		return err
	}
	w.state.Archive = filepath.Join(dir, w.month.String())
	info, err := os.Stat(dir)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return fmt.Errorf("the archive directory %s is a file: name a directory with --archive", dir)
	case errors.Is(err, fs.ErrNotExist) && w.options.MakeArchive:
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return cannotWrite(dir, err)
		}
		return syncDir(filepath.Dir(dir))
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the archive directory %s does not exist: make it, or mount its disk, and run it again", dir)
	}
	return cannotWrite(dir, err)
}

// same accepts an archive of the month that is there already if it holds exactly what the store holds.
func (w *work) same(ctx context.Context, all []counters.Collection) error {
	m, err := verify(ctx, w.options.Store, w.state.Archive, all)
	if err == nil && len(m.Collections) != len(all) {
		err = fmt.Errorf("%w: it holds %d collections, the store %d", errDiffers, len(m.Collections), len(all))
	}
	if err != nil {
		return fmt.Errorf("%s holds another archive of the month: %w; move that archive away, or name another directory with --archive, "+
			"and run it again", w.state.Archive, err)
	}
	w.state.Collections = m.Collections
	return os.RemoveAll(w.state.Archive + partialEnd) // of a process that died: verify would take it for ours
}

// verify reads the archive back, compares it with the store, and only then gives it its name.
func (w *work) verify(ctx context.Context) error {
	if w.options.NoArchive {
		return nil
	}
	all, err := w.collections(ctx)
	if err != nil {
		return err
	}
	partial := w.state.Archive + partialEnd
	if _, err := os.Stat(partial); errors.Is(err, fs.ErrNotExist) {
		return nil // an archive that was there already, and compared just now
	}
	m, err := verify(ctx, w.options.Store, partial, all)
	if err != nil {
		return fmt.Errorf("the archive does not hold what the store holds, so nothing is dropped: %w; if this comes again, check the "+
			"disk of %s", err, partial)
	}
	w.state.Collections = m.Collections
	w.reached("compared")
	if err := os.Rename(partial, w.state.Archive); err != nil {
		return cannotWrite(w.state.Archive, err)
	}
	return syncDir(filepath.Dir(w.state.Archive))
}

func (w *work) rollUp(ctx context.Context) error {
	all, err := rollups(ctx, w.options.Store, w.month)
	if err != nil {
		return err
	}
	for i, r := range all {
		if err := putRollup(ctx, w.options.Store, w.month, r); err != nil {
			return fmt.Errorf("store the rollup of %s: %w", r.Base, err)
		}
		if i == 0 {
			w.reached("first rollup")
		}
	}
	return nil
}

// dropOrder has the hours last: reports of a site as a whole read them, and the rollups the moment they are gone.
var dropOrder = []counters.Kind{counters.Pages, counters.Sections, counters.Attrs, counters.Visitors, counters.Hours}

// drop removes the collections, but none that was not archived.
func (w *work) drop(ctx context.Context) error {
	all, err := w.collections(ctx)
	if err != nil {
		return err
	}
	for _, c := range all {
		if !slices.ContainsFunc(w.state.Collections, func(e FileEntry) bool { return e.Collection == c.Name() }) {
			return fmt.Errorf("%s was made after the archive: something writes into the month; run it again", c)
		}
	}
	for _, kind := range dropOrder {
		c := counters.Collection{Month: w.month, Kind: kind}
		if !slices.Contains(all, c) {
			continue
		}
		if err := w.options.Store.Drop(ctx, c); err != nil {
			return fmt.Errorf("drop %s: %w", c, err)
		}
		w.reached("dropped " + kind.String())
	}
	return nil
}

// dropDatabase removes the year if nothing is left in it and it is over; this year's may be needed any moment.
func (w *work) dropDatabase(ctx context.Context) error {
	if w.month.Year >= w.running().Year {
		return nil
	}
	all, err := w.options.Store.Collections(ctx)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(all, func(c counters.Collection) bool { return c.Month.Year == w.month.Year }) {
		return nil
	}
	return w.options.Store.DropDatabase(ctx, w.month.Year)
}

// audit records for ever that the month was put away, by whom, and where it is.
func (w *work) audit(ctx context.Context) error {
	o := w.outcome()
	body, err := json.Marshal(struct {
		What string `json:"what"`
		At   string `json:"at"`
		By   string `json:"by"`
		*Outcome
	}{"retain", w.state.Started, w.options.Owner, o})
	if err != nil {
		return err
	}
	return put(ctx, w.options.Store, counters.AuditRecords, w.state.Started+"|retain|"+w.month.String(), body)
}
