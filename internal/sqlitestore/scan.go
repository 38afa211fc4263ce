package sqlitestore

import (
	"context"
	"iter"
	"strings"

	"zombiezen.com/go/sqlite"

	"precount/internal/counters"
)

// chunk is how many documents are read in one transaction. Between chunks no transaction is open, so that a slow caller
// cannot make the write-ahead log grow, and may call other methods; a document inserted meanwhile may or may not be
// seen. A site's hours, and its registers, fit in one chunk: they are of one moment.
const chunk = 256

// Scan returns the documents of a collection whose _id begins with prefix, in the order of the bytes of their _ids. A
// collection that does not exist has none. An error is the last thing that is yielded.
func (s *Store) Scan(ctx context.Context, c counters.Collection, prefix string) iter.Seq2[counters.Document, error] {
	names, identity := columns(c)
	values := names[identity:]
	return scan(ctx, s, c, prefix, ", "+quoteAll(values), func(row *sqlite.Stmt) (doc counters.Document, err error) {
		if doc.Key, err = counters.ParseID(c, row.ColumnText(0)); err != nil {
			return doc, err
		}
		if c.Kind == counters.Visitors {
			doc.Registers = make([]byte, counters.Registers)
			row.ColumnBytes(1, doc.Registers)
			return doc, nil
		}
		doc.Total = row.ColumnInt64(1)
		doc.Counts = make([]int64, len(values)-1)
		for i := range doc.Counts {
			doc.Counts[i] = row.ColumnInt64(2 + i)
		}
		return doc, nil
	})
}

// IDs returns the _ids that Scan would return, without reading the documents.
func (s *Store) IDs(ctx context.Context, c counters.Collection, prefix string) iter.Seq2[string, error] {
	return scan(ctx, s, c, prefix, "", func(row *sqlite.Stmt) (string, error) { return row.ColumnText(0), nil })
}

// scan yields decode of each row, whose columns are the _id and those named in more.
func scan[T any](ctx context.Context, s *Store, c counters.Collection, prefix, more string,
	decode func(*sqlite.Stmt) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		from := within{prefix: prefix}
		for {
			var got []T
			err := s.chunk(ctx, c, from, more, func(row *sqlite.Stmt) error {
				value, err := decode(row)
				if err != nil {
					return err
				}
				got = append(got, value)
				from.after = row.ColumnText(0)
				return nil
			})
			for _, value := range got {
				if !yield(value, nil) {
					return
				}
			}
			if err != nil {
				var none T
				yield(none, err)
			}
			if err != nil || len(got) < chunk {
				return
			}
		}
	}
}

// chunk calls each for the first rows of a range.
func (s *Store) chunk(ctx context.Context, c counters.Collection, from within, more string,
	each func(row *sqlite.Stmt) error) error {
	return s.read(ctx, func(r *reading) error {
		conn, err := r.collection(c)
		if conn == nil {
			return err
		}
		where, args := from.sql()
		text := `SELECT "_id"` + more + ` FROM ` + quote(c.Name()) + where + ` ORDER BY "_id" LIMIT ?`
		return explain(ctx, conn.path, conn.query(text, append(args, int64(chunk)), each))
	})
}

// within is a condition on _id.
type within struct {
	prefix string
	after  string // if set, only what comes after it
}

// sql returns the WHERE clause, "" if all match.
func (w within) sql() (where string, args []any) {
	var terms []string
	add := func(term, arg string) {
		if arg != "" {
			terms, args = append(terms, term), append(args, arg)
		}
	}
	if w.after != "" {
		add(`"_id" > ?`, w.after)
	} else {
		add(`"_id" >= ?`, w.prefix)
	}
	add(`"_id" < ?`, counters.PrefixEnd(w.prefix))
	if len(terms) == 0 {
		return "", nil
	}
	return " WHERE " + strings.Join(terms, " AND "), args
}

// collection returns a connection to the file that the collection stands in, or nil if the collection does not exist.
func (r *reading) collection(c counters.Collection) (*conn, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	conn, err := r.file(r.s.yearPath(c.Month.Year))
	if conn == nil || err != nil {
		return nil, err
	}
	ok, err := conn.exists(c.Name())
	if err != nil {
		return nil, explain(r.ctx, conn.path, err)
	}
	if !ok {
		return nil, nil
	}
	return conn, nil
}
