package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"precount/internal/counters"
)

// vacuumPages is how many free pages Drop gives back in one transaction: about 25 ms, for which Apply has to wait.
const vacuumPages = 1024

// Drop removes a collection, if it exists, and gives its space back to the file system. If ctx ends in between, the
// collection may be gone and the space not be given back; dropping again does the rest.
func (s *Store) Drop(ctx context.Context, c counters.Collection) error {
	if err := c.Check(); err != nil {
		return err
	}
	if missing, err := s.missing(ctx, c.Month.Year); missing || err != nil {
		return err
	}
	f := s.year(c.Month.Year)
	free := int64(0)
	err := f.update(ctx, func(conn *conn) (err error) {
		if err := conn.exec("DROP TABLE IF EXISTS " + quote(c.Name())); err != nil {
			return err
		}
		conn.forget()
		free, err = conn.int64("PRAGMA freelist_count")
		return err
	})
	for ; err == nil && free > 0; free -= vacuumPages {
		err = f.update(ctx, func(conn *conn) error {
			return conn.exec(fmt.Sprintf("PRAGMA incremental_vacuum(%d)", vacuumPages))
		})
	}
	if err != nil {
		return err
	}
	return f.shrink(ctx)
}

// missing reports whether there is no file of that year.
func (s *Store) missing(ctx context.Context, year int) (bool, error) {
	if err := s.usable(ctx); err != nil {
		return false, err
	}
	_, err := os.Stat(s.yearPath(year))
	return errors.Is(err, fs.ErrNotExist), nil
}

// shrink merges the log, so that the file itself becomes as small as it should be. Readers may prevent it; then a later
// transaction does it.
func (f *file) shrink(ctx context.Context) error {
	if err := f.lock(ctx); err != nil {
		return explain(ctx, f.path, err)
	}
	defer f.unlock()
	if f.conn != nil {
		f.truncateLog()
	}
	return nil
}

// DropDatabase deletes the file of a year, with the tokens in it, if it exists. It refuses when any collection is left.
func (s *Store) DropDatabase(ctx context.Context, year int) error {
	any := counters.Collection{Month: counters.Month{Year: year, Month: 1}}
	if err := any.Check(); err != nil {
		return err
	}
	if missing, err := s.missing(ctx, year); missing || err != nil {
		return err
	}
	f := s.year(year)
	if err := f.lock(ctx); err != nil {
		return explain(ctx, f.path, err)
	}
	defer f.unlock()
	err := f.begin(ctx)
	if err == nil {
		err = s.deleteEmpty(ctx, f)
	}
	if f.conn != nil {
		f.drop()
	}
	return explain(ctx, f.path, err)
}

// deleteEmpty deletes a file whose write lock the caller holds; see the package comment for the second lock.
func (s *Store) deleteEmpty(ctx context.Context, f *file) error {
	left, err := f.conn.collections(yearOf(f.path))
	if err != nil {
		return err
	}
	if len(left) > 0 {
		return fmt.Errorf("is not empty: drop %s first", left[0].Name())
	}
	return s.records.update(ctx, func(*conn) error {
		if err := os.Remove(f.path); err != nil {
			return fmt.Errorf("cannot delete %s: %w", f.path, cause(err))
		}
		removeLogs(f.path)
		return nil
	})
}
