package storetest

import (
	"context"
	"testing"

	"precount/internal/counters"
)

var dropSentences = []sentence{
	{"templates are inserted with zeros, and counted", insertTemplates},
	{"inserting never overwrites", insertKeeps},
	{"inserting creates the collection, also without keys", insertNothing},
	{"keys that are not of the collection are refused", insertRefused},
	{"dropping removes one collection, as often as one likes", dropOne},
	{"a dropped collection comes back with the next batch", dropAndApply},
	{"a year is deleted when it is empty, not before", dropYear},
}

func insert(t testing.TB, s Store, c counters.Collection, keys []counters.Key, want int) {
	t.Helper()
	n, err := s.Insert(context.Background(), c, keys, []string{"live"})
	if err != nil || n != want {
		t.Fatalf("Insert: %d, error %v, want %d", n, err, want)
	}
}

func insertTemplates(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	for _, month := range []counters.Month{nov26, feb27, feb28} {
		for _, key := range keysOf(everyKind(month)) {
			insert(t, store, key.Collection, []counters.Key{key, key}, 1)
			m.document(key)
		}
	}
	m.check(t, store)
	keys := keysOf(pages(dec26, s.big/5))
	insert(t, store, keys[0].Collection, keys[:len(keys)/2], len(keys)/2)
	insert(t, store, keys[0].Collection, keys, len(keys)-len(keys)/2)
	for _, key := range keys {
		m.document(key)
	}
	m.check(t, store)
}

func insertKeeps(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	updates := append(pages(nov26, 20), everyKind(nov26)...)
	apply(t, store, batch("a", 1, updates...))
	for range 2 {
		for _, key := range keysOf(updates) {
			insert(t, store, key.Collection, []counters.Key{key}, 0)
		}
	}
	apply(t, store, batch("a", 2, updates...))
	m.apply(updates)
	m.apply(updates)
	m.check(t, store)
}

func insertNothing(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	for _, month := range []counters.Month{jan27, feb28, nov26} {
		for _, kind := range counters.Kinds() {
			insert(t, store, collection(month, kind), nil, 0)
			m.create(collection(month, kind))
		}
	}
	m.check(t, store)
}

func insertRefused(t *testing.T, s *suite) {
	store := s.open(t)
	for _, key := range []counters.Key{
		counters.PageKey(dec26, base, "/"),
		counters.HoursKey(nov26, base, 1),
		counters.PageKey(nov26, base, "docs"),
		{},
	} {
		n, err := store.Insert(context.Background(), collection(nov26, counters.Pages), []counters.Key{key}, nil)
		if err == nil || n != 0 {
			t.Errorf("%v: %d inserted, error %v", key, n, err)
		}
	}
	model{}.check(t, store)
}

func drop(t failer, s Store, c counters.Collection) {
	t.Helper()
	if err := s.Drop(context.Background(), c); err != nil {
		t.Fatalf("Drop: %v", err)
	}
}

func dropOne(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	updates := append(append(pages(nov26, 5000), everyKind(dec26)...), everyKind(jan27)...)
	apply(t, store, batch("a", 1, updates...))
	m.apply(updates)
	for _, month := range []counters.Month{nov26, jan27, feb28} {
		for _, kind := range counters.Kinds() {
			drop(t, store, collection(month, kind))
			drop(t, store, collection(month, kind))
			delete(m, collection(month, kind))
			m.check(t, store)
		}
	}
}

func dropAndApply(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	for token := range uint64(10) {
		updates := append(pages(nov26, 20), everyKind(nov26)...)
		apply(t, store, batch("a", token+1, updates...))
		m.apply(updates)
		m.check(t, store)
		kind := counters.Kind(token % 5)
		drop(t, store, collection(nov26, kind))
		delete(m, collection(nov26, kind))
		m.check(t, store)
	}
}

func dropYear(t *testing.T, s *suite) {
	store, m, ctx := s.open(t), model{}, context.Background()
	for round := range uint64(2) {
		b := batch("a", round+1, append(pages(nov26, 10), pages(jan27, 10)...)...)
		apply(t, store, b)
		m.apply(b.Updates)
		if err := store.DropDatabase(ctx, 2026); err == nil {
			t.Fatal("a year with a collection in it is deleted")
		}
		m.check(t, store)
		drop(t, store, collection(nov26, counters.Pages))
		delete(m, collection(nov26, counters.Pages))
		for range 2 {
			if err := store.DropDatabase(ctx, 2026); err != nil {
				t.Fatal(err)
			}
		}
		m.check(t, store)
	}
}
