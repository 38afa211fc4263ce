package retention

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"precount/internal/counters"
	"precount/internal/horizon"
	"precount/internal/jobs"
)

// RestoreOptions of Restore. Store and Owner are needed.
type RestoreOptions struct {
	Store    Store
	Owner    string
	TTL      time.Duration
	Now      func() time.Time
	Progress func(Progress)

	reached func(point string) // tests end the process with it
}

// restoreChunk is how many documents are handed to the store at a time.
const restoreChunk = 1000

// Restore brings months back from their archives: directories of months, or all files of such directories. Nothing is
// written before the whole archive is proven and compared with what the store has of the month: what is there must be equal
// or absent; a month that is half dropped is made whole. It may be repeated, and must be, if it was cut off. Hits of the month are accepted again, and its rollups go.
func Restore(ctx context.Context, o RestoreOptions, paths []string) ([]Outcome, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	if o.reached == nil {
		o.reached = func(string) {}
	}
	dirs, err := archivesOf(paths)
	if err != nil {
		return nil, err
	}
	var done []Outcome
	for _, dir := range dirs {
		outcome, err := o.month(ctx, dir)
		if err != nil {
			return done, err
		}
		done = append(done, outcome)
	}
	return done, nil
}

// archivesOf returns the directories that the paths name. Single files must be all of their archive: of a month of which only
// a part came back, neither the reports nor the next retention could tell what is missing.
func archivesOf(paths []string) ([]string, error) {
	var dirs []string
	files := map[string][]string{}
	for _, path := range paths {
		path, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", path, cause(err))
		}
		dir := path
		if !info.IsDir() {
			dir = filepath.Dir(path)
			files[dir] = append(files[dir], filepath.Base(path))
		}
		if !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	for dir, named := range files {
		m, month, err := readManifest(dir)
		if err != nil {
			return nil, err
		}
		for _, e := range m.Collections {
			if !slices.Contains(named, e.File) {
				return nil, fmt.Errorf("%s: a month comes back as a whole, and %s is not named: precount restore %s", month, e.File, dir)
			}
		}
	}
	return dirs, nil
}

func (o RestoreOptions) month(ctx context.Context, dir string) (Outcome, error) {
	m, month, err := readManifest(dir)
	if err != nil {
		return Outcome{}, err
	}
	options := jobs.Options{Records: o.Store, Owner: o.Owner, TTL: o.TTL, Now: o.Now}
	ctx, job, err := jobs.Take(ctx, options, jobPrefix+month.String(), jobKind)
	if err != nil {
		return Outcome{}, err
	}
	r := &restoring{RestoreOptions: o, dir: dir, manifest: m, month: month, horizon: horizon.New(o.Store)}
	if err := r.run(ctx, job); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		_ = job.Leave(ctx) // the next one finds what was saved; that the lease could not be given up is no news for anybody
		return Outcome{}, fmt.Errorf("%s is not restored from %s: %w", month, dir, err)
	}
	documents, views := m.sums()
	return Outcome{m.Month, dir, len(m.Collections), documents, views}, nil
}

// restoring is one month that this process brings back.
type restoring struct {
	RestoreOptions
	dir      string
	manifest Manifest
	month    counters.Month
	horizon  *horizon.Horizon
}

func (r *restoring) run(ctx context.Context, job *jobs.Job) error {
	for _, e := range r.manifest.Collections {
		if err := r.mayRestore(ctx, e); err != nil {
			return err
		}
	}
	if err := job.Save(ctx, state{Step: restoreStep, Archive: r.dir}); err != nil {
		return err
	}
	r.reached("proven")
	for _, e := range r.manifest.Collections {
		if err := r.collection(ctx, e); err != nil {
			return err
		}
		r.reached("restored " + e.Collection)
	}
	if err := r.horizon.Reopen(ctx, r.month); err != nil {
		return err
	}
	r.reached("reopened")
	records, err := rollupsOf(ctx, r.Store, r.month)
	if err != nil {
		return err
	}
	for _, record := range records {
		if err := r.Store.Delete(ctx, counters.RollupsRecords, record.ID, record.Rev); err != nil && !errors.Is(err, counters.ErrNotFound) {
			return fmt.Errorf("remove the rollup %s: %w", record.ID, err)
		}
	}
	r.reached("rollups removed")
	if err := r.audit(ctx); err != nil {
		return err
	}
	return job.Done(ctx)
}

// mayRestore reads a whole file, and compares it with the documents that the store has already.
func (r *restoring) mayRestore(ctx context.Context, e FileEntry) error {
	c, _ := e.collection(r.month)
	there := newWalk(r.Store.Scan(ctx, c, ""))
	defer there.stop()
	return readFile(ctx, r.dir, r.month, e, func(archived counters.Document, line []byte) error {
		stored, err := there.find(archived.Key.ID())
		if err != nil || stored == nil || string(appendDocument(nil, stored)) == string(line) {
			return err
		}
		return fmt.Errorf("%w: nothing is changed; to have the archived counts, drop the month from the store first", difference(*stored, archived))
	})
}

func (r *restoring) collection(ctx context.Context, e FileEntry) error {
	c, _ := e.collection(r.month)
	if _, err := r.Store.Restore(ctx, c, nil); err != nil { // also a collection without documents comes back
		return err
	}
	var chunk []counters.Document
	done := int64(0)
	flush := func() error {
		_, err := r.Store.Restore(ctx, c, chunk)
		done += int64(len(chunk))
		r.Progress(Progress{r.month, "restore", c.Name(), done})
		chunk = chunk[:0]
		return err
	}
	err := readFile(ctx, r.dir, r.month, e, func(doc counters.Document, _ []byte) error {
		if chunk = append(chunk, doc); len(chunk) < restoreChunk {
			return nil
		}
		return flush()
	})
	if err == nil && len(chunk) > 0 {
		err = flush()
	}
	return err
}

func (r *restoring) audit(ctx context.Context) error {
	documents, views := r.manifest.sums()
	at := r.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	body, err := json.Marshal(map[string]any{"what": "restore", "at": at, "by": r.Owner, "month": r.month.String(), "archive": r.dir,
		"collections": len(r.manifest.Collections), "documents": documents, "views": views})
	if err != nil {
		return err
	}
	return put(ctx, r.Store, counters.AuditRecords, strings.Join([]string{at, "restore", r.month.String()}, "|"), body)
}
