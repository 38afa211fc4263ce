package sqlitestore

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"zombiezen.com/go/sqlite"

	"precount/internal/counters"
)

// Restore makes the collection exist, and in it the documents, with their counts as they are given. A document that exists
// with the same counts is skipped. One that exists with other counts is not changed: the error is counters.ErrDiffers and
// names it, and nothing of its chunk of insertChunk documents is inserted. inserted is how many were, also with an error.
func (s *Store) Restore(ctx context.Context, c counters.Collection, docs []counters.Document) (inserted int, err error) {
	if err := c.CheckDocuments(docs); err != nil {
		return 0, err
	}
	for first := true; first || len(docs) > 0; first = false {
		some := docs[:min(insertChunk, len(docs))]
		n := 0
		err := s.year(c.Month.Year).update(ctx, func(conn *conn) (err error) {
			n, err = conn.restore(c, some)
			return err
		})
		if err != nil {
			return inserted, err
		}
		inserted += n
		docs = docs[len(some):]
	}
	return inserted, nil
}

func (c *conn) restore(collection counters.Collection, docs []counters.Document) (inserted int, err error) {
	if err := c.ensure(collection); err != nil {
		return 0, err
	}
	names, identity := columns(collection)
	table, marks := quote(collection.Name()), strings.Repeat(", ?", len(names))[2:]
	insert, _, err := c.PrepareTransient(fmt.Sprintf(`INSERT INTO %s (%s) VALUES (%s) ON CONFLICT ("_id") DO NOTHING`,
		table, quoteAll(names), marks))
	if err != nil {
		return 0, err
	}
	defer insert.Finalize()
	for i := range docs {
		doc := &docs[i]
		bindValues(insert, bindIdentity(insert, doc.Key.ID(), &doc.Key), doc)
		if _, err := insert.Step(); err != nil {
			return inserted, err
		}
		if err := insert.Reset(); err != nil {
			return inserted, err
		}
		if c.Changes() > 0 {
			inserted++
			continue
		}
		if err := c.mustEqual(table, names[identity:], doc); err != nil {
			return inserted, err
		}
	}
	return inserted, nil
}

// bindValues binds what a document counts, after the n parameters of its identity.
func bindValues(stmt *sqlite.Stmt, n int, doc *counters.Document) {
	if doc.Registers != nil {
		stmt.BindBytes(n+1, doc.Registers)
		return
	}
	stmt.BindInt64(n+1, doc.Total)
	for i, count := range doc.Counts {
		stmt.BindInt64(n+2+i, count)
	}
}

// mustEqual returns counters.ErrDiffers unless the stored document counts what doc does.
func (c *conn) mustEqual(table string, values []string, doc *counters.Document) error {
	equal := false
	query := "SELECT " + quoteAll(values) + " FROM " + table + ` WHERE "_id" = ?`
	err := c.query(query, []any{doc.Key.ID()}, func(row *sqlite.Stmt) error {
		if doc.Registers != nil {
			stored := make([]byte, row.ColumnLen(0))
			row.ColumnBytes(0, stored)
			equal = bytes.Equal(stored, doc.Registers)
			return nil
		}
		equal = row.ColumnInt64(0) == doc.Total
		for i, count := range doc.Counts {
			equal = equal && row.ColumnInt64(1+i) == count
		}
		return nil
	})
	if err == nil && !equal {
		err = fmt.Errorf("%s %q: %w", table, doc.Key.ID(), counters.ErrDiffers)
	}
	return err
}
