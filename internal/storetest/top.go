package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"precount/internal/counters"
)

var topSentences = []sentence{
	{"rows come by falling views, ties by rising _id, zeros not at all", topTies},
	{"the total is that of all documents, whatever the limit", topLimits},
	{"spans over several months and years add up", topSpans},
	{"sections and attributes are ranked like pages", topKinds},
}

func checkTop(t failer, s Store, m model, q counters.TopQuery) {
	t.Helper()
	got, err := s.Top(context.Background(), q)
	want := m.top(q)
	if err != nil || got.Total != want.Total || len(got.Rows) != len(want.Rows) {
		t.Fatalf("%+v: total %d, %d rows, error %v; want total %d, %d rows",
			q, got.Total, len(got.Rows), err, want.Total, len(want.Rows))
	}
	for i, row := range got.Rows {
		w := want.Rows[i]
		if row.Views != w.Views || row.Key.ID() != w.Key.ID() || row.Key.Collection.Kind != q.Kind || !isOf(row.Key, q) {
			t.Fatalf("%+v: row %d is %+v, want %+v", q, i, row, w)
		}
	}
}

// isOf reports whether the key's month is one of those asked for.
func isOf(k counters.Key, q counters.TopQuery) bool {
	for _, span := range q.Spans {
		if span.Month == k.Collection.Month {
			return true
		}
	}
	return false
}

func topTies(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	updates := pages(nov26, 100) // 1 to 7 views
	updates = append(updates, counters.Update{Key: counters.PageKey(nov26, base, "/zero")})
	apply(t, store, batch("a", 1, updates...))
	m.apply(updates)
	for limit := range 105 {
		checkTop(t, store, m, counters.TopQuery{Kind: counters.Pages, Limit: limit,
			Spans: []counters.Span{{Month: nov26, From: 1, To: 30}}})
	}
}

func topLimits(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	updates := append(pages(nov26, 1000), views(counters.PageKey(nov26, "org.mongodbx", "/"), 3, 1000))
	apply(t, store, batch("a", 1, updates...))
	m.apply(updates)
	for _, limit := range []int{0, 1, 2, 20, 999, 1000, 1001, 100_000} {
		for _, prefix := range []string{"", base + "/", base + "/page/99", "x"} {
			checkTop(t, store, m, counters.TopQuery{Kind: counters.Pages, Prefix: prefix, Limit: limit,
				Spans: []counters.Span{{Month: nov26, From: 2, To: 29}}})
		}
	}
}

func topSpans(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	months := []counters.Month{nov26, dec26, jan27, feb27, feb28}
	for token := range uint64(20) {
		updates := make([]counters.Update, 0, 100)
		month := months[int(token)%len(months)]
		for _, page := range rand.Perm(60)[:40] {
			key := counters.PageKey(month, base, fmt.Sprint("/", page))
			updates = append(updates, views(key, 1+rand.IntN(month.Days()), rand.Int64N(5)))
		}
		apply(t, store, batch("a", token+1, updates...))
		m.apply(updates)
	}
	for range 100 {
		q := counters.TopQuery{Kind: counters.Pages, Limit: rand.IntN(70), Prefix: []string{"", base + "/1"}[rand.IntN(2)]}
		for _, i := range rand.Perm(len(months))[:rand.IntN(len(months)+1)] {
			from := 1 + rand.IntN(months[i].Days())
			to := from + rand.IntN(months[i].Days()-from+1)
			q.Spans = append(q.Spans, counters.Span{Month: months[i], From: from, To: to})
		}
		checkTop(t, store, m, q)
	}
}

func topKinds(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	var updates []counters.Update
	for i, name := range []string{"Firefox", "Chrome", "(other)", "a|b", "日本"} {
		updates = append(updates, views(counters.AttrKey(nov26, base, "browser", name), 3, int64(i%3)),
			views(counters.AttrKey(dec26, base, "browser2", name), 3, 7),
			views(counters.SectionKey(nov26, base, i, "/"+name+"/"), 3, int64(i)))
	}
	apply(t, store, batch("a", 1, updates...))
	m.apply(updates)
	spans := []counters.Span{{Month: dec26, From: 1, To: 31}, {Month: nov26, From: 3, To: 3}}
	for _, q := range []counters.TopQuery{
		{Kind: counters.Attrs, Prefix: base + "|browser|"},
		{Kind: counters.Attrs, Prefix: base + "|browser"},
		{Kind: counters.Sections, Prefix: base + "|1|"},
		{Kind: counters.Sections, Prefix: base + "|"},
	} {
		q.Spans, q.Limit = spans, 3
		checkTop(t, store, m, q)
	}
}
