package mongostore

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"

	"precount/internal/counters"
)

// Top adds up each document's days within the spans and returns those with the most. If that is not simply the total of
// a month, see isMonth, every document of the range is read once: the sum over all of them is part of the answer, and no index could know the sum of some days. Only the
// numbers that are needed come from the server, see columns. The months are read side by side in the order of _ids, so
// that memory does not grow with the number of documents.
func (s *Store) Top(ctx context.Context, q counters.TopQuery) (counters.Top, error) {
	if err := q.Check(); err != nil {
		return counters.Top{}, err
	}
	if err := s.usable(ctx); err != nil {
		return counters.Top{}, err
	}
	if isMonth(q) {
		return s.topOfMonth(ctx, q)
	}
	ranking := counters.Ranking{Limit: q.Limit}
	var walks []*walk
	defer func() {
		for _, w := range walks {
			w.close(ctx)
		}
	}()
	for _, span := range q.Spans {
		columns := columnsOf(span)
		cur, err := s.open(ctx, counters.Collection{Month: span.Month, Kind: q.Kind}, q.Prefix, columns.projection())
		if err != nil {
			return counters.Top{}, err
		}
		walks = append(walks, &walk{cursor: cur, columns: columns})
	}
	if err := merge(ctx, walks, func(c counters.Collection, id string, views int64) { counters.Rank(&ranking, c, id, views) }); err != nil {
		return counters.Top{}, err
	}
	return ranking.Top()
}

// few is up to how many days are asked for one by one. Picking days costs the server more than sending all of them: for
// 100,000 documents the total takes 160 ms, one day 245, 7 days 367, all of "days" 292.
const few = 4

// columns are the numbers by which the views of a span are known: the total, without the other days if there are few; or
// the days of the span if they are few; or all days.
type columns struct {
	span  counters.Span
	total bool
	days  []int // asked for one by one; nil if all or none are
}

func columnsOf(span counters.Span) columns {
	var inside, outside []int
	for day := 1; day <= span.Month.Days(); day++ {
		if day >= span.From && day <= span.To {
			inside = append(inside, day)
		} else {
			outside = append(outside, day)
		}
	}
	switch {
	case len(inside) <= few:
		return columns{span: span, days: inside}
	case len(outside) <= few:
		return columns{span: span, total: true, days: outside}
	default:
		return columns{span: span}
	}
}

func (c columns) projection() bson.D {
	var fields bson.D
	if c.total {
		fields = append(fields, bson.E{Key: fieldTotal, Value: 1})
	} else if c.days == nil {
		fields = append(fields, bson.E{Key: fieldDays, Value: 1})
	}
	for _, day := range c.days {
		fields = append(fields, bson.E{Key: string(counters.Day(day)), Value: 1})
	}
	return fields
}

// views reads a document that holds these columns.
func (c columns) views(raw bson.Raw) int64 {
	var inside, outside int64
	if !c.total || len(c.days) > 0 {
		eachNumber(raw, fieldDays, func(day int, n int64) {
			if day >= c.span.From && day <= c.span.To {
				inside += n
			} else {
				outside += n
			}
		})
	}
	if c.total {
		return number(raw.Lookup(fieldTotal)) - outside
	}
	return inside
}
