package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"precount/internal/counters"
)

// Options say where the files stand. Dir is required.
type Options struct {
	Dir string // created, with mode 0700, if it does not exist
}

// A Store is one open directory. All methods may be called at the same time; none holds a transaction while the
// caller's code runs.
type Store struct {
	dir     string
	records *file
	readers *readers
	closed  atomic.Bool

	mu    sync.Mutex    // guards years and the used field of its files
	years map[int]*file // one for each year ever written to
	clock int64         // counts uses of years' files
}

// maxWriters is how many years' files stay open for writing. Batches are of this year, or around New Year of two; the
// rest is room for restoring an archive meanwhile.
const maxWriters = 4

var errClosed = errors.New("the store is closed")

// Open opens precount.db in o.Dir, and creates both if need be. The years' files are opened when they are first used.
func Open(o Options) (*Store, error) {
	if o.Dir == "" {
		return nil, errors.New("sqlitestore: no directory given")
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, err
	}
	s := &Store{dir: dir, years: make(map[int]*file), readers: newReaders()}
	s.records = newFile(filepath.Join(dir, counters.RecordsDatabase+".db"), &s.closed)
	s.records.open = func(context.Context) (*conn, error) { return openWriter(s.records.path) }
	if err := s.records.update(context.Background(), readable); err != nil {
		return nil, errors.Join(err, s.records.close())
	}
	return s, nil
}

// CheckYear returns an error if the file of a year exists, but cannot be read and written.
func (s *Store) CheckYear(ctx context.Context, year int) error {
	if _, err := os.Lstat(s.yearPath(year)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return s.year(year).update(ctx, readable)
}

// Ping returns an error if precount.db cannot be locked for writing and read.
func (s *Store) Ping(ctx context.Context) error { return s.records.update(ctx, readable) }

// readable reads the schema, the page that a damaged or foreign file fails at.
func readable(c *conn) error {
	_, err := c.int64("SELECT count(*) FROM sqlite_schema")
	return err
}

// Close waits for the calls that are under way, and closes all files; their write-ahead logs are merged and deleted
// unless other processes use them. Later calls of other methods fail.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	// Readers first: the last connection merges the log, and a read-only one cannot.
	s.readers.close()
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for _, f := range s.years {
		err = errors.Join(err, f.close())
	}
	return errors.Join(err, s.records.close())
}

func (s *Store) yearPath(year int) string {
	return filepath.Join(s.dir, counters.Month{Year: year, Month: 1}.Database()+".db")
}

// year returns the writer of a year's file; the file itself is created by the writer's first transaction.
func (s *Store) year(year int) *file {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.years[year]
	if f == nil {
		f = newFile(s.yearPath(year), &s.closed)
		f.open = func(ctx context.Context) (*conn, error) { return s.openYear(ctx, f.path) }
		s.years[year] = f
	}
	s.clock++
	f.used = s.clock
	s.rest(f)
	return f
}

// openYear opens or creates a year's file while it holds the lock of precount.db; see the package comment.
func (s *Store) openYear(ctx context.Context, path string) (c *conn, err error) {
	lockErr := s.records.update(ctx, func(*conn) error {
		c, err = openWriter(path)
		return nil
	})
	if err == nil && lockErr != nil {
		if c != nil {
			c.shut()
		}
		return nil, fmt.Errorf("%s: cannot open it: %w", path, lockErr)
	}
	return c, err
}

// rest closes the writer that was idle for the longest, if more than maxWriters are open. The caller holds s.mu.
func (s *Store) rest(but *file) {
	var oldest *file
	open := 0
	for _, f := range s.years {
		if !f.isOpen.Load() {
			continue
		}
		open++
		if f != but && (oldest == nil || f.used < oldest.used) {
			oldest = f
		}
	}
	if open >= maxWriters && oldest != nil {
		oldest.closeIfIdle()
	}
}
