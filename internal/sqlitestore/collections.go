package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"

	"precount/internal/counters"
)

// Collections returns the collections that exist: by time, and those of a month in the order of their kinds.
func (s *Store) Collections(ctx context.Context) ([]counters.Collection, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, &fileError{fmt.Sprintf("%s: cannot list it (%v)", s.dir, cause(err)), err}
	}
	var all []counters.Collection
	for _, entry := range entries {
		if yearOf(entry.Name()) == 0 {
			continue
		}
		path := filepath.Join(s.dir, entry.Name())
		err := s.read(ctx, func(r *reading) error {
			conn, err := r.file(path)
			if conn == nil || err != nil {
				return err
			}
			some, err := conn.collections(yearOf(path))
			all = append(all, some...)
			return explain(ctx, path, err)
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	slices.SortFunc(all, counters.Collection.Compare)
	return all, nil
}

// yearOf returns the year of a file by its name, 0 if it is not a year's file.
func yearOf(path string) int {
	name, isDB := strings.CutSuffix(filepath.Base(path), ".db")
	year, ok := counters.ParseDatabase(name)
	if !isDB || !ok {
		return 0
	}
	return year
}

// collections returns what collections are in the file of the year, in no order. Other tables are left out.
func (c *conn) collections(year int) (all []counters.Collection, err error) {
	database := counters.Month{Year: year, Month: 1}.Database()
	err = c.query("SELECT name FROM sqlite_schema WHERE type = 'table'", nil, func(row *sqlite.Stmt) error {
		if collection, ok := counters.ParseCollection(database, row.ColumnText(0)); ok {
			all = append(all, collection)
		}
		return nil
	})
	return all, err
}
