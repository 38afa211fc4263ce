package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"precount/internal/counters"
)

var readSentences = []sentence{
	{"documents come in the order of the bytes of their _ids", scanOrder},
	{"the prefix of a site matches that site only", sitePrefix},
	{"a prefix matches what begins with it, whatever bytes it ends with", prefixEdges},
	{"what does not exist is empty", nothingThere},
	{"a reader may stop early, and call other methods while it reads", nestedReads},
	{"the sums of days are those of the documents", daySums},
	{"the sums of hours documents are their totals", hourSums},
	{"an impossible question is refused", refusedQuestions},
}

func scanOrder(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	updates := pages(nov26, 1500) // several chunks or cursors' batches
	for _, odd := range []string{"", "A", "a", "Z", "~", "ä", "z", "日", "\x01", "page/0/", "page/0.html"} {
		updates = append(updates, views(counters.PageKey(nov26, base, "/"+odd), 1, 1))
	}
	apply(t, store, batch("a", 1, updates...))
	m.apply(updates)
	m.check(t, store)
	ids := all(t, store.IDs(context.Background(), updates[0].Key.Collection, ""))
	if len(ids) != len(updates) || !slices.IsSorted(ids) {
		t.Errorf("%d ids, want %d, sorted", len(ids), len(updates))
	}
}

func sitePrefix(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	bases := []string{"org.mongodb", "org.mongodb.docs", "org.mongodbx", "org.mongod", "org", "localhost", "org.mongodb-x"}
	var updates []counters.Update
	for i, b := range bases {
		updates = append(updates, views(counters.PageKey(nov26, b, "/"), 2, int64(i+1)),
			views(counters.PageKey(nov26, b, "/docs/"), 2, 10), views(counters.HoursKey(nov26, b, 5), 3, int64(i+1)),
			views(counters.SectionKey(nov26, b, 0, "/"), 2, 1), views(counters.AttrKey(nov26, b, "browser", "Firefox"), 2, 1),
			raise(counters.VisitorsKey(nov26, b, 5), 1, int64(i+1)))
	}
	apply(t, store, batch("a", 1, updates...))
	m.apply(updates)
	for _, kind := range counters.Kinds() {
		c := collection(nov26, kind)
		for _, b := range bases {
			m.checkCollection(t, store, c, counters.IDPrefix(kind, b))
		}
	}
	m.check(t, store)
}

func prefixEdges(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	paths := []string{"/", "/a", "/a/", "/a/b", "/a0", "/a~", "/aä", "/a\u00ff", "/a\u0100", "/a\U0010ffff", "/b", "/\x7f",
		"/\u07ff", "/%", "/%25", "/_", "/A"}
	var updates []counters.Update
	for _, path := range paths {
		updates = append(updates, views(counters.PageKey(nov26, base, path), 30, 1))
	}
	apply(t, store, batch("a", 1, updates...))
	m.apply(updates)
	for _, path := range append(paths, "/a\x7f", "/zz", "/a/b/c") {
		prefix := base + path
		m.checkCollection(t, store, collection(nov26, counters.Pages), prefix)
		ids := all(t, store.IDs(context.Background(), collection(nov26, counters.Pages), prefix))
		if want := m.documents(collection(nov26, counters.Pages), prefix); len(ids) != len(want) {
			t.Errorf("prefix %q: %d ids, want %d", prefix, len(ids), len(want))
		}
		checkSums(t, store, m, counters.Span{Month: nov26, From: 29, To: 30}, prefix)
	}
}

func nothingThere(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	m.check(t, store)
	for range 2 { // first no database, then a database without the collection
		m.checkCollection(t, store, collection(dec26, counters.Hours), "")
		if ids := all(t, store.IDs(context.Background(), collection(dec26, counters.Pages), "")); len(ids) != 0 {
			t.Errorf("ids %v", ids)
		}
		checkSums(t, store, m, counters.Span{Month: dec26, From: 1, To: 31}, "")
		checkTop(t, store, m, counters.TopQuery{Kind: counters.Pages, Limit: 9,
			Spans: []counters.Span{{Month: dec26, From: 1, To: 31}, {Month: feb28, From: 29, To: 29}}})
		apply(t, store, batch("a", 1, everyKind(nov26)...))
	}
}

