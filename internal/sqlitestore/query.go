package sqlitestore

import (
	"context"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"
)

// exec runs one statement that returns nothing of interest. Arguments are strings and int64s.
func (c *conn) exec(query string, args ...any) error {
	return c.query(query, args, func(*sqlite.Stmt) error { return nil })
}

// int64 returns the first column of the first row, 0 if there is no row.
func (c *conn) int64(query string, args ...any) (n int64, err error) {
	err = c.query(query, args, func(row *sqlite.Stmt) error { n = row.ColumnInt64(0); return nil })
	return n, err
}

func (c *conn) text(query string, args ...any) (s string, err error) {
	err = c.query(query, args, func(row *sqlite.Stmt) error { s = row.ColumnText(0); return nil })
	return s, err
}

// query calls each for every row.
func (c *conn) query(query string, args []any, each func(row *sqlite.Stmt) error) error {
	stmt, _, err := c.PrepareTransient(query)
	if err != nil {
		return err
	}
	defer stmt.Finalize()
	bind(stmt, args)
	for {
		row, err := stmt.Step()
		if err != nil || !row {
			return err
		}
		if err := each(stmt); err != nil {
			return err
		}
	}
}

func bind(stmt *sqlite.Stmt, args []any) {
	for i, arg := range args {
		switch v := arg.(type) {
		case string:
			stmt.BindText(i+1, v)
		case int64:
			stmt.BindInt64(i+1, v)
		case []byte:
			stmt.BindBytes(i+1, v)
		default:
			panic(fmt.Sprintf("sqlitestore: cannot bind a %T", arg))
		}
	}
}

// patiently runs a statement that may have to wait for other processes, but no longer than d.
func (c *conn) patiently(ctx context.Context, d time.Duration, query string) error {
	wait, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	c.SetInterrupt(wait.Done())
	defer c.SetInterrupt(ctx.Done())
	return c.exec(query)
}

// exists reports whether there is a table of that name.
func (c *conn) exists(table string) (bool, error) {
	n, err := c.int64("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?", table)
	return n > 0, err
}
