package sqlitestore

import (
	"context"
	"strings"

	"zombiezen.com/go/sqlite"

	"precount/internal/counters"
)

// DaySums returns one sum for each day of the span, over all documents whose _id begins with prefix. A day without
// documents is 0. Of Hours, a day's sum is the total of the documents of that day; Visitors cannot be added up.
func (s *Store) DaySums(ctx context.Context, kind counters.Kind, span counters.Span, prefix string) ([]int64, error) {
	c := counters.Collection{Month: span.Month, Kind: kind}
	if err := span.Check(kind); err != nil {
		return nil, err
	}
	sums := make([]int64, span.To-span.From+1)
	err := s.read(ctx, func(r *reading) error {
		conn, err := r.collection(c)
		if conn == nil {
			return err
		}
		if kind == counters.Hours {
			err = conn.sumHours(c, span, prefix, sums)
		} else {
			err = conn.sumDays(c, span, prefix, sums)
		}
		return explain(ctx, conn.path, err)
	})
	if err != nil {
		return nil, err
	}
	return sums, nil
}

func (c *conn) sumDays(collection counters.Collection, span counters.Span, prefix string, sums []int64) error {
	terms := make([]string, len(sums))
	for i := range terms {
		terms[i] = "sum(" + dayColumn(span.From+i) + ")"
	}
	where, args := within{prefix: prefix}.sql()
	text := "SELECT " + strings.Join(terms, ", ") + " FROM " + quote(collection.Name()) + where
	return c.query(text, args, func(row *sqlite.Stmt) error {
		for i := range sums {
			sums[i] = row.ColumnInt64(i) // NULL, the sum of no rows, reads as 0
		}
		return nil
	})
}

func (c *conn) sumHours(collection counters.Collection, span counters.Span, prefix string, sums []int64) error {
	where, args := within{prefix: prefix}.sql()
	text := `SELECT "day", sum("total") FROM ` + quote(collection.Name()) + where + ` GROUP BY "day"`
	return c.query(text, args, func(row *sqlite.Stmt) error {
		if day := row.ColumnInt(0); day >= span.From && day <= span.To {
			sums[day-span.From] = row.ColumnInt64(1)
		}
		return nil
	})
}

func dayColumn(day int) string { return quote(string(counters.Day(day))) }
