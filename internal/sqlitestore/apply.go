package sqlitestore

import (
	"context"
	"fmt"

	"zombiezen.com/go/sqlite"

	"precount/internal/counters"
)

// Apply adds a batch to the store, exactly once however often it is tried: see counters.Batch. Each year that the batch
// touches is one transaction, which also records the batch's token; a year whose recorded token of this collector is
// the same or a newer one is left alone. A batch with an unknown field or an impossible value is refused as a whole.
//
// Apply takes effect or not at all, per year: if it returns an error, also that of a cancelled ctx, years that come
// before the failing one may be applied, and will be skipped when the batch is tried again.
func (s *Store) Apply(ctx context.Context, b counters.Batch) error {
	steps, err := plan(b)
	if err != nil {
		return fmt.Errorf("%s: %w", s.dir, err)
	}
	if err := s.usable(ctx); err != nil {
		return err
	}
	for len(steps) > 0 {
		year, n := steps[0].shape.collection.Month.Year, 0
		for n < len(steps) && steps[n].shape.collection.Month.Year == year {
			n++
		}
		err := s.year(year).update(ctx, func(c *conn) error { return c.apply(b, steps[:n]) })
		if err != nil {
			return err
		}
		steps = steps[n:]
	}
	return nil
}

// usable returns the error of a call that cannot succeed, for calls that may find nothing to do.
func (s *Store) usable(ctx context.Context) error {
	if s.closed.Load() {
		return explain(ctx, s.dir, errClosed)
	}
	return explain(ctx, s.dir, ctx.Err())
}

// apply is the part of Apply that happens in one file, within a transaction.
func (c *conn) apply(b counters.Batch, steps []step) error {
	fresh, err := c.claim(b.Collector, b.Token)
	if err != nil || !fresh {
		return err
	}
	for i := range steps {
		st := &steps[i]
		if i == 0 || st.shape.collection != steps[i-1].shape.collection {
			if err := c.ensure(st.shape.collection); err != nil {
				return err
			}
		}
		if st.shape.collection.Kind == counters.Visitors {
			err = c.raise(st)
		} else {
			err = c.add(st)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// claim records the token, and reports whether it is newer than the recorded one.
func (c *conn) claim(collector string, token uint64) (fresh bool, err error) {
	if err := c.exec(createApplied); err != nil {
		return false, err
	}
	err = c.exec(`INSERT INTO "applied" ("collector", "token") VALUES (?, ?)
		ON CONFLICT ("collector") DO UPDATE SET "token" = excluded."token" WHERE "token" < excluded."token"`,
		collector, int64(token))
	return c.Changes() > 0, err
}

// add adds to a document, or inserts it. Nothing is allocated here: this is what a batch's time goes into. Most documents
// exist, so that is tried first: a quarter faster than an upsert, which looks for the row twice (bench/RESULTS.md, 2026-11-21).
func (c *conn) add(st *step) error {
	stmts, err := c.adder(st.shape)
	if err != nil {
		return err
	}
	if stmts.update != nil {
		stmts.update.BindText(1, st.id)
		if changed, err := c.run(stmts.update, st, 1); err != nil || changed {
			return err
		}
	}
	_, err = c.run(stmts.insert, st, bindIdentity(stmts.insert, st.id, &st.update.Key))
	return err
}

// run binds the step's counters behind the first n parameters, and reports whether the statement changed a row.
func (c *conn) run(stmt *sqlite.Stmt, st *step, n int) (changed bool, err error) {
	for _, d := range st.update.Inc {
		i, _ := st.shape.collection.CounterIndex(d.Field)
		stmt.BindInt64(n+1+st.shape.fields.rank(i), d.N)
	}
	if _, err := stmt.Step(); err != nil {
		return false, err
	}
	return c.Changes() > 0, stmt.Reset()
}

// bindIdentity binds the _id and the values of Key.Identity, and returns how many parameters that were.
func bindIdentity(stmt *sqlite.Stmt, id string, k *counters.Key) int {
	stmt.BindText(1, id)
	stmt.BindText(2, k.Base)
	switch k.Collection.Kind {
	case counters.Pages:
		stmt.BindText(3, k.Path)
		return 3
	case counters.Sections:
		stmt.BindInt64(3, int64(k.Depth))
		stmt.BindText(4, k.Path)
		return 4
	case counters.Attrs:
		stmt.BindText(3, k.Name)
		stmt.BindText(4, k.Value)
		return 4
	default:
		stmt.BindInt64(3, int64(k.Day))
		return 3
	}
}

// raise inserts the registers of a site's day or raises them. There are few such documents in a batch, but each has up
// to 2,048 changes: they are made here, not in SQL.
func (c *conn) raise(st *step) error {
	if err := c.add(st); err != nil {
		return err
	}
	table := quote(st.shape.collection.Name())
	registers := make([]byte, counters.Registers)
	size := 0
	err := c.query(`SELECT "r" FROM `+table+` WHERE "_id" = ?`, []any{st.id}, func(row *sqlite.Stmt) error {
		size = row.ColumnLen(0)
		row.ColumnBytes(0, registers)
		return nil
	})
	if err != nil {
		return err
	}
	if size != counters.Registers {
		return fmt.Errorf("%s %q: r has %d bytes, not %d: restore it from a backup", table, st.id, size, counters.Registers)
	}
	changed := false
	for _, d := range st.update.Max {
		i, _ := counters.RegisterIndex(d.Field)
		if n := byte(d.N); n > registers[i] {
			registers[i], changed = n, true
		}
	}
	if !changed {
		return nil
	}
	return c.exec(`UPDATE `+table+` SET "r" = ? WHERE "_id" = ?`, registers, st.id)
}