func nestedReads(t *testing.T, s *suite) {
	store, ctx := s.open(t), context.Background()
	apply(t, store, batch("a", 1, pages(nov26, 600)...))
	c := collection(nov26, counters.Pages)
	token := uint64(1)
	for range store.Scan(ctx, c, "") {
		for range store.IDs(ctx, c, "") {
			for range store.Scan(ctx, c, base) {
				break
			}
			token++
			apply(t, store, batch("a", token, pages(nov26, 1)...))
			if token%10 == 0 {
				break
			}
		}
		if token > 50 {
			break
		}
	}
}

// checkSums compares DaySums of Pages with the model.
func checkSums(t failer, s Store, m model, span counters.Span, prefix string) {
	t.Helper()
	want := make([]int64, span.To-span.From+1)
	for _, doc := range m.documents(collection(span.Month, counters.Pages), prefix) {
		for i := range want {
			want[i] += doc.Counts[span.From-1+i]
		}
	}
	got, err := s.DaySums(context.Background(), counters.Pages, span, prefix)
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("sums of %v, prefix %q, are %v, want %v; error %v", span, prefix, got, want, err)
	}
}

func daySums(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	for token, month := range []counters.Month{nov26, dec26, feb27, feb28} {
		updates := pages(month, 200)
		apply(t, store, batch("a", uint64(token)+1, updates...))
		m.apply(updates)
		for _, prefix := range []string{"", base + "/", base + "/page/1", "x"} {
			for _, days := range [][2]int{{1, 1}, {1, month.Days()}, {month.Days(), month.Days()}, {7, 13}} {
				checkSums(t, store, m, counters.Span{Month: month, From: days[0], To: days[1]}, prefix)
			}
		}
	}
}

func hourSums(t *testing.T, s *suite) {
	store := s.open(t)
	for day := 2; day <= 30; day += 2 {
		for i, b := range []string{base, base + ".docs"} {
			u := views(counters.HoursKey(nov26, b, day), day%24, int64(day*(i+1)))
			apply(t, store, batch(fmt.Sprint("c", i), uint64(day), u))
		}
	}
	span := counters.Span{Month: nov26, From: 3, To: 6}
	for prefix, want := range map[string][]int64{base + "|": {0, 4, 0, 6}, "": {0, 12, 0, 18}, "x|": {0, 0, 0, 0}} {
		got, err := store.DaySums(context.Background(), counters.Hours, span, prefix)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("prefix %q: sums are %v, want %v; error %v", prefix, got, want, err)
		}
	}
}

func refusedQuestions(t *testing.T, s *suite) {
	store, ctx := s.open(t), context.Background()
	apply(t, store, batch("a", 1, everyKind(nov26)...))
	for _, span := range []counters.Span{{}, {Month: nov26}, {Month: nov26, From: 1, To: 31}, {Month: nov26, From: 5, To: 4}} {
		if _, err := store.DaySums(ctx, counters.Pages, span, ""); err == nil {
			t.Errorf("DaySums: span %v is accepted", span)
		}
		if _, err := store.Top(ctx, counters.TopQuery{Kind: counters.Pages, Spans: []counters.Span{span}}); err == nil {
			t.Errorf("Top: span %v is accepted", span)
		}
	}
	whole := counters.Span{Month: nov26, From: 1, To: 30}
	if _, err := store.DaySums(ctx, counters.Visitors, whole, ""); err == nil {
		t.Error("DaySums: visitors are accepted")
	}
	for _, q := range []counters.TopQuery{
		{Kind: counters.Visitors, Spans: []counters.Span{whole}},
		{Kind: counters.Hours, Spans: []counters.Span{whole}},
		{Kind: counters.Pages, Spans: []counters.Span{whole, whole}},
		{Kind: counters.Pages, Spans: []counters.Span{whole}, Limit: -1},
		{Kind: counters.Pages, Spans: []counters.Span{whole}, Limit: 100_001},
	} {
		if _, err := store.Top(ctx, q); err == nil {
			t.Errorf("Top: %v is accepted", q)
		}
	}
}
