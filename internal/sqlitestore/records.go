package sqlitestore

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"zombiezen.com/go/sqlite"

	"precount/internal/counters"
)

// Get returns one record of a collection of precount.db; the error is counters.ErrNotFound if there is none.
func (s *Store) Get(ctx context.Context, collection, id string) (counters.Record, error) {
	found, err := s.selectRecords(ctx, collection, ` WHERE "_id" = ?`, id)
	if err == nil && len(found) == 0 {
		err = notFound(s.records.path, collection, id)
	}
	if err != nil {
		return counters.Record{}, err
	}
	return found[0], nil
}

// List returns all records of a collection, in the order of the bytes of their ids.
func (s *Store) List(ctx context.Context, collection string) ([]counters.Record, error) {
	return s.selectRecords(ctx, collection, ` ORDER BY "_id"`)
}

func (s *Store) selectRecords(ctx context.Context, collection, clause string, args ...any) ([]counters.Record, error) {
	var all []counters.Record
	err := s.read(ctx, func(r *reading) error {
		conn, err := r.file(s.records.path)
		if conn == nil || err != nil {
			return err
		}
		ok, err := conn.exists(collection)
		if ok && err == nil {
			text := `SELECT "_id", "rev", "doc" FROM ` + quote(collection) + clause
			err = conn.query(text, args, func(row *sqlite.Stmt) error {
				record := counters.Record{ID: row.ColumnText(0), Rev: row.ColumnInt64(1), Body: []byte(row.ColumnText(2))}
				all = append(all, record)
				return nil
			})
		}
		return explain(ctx, conn.path, err)
	})
	return all, err
}

// Put stores a record if the stored one still has r.Rev, or if r.Rev is 0 and there is none; otherwise the error is
// counters.ErrConflict. It returns the record as it is stored now, with its new revision.
func (s *Store) Put(ctx context.Context, collection string, r counters.Record) (counters.Record, error) {
	if err := checkRecord(collection, r); err != nil {
		return counters.Record{}, err
	}
	err := s.records.update(ctx, func(c *conn) error {
		if err := c.exec(createRecords(collection)); err != nil {
			return err
		}
		var err error
		if r.Rev == 0 {
			err = c.exec(`INSERT INTO `+quote(collection)+` ("_id", "rev", "doc") VALUES (?, 1, ?) ON CONFLICT DO NOTHING`,
				r.ID, string(r.Body))
		} else {
			err = c.exec(`UPDATE `+quote(collection)+` SET "rev" = "rev" + 1, "doc" = ? WHERE "_id" = ? AND "rev" = ?`,
				string(r.Body), r.ID, r.Rev)
		}
		if err == nil && c.Changes() == 0 {
			err = conflict(collection, r.ID)
		}
		return err
	})
	if err != nil {
		return counters.Record{}, err
	}
	r.Rev++
	return r, nil
}

// Delete removes a record if it still has revision rev; otherwise the error is counters.ErrConflict, or
// counters.ErrNotFound if there is none.
func (s *Store) Delete(ctx context.Context, collection, id string, rev int64) error {
	return s.records.update(ctx, func(c *conn) error {
		ok, err := c.exists(collection)
		if err != nil {
			return err
		}
		if !ok {
			return notFound(s.records.path, collection, id)
		}
		err = c.exec(`DELETE FROM `+quote(collection)+` WHERE "_id" = ? AND "rev" = ?`, id, rev)
		if err != nil || c.Changes() > 0 {
			return err
		}
		n, err := c.int64(`SELECT count(*) FROM `+quote(collection)+` WHERE "_id" = ?`, id)
		if err == nil && n == 0 {
			return notFound(s.records.path, collection, id)
		}
		if err == nil {
			err = conflict(collection, id)
		}
		return err
	})
}

func createRecords(collection string) string {
	return `CREATE TABLE IF NOT EXISTS ` + quote(collection) +
		` ("_id" TEXT NOT NULL PRIMARY KEY, "rev" INTEGER NOT NULL, "doc" TEXT NOT NULL) STRICT, WITHOUT ROWID`
}

func checkRecord(collection string, r counters.Record) error {
	if collection == "" || strings.HasPrefix(collection, "sqlite_") || !counters.Storable(collection) {
		return fmt.Errorf("%q cannot be the name of a collection", collection)
	}
	if r.ID == "" || !counters.Storable(r.ID) || r.Rev < 0 {
		return fmt.Errorf("%s: record %q with revision %d: id or revision is impossible", collection, r.ID, r.Rev)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(r.Body, &fields); err != nil || fields == nil || !counters.Storable(string(r.Body)) {
		return fmt.Errorf("%s: record %q: its body is not a JSON object", collection, r.ID)
	}
	for _, name := range []string{"_id", "rev"} {
		if _, ok := fields[name]; ok {
			return fmt.Errorf("%s: record %q: its body has a field %q", collection, r.ID, name)
		}
	}
	return nil
}

func notFound(path, collection, id string) error {
	return &fileError{fmt.Sprintf("%s: %s: %q: %v", path, collection, id, counters.ErrNotFound), counters.ErrNotFound}
}

func conflict(collection, id string) error {
	return fmt.Errorf("%s: %q: %w: read it again", collection, id, counters.ErrConflict)
}
