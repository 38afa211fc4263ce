package storetest

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"precount/internal/counters"
)

var cancelSentences = []sentence{
	{"every method returns the error of a context that has ended", everyMethod},
	{"a batch that was cut off anywhere, and is then applied whole, counts once", cutOff},
	{"a batch that was cut off beside others changes none of theirs", cutOffInACrowd},
	{"a scan ends with the error of its context", cutOffScan},
	{"after Close every method fails, and Close again does no harm", afterClose},
}

// calls returns a call of each method that takes a context.
func calls(s Store) map[string]func(context.Context) error {
	pages := collection(nov26, counters.Pages)
	span := counters.Span{Month: nov26, From: 1, To: 30}
	return map[string]func(context.Context) error{
		"Apply":  func(ctx context.Context) error { return s.Apply(ctx, batch("b", 9, everyKind(nov26)...)) },
		"no-op":  func(ctx context.Context) error { return s.Apply(ctx, batch("b", 9)) },
		"Scan":   func(ctx context.Context) error { return last(s.Scan(ctx, pages, "")) },
		"IDs":    func(ctx context.Context) error { return last(s.IDs(ctx, pages, "")) },
		"Ping":   s.Ping,
		"Drop":   func(ctx context.Context) error { return s.Drop(ctx, pages) },
		"DropDB": func(ctx context.Context) error { return s.DropDatabase(ctx, 2031) },
		"DaySums": func(ctx context.Context) error {
			_, err := s.DaySums(ctx, counters.Pages, span, "")
			return err
		},
		"Top": func(ctx context.Context) error {
			_, err := s.Top(ctx, counters.TopQuery{Kind: counters.Pages, Spans: []counters.Span{span}, Limit: 3})
			return err
		},
		"Collections": func(ctx context.Context) error { _, err := s.Collections(ctx); return err },
		"Insert":      func(ctx context.Context) error { _, err := s.Insert(ctx, pages, nil, nil); return err },
		"Get":         func(ctx context.Context) error { _, err := s.Get(ctx, "jobs", "x"); return err },
		"List":        func(ctx context.Context) error { _, err := s.List(ctx, "jobs"); return err },
		"Put": func(ctx context.Context) error {
			_, err := s.Put(ctx, "jobs", counters.Record{ID: "x", Body: []byte("{}")})
			return err
		},
		"Delete": func(ctx context.Context) error { return s.Delete(ctx, "jobs", "x", 1) },
	}
}

// last returns the error that a sequence ends with.
func last[T any](seq func(func(T, error) bool)) (err error) {
	for _, err = range seq {
	}
	return err
}

func everyMethod(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	apply(t, store, batch("a", 1, everyKind(nov26)...))
	m.apply(everyKind(nov26))
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	late, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	for name, call := range calls(store) {
		if err := call(cancelled); !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s, cancelled: error is %v", name, err)
		}
		if err := call(late); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s, too late: error is %v", name, err)
		}
	}
	m.check(t, store)
}

// insist applies a batch, first several times with contexts that end at a random instant, then whole.
func insist(t *testing.T, s Store, b counters.Batch, longest time.Duration) (cut int) {
	for range 3 {
		ctx, cancel := context.WithTimeout(context.Background(), rand.N(longest))
		if err := s.Apply(ctx, b); err != nil {
			cut++
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("cut off: error is %v", err)
			}
		}
		cancel()
	}
	try(t, s, b)
	return cut
}

func cutOff(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	updates := append(pages(nov26, 300), append(pages(jan27, 300), everyKind(dec26)...)...)
	begin := time.Now()
	apply(t, store, batch("a", 1, updates...))
	m.apply(updates)
	longest, cut := time.Since(begin), 0
	for round := range s.rounds {
		cut += insist(t, store, batch("a", uint64(round)+2, updates...), longest)
		m.apply(updates)
	}
	m.check(t, store)
	t.Logf("%d of %d tries were cut off", cut, 3*s.rounds)
}

func cutOffInACrowd(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	updates := append(pages(nov26, 200), pages(jan27, 200)...)
	together(4, func(i int) {
		for round := range s.rounds / 5 {
			b := batch(string(rune('a'+i)), uint64(round)+1, updates...)
			if i%2 == 0 {
				try(t, store, b)
			} else {
				insist(t, store, b, 20*time.Millisecond)
			}
		}
	})
	for range 4 * (s.rounds / 5) {
		m.apply(updates)
	}
	m.check(t, store)
}

func cutOffScan(t *testing.T, s *suite) {
	store := s.open(t)
	apply(t, store, batch("a", 1, pages(nov26, 3000)...))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	n, err := 0, error(nil)
	for _, err = range store.Scan(ctx, collection(nov26, counters.Pages), "") {
		n++
		cancel()
	}
	if !errors.Is(err, context.Canceled) || n < 2 || n > 2999 {
		t.Errorf("cancelled after the first document: %d more, then error %v", n, err)
	}
}

func afterClose(t *testing.T, s *suite) {
	store := s.open(t)
	apply(t, store, batch("a", 1, everyKind(nov26)...))
	for range 2 {
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for name, call := range calls(store) {
		if err := call(context.Background()); err == nil {
			t.Errorf("%s works after Close", name)
		}
	}
}
