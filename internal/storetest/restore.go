package storetest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"precount/internal/counters"
)

var restoreSentences = []sentence{
	{"what is restored is what was read", restoreAll},
	{"restoring again inserts nothing and changes nothing", restoreAgain},
	{"a document with other counts is never changed, and named", restoreDiffers},
	{"restoring creates the collection, also without documents", restoreNothing},
	{"batches add to what was restored", restoreThenApply},
	{"what is not a whole document of the collection is refused", restoreRefused},
	{"restoring with a context that has ended, or after Close, fails", restoreEnded},
}

// archive reads all of a store.
func archive(t *testing.T, s Store) map[counters.Collection][]counters.Document {
	t.Helper()
	all, err := s.Collections(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	docs := map[counters.Collection][]counters.Document{}
	for _, c := range all {
		for doc, err := range s.Scan(context.Background(), c, "") {
			if err != nil {
				t.Fatal(err)
			}
			docs[c] = append(docs[c], doc)
		}
	}
	return docs
}

func restore(t *testing.T, s Store, c counters.Collection, docs []counters.Document, want int) {
	t.Helper()
	n, err := s.Restore(context.Background(), c, docs)
	if err != nil || n != want {
		t.Fatalf("%s: %d of %d restored, error %v, want %d", c, n, len(docs), err, want)
	}
}

// varied returns updates of every kind and month length, with odd texts and a document for each of many pages.
func varied(s *suite) []counters.Update {
	updates := pages(nov26, s.big/10)
	for _, month := range []counters.Month{dec26, jan27, feb27, feb28} {
		updates = append(updates, everyKind(month)...)
	}
	for _, odd := range oddTexts {
		updates = append(updates, views(counters.PageKey(dec26, base, "/odd/"+odd), 31, 1<<40),
			views(counters.AttrKey(dec26, base, "campaign", odd), 5, 3))
	}
	return updates
}

func restoreAll(t *testing.T, s *suite) {
	from, m := s.open(t), model{}
	updates := varied(s)
	apply(t, from, batch("a", 1, updates...))
	m.apply(updates)
	all := archive(t, from)
	to := s.open(t) // only now: an engine may have one server for all
	for c, docs := range all {
		restore(t, to, c, docs, len(docs))
	}
	m.check(t, to)
}

func restoreAgain(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	updates := varied(s)
	apply(t, store, batch("a", 1, updates...))
	m.apply(updates)
	docs := archive(t, store)
	for range 2 {
		for c, some := range docs {
			restore(t, store, c, some, 0)
		}
	}
	m.check(t, store)
	for c, some := range docs { // a restore that was cut off is finished by the next one
		drop(t, store, c)
		restore(t, store, c, some[:len(some)/2], len(some)/2)
		restore(t, store, c, some, len(some)-len(some)/2)
	}
	m.check(t, store)
}

func restoreDiffers(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	updates := everyKind(nov26)
	apply(t, store, batch("a", 1, updates...))
	m.apply(updates)
	for c, docs := range archive(t, store) {
		for i := range docs[0].Counts {
			changed := docs[0]
			changed.Counts = slices.Clone(changed.Counts)
			changed.Counts[i]++
			differs(t, store, c, changed)
		}
		changed := docs[0]
		if c.Kind == counters.Visitors {
			changed.Registers = slices.Clone(changed.Registers)
			changed.Registers[7]++
		} else {
			changed.Total++
		}
		differs(t, store, c, changed)
	}
	m.check(t, store)
}

func differs(t *testing.T, s Store, c counters.Collection, doc counters.Document) {
	t.Helper()
	n, err := s.Restore(context.Background(), c, []counters.Document{doc})
	if !errors.Is(err, counters.ErrDiffers) || n != 0 || !strings.Contains(err.Error(), doc.Key.Base) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%s: %d inserted, error %v", c, n, err)
	}
}

func restoreNothing(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	for _, kind := range counters.Kinds() {
		restore(t, store, collection(feb28, kind), nil, 0)
		m.create(collection(feb28, kind))
	}
	m.check(t, store)
}

func restoreThenApply(t *testing.T, s *suite) {
	from, m := s.open(t), model{}
	updates := append(everyKind(nov26), pages(nov26, 30)...)
	apply(t, from, batch("a", 1, updates...))
	m.apply(updates)
	all := archive(t, from)
	to := s.open(t)
	for c, docs := range all {
		restore(t, to, c, docs, len(docs))
	}
	apply(t, to, batch("b", 1, updates...))
	m.apply(updates)
	m.check(t, to)
}

func restoreRefused(t *testing.T, s *suite) {
	store := s.open(t)
	key := counters.PageKey(nov26, base, "/")
	counts := make([]int64, 30)
	negative := slices.Clone(counts)
	negative[3] = -1
	visitors := counters.VisitorsKey(nov26, base, 1)
	for name, doc := range map[string]counters.Document{
		"of another month":      {Key: counters.PageKey(dec26, base, "/"), Counts: make([]int64, 31)},
		"no key":                {Counts: counts},
		"no slash":              {Key: counters.PageKey(nov26, base, "docs"), Counts: counts},
		"no counts":             {Key: key},
		"a day too much":        {Key: key, Counts: make([]int64, 31)},
		"less than nothing":     {Key: key, Counts: negative},
		"total below nothing":   {Key: key, Counts: counts, Total: -1},
		"registers of a page":   {Key: key, Counts: counts, Registers: make([]byte, counters.Registers)},
		"no registers":          {Key: visitors},
		"too few registers":     {Key: visitors, Registers: make([]byte, 5)},
		"counts of registers":   {Key: visitors, Registers: make([]byte, counters.Registers), Counts: counts},
		"a total for registers": {Key: visitors, Registers: make([]byte, counters.Registers), Total: 1},
	} {
		c := collection(nov26, counters.Pages)
		if doc.Key.Collection.Kind == counters.Visitors {
			c.Kind = counters.Visitors
		}
		if n, err := store.Restore(context.Background(), c, []counters.Document{doc}); err == nil || n != 0 || errors.Is(err, counters.ErrDiffers) {
			t.Errorf("%s: %d inserted, error %v", name, n, err)
		}
	}
	model{}.check(t, store)
}

func restoreEnded(t *testing.T, s *suite) {
	store := s.open(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := collection(nov26, counters.Pages)
	if _, err := store.Restore(ctx, c, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error is %v", err)
	}
	model{}.check(t, store)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Restore(context.Background(), c, nil); err == nil {
		t.Error("Restore works after Close")
	}
}
