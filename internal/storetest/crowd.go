package storetest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"precount/internal/counters"
)

var crowdSentences = []sentence{
	{"eight collectors that add to the same documents lose nothing", eightWriters},
	{"one batch from eight sides at once counts once", sameBatchAtOnce},
	{"two collectors that race to insert the same documents both count", upsertRace},
	{"inserting templates while batches are applied changes no count", insertRace},
	{"readers see no document shrink while batches are applied", readersAndWriters},
}

// together runs f n times at once, with 0 to n-1, and waits for all.
func together(n int, f func(i int)) {
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-start
			f(i)
		})
	}
	close(start)
	wg.Wait()
}

// try is apply for goroutines: it does not end the test's.
func try(t *testing.T, s Store, b counters.Batch) {
	if err := s.Apply(context.Background(), b); err != nil {
		t.Errorf("Apply: %v", err)
	}
}

func eightWriters(t *testing.T, s *suite) {
	const writers, batches = 8, 10
	store, m := s.open(t), model{}
	updates := append(pages(nov26, 50), append(everyKind(dec26), everyKind(jan27)...)...)
	together(writers, func(i int) {
		for token := range uint64(batches) {
			try(t, store, batch(fmt.Sprint("collector", i), token+1, updates...))
		}
	})
	for range writers * batches {
		m.apply(updates)
	}
	m.check(t, store)
}

func sameBatchAtOnce(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	for token := range uint64(s.rounds / 5) {
		b := batch("a", token+1, append(pages(nov26, 20), everyKind(jan27)...)...)
		together(8, func(int) { try(t, store, b) })
		m.apply(b.Updates)
	}
	m.check(t, store)
}

func upsertRace(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	for round := range s.rounds {
		var updates []counters.Update
		for page := range 10 {
			updates = append(updates, views(counters.PageKey(nov26, base, fmt.Sprintf("/%d/%d", round, page)), 9, 1))
		}
		together(2, func(i int) { try(t, store, batch(fmt.Sprint("collector", i), uint64(round)+1, updates...)) })
		m.apply(updates)
		m.apply(updates)
	}
	m.check(t, store)
}

func insertRace(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	inserted := 0
	for round := range s.rounds {
		var updates []counters.Update
		for page := range 10 {
			updates = append(updates, views(counters.PageKey(nov26, base, fmt.Sprintf("/%d/%d", round, page)), 9, 1))
		}
		together(2, func(i int) {
			if i == 0 {
				try(t, store, batch("a", uint64(round)+1, updates...))
				return
			}
			n, err := store.Insert(context.Background(), collection(nov26, counters.Pages), keysOf(updates), []string{"live"})
			if inserted += n; err != nil {
				t.Errorf("Insert: %v", err)
			}
		})
		m.apply(updates)
	}
	m.check(t, store)
	if inserted > s.rounds*10 {
		t.Errorf("%d inserted of %d", inserted, s.rounds*10)
	}
}

func readersAndWriters(t *testing.T, s *suite) {
	store, ctx := s.open(t), context.Background()
	updates := pages(nov26, 20)
	query := counters.TopQuery{Kind: counters.Pages, Spans: []counters.Span{{Month: nov26, From: 1, To: 30}}, Limit: 5}
	together(3, func(i int) {
		var last int64
		for round := range s.rounds {
			if i == 0 {
				try(t, store, batch("a", uint64(round)+1, updates...))
				continue
			}
			top, err := store.Top(ctx, query)
			if err != nil || top.Total < last {
				t.Errorf("Top: %d after %d, error %v", top.Total, last, err)
			}
			last = top.Total
		}
	})
}
