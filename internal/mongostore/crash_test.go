package mongostore

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"precount/internal/counters"
	"precount/internal/mongotest"
	"precount/internal/storetest"
)

// A crowd is collectors that apply batches to the same documents, each over and over until it succeeds.
type crowd struct {
	t       *testing.T
	stores  []*Store
	updates func(token int) []counters.Update
	tokens  []int        // of each collector, how many batches are applied
	applied atomic.Int64 // sum of tokens
	retries atomic.Int64
	stop    atomic.Bool
	wg      sync.WaitGroup
}

func newCrowd(t *testing.T, uri string, n int, updates func(token int) []counters.Update) *crowd {
	c := &crowd{t: t, updates: updates, tokens: make([]int, n)}
	for range n {
		c.stores = append(c.stores, open(t, uri+"?serverSelectionTimeoutMS=2000&timeoutMS=20000"))
	}
	return c
}

func (c *crowd) start() {
	for i := range c.stores {
		c.wg.Go(func() {
			for !c.stop.Load() {
				c.insist(i)
			}
		})
	}
}

// insist applies the next batch of one collector, whatever it takes.
func (c *crowd) insist(i int) {
	b := batch(fmt.Sprintf("c%d", i), c.tokens[i]+1, c.updates(c.tokens[i]+1))
	for {
		err := c.stores[i].Apply(ctx, b)
		if err == nil {
			break
		}
		if errors.Is(err, ErrConfiguration) || strings.Contains(err.Error(), "\n") {
			c.t.Errorf("error is %v", err)
		}
		c.retries.Add(1)
		time.Sleep(rand.N(20 * time.Millisecond)) // a collector backs off too
	}
	c.tokens[i]++
	c.applied.Add(1)
}

// progress waits until so many more batches are applied, or for a while.
func (c *crowd) progress(more int64) {
	c.t.Helper()
	goal, deadline := c.applied.Load()+more, time.Now().Add(2*time.Minute)
	for c.applied.Load() < goal {
		if time.Now().After(deadline) {
			c.t.Fatal("no batch gets through")
		}
		time.Sleep(time.Millisecond)
	}
}

// check ends the crowd and compares each document with what was applied.
func (c *crowd) check() {
	c.t.Helper()
	c.stop.Store(true)
	c.wg.Wait()
	want := map[string]int64{}
	for i := range c.tokens {
		for token := 1; token <= c.tokens[i]; token++ {
			for _, u := range c.updates(token) {
				want[u.Key.ID()]++
			}
		}
	}
	got := 0
	for doc, err := range c.stores[0].Scan(ctx, counters.Collection{Month: nov26}, "") {
		if err != nil {
			c.t.Fatal(err)
		}
		id := doc.Key.ID()
		if n := want[id]; doc.Total != n || doc.Counts[19] != n {
			c.t.Errorf("%s: total %d, day %d, want %d", id, doc.Total, doc.Counts[19], n)
		}
		got++
	}
	if got != len(want) {
		c.t.Errorf("%d documents, want %d", got, len(want))
	}
	c.t.Logf("%d batches by %d collectors, %d documents, %d retries", c.applied.Load(), len(c.tokens), len(want), c.retries.Load())
}

// someOldSomeNew is 200 pages that all have, and 50 that are new with each token, for all collectors at the same time.
func someOldSomeNew(token int) []counters.Update {
	return append(storetest.PageUpdates(nov26, 20, 200), renamed(storetest.PageUpdates(nov26, 20, 50), token, 1)...)
}

func TestKilledServerLosesAndDoublesNothing(t *testing.T) {
	server := mongotest.Start(t)
	server.NeedKills(t)
	rounds := 20
	if testing.Short() {
		rounds = 3
	}
	c := newCrowd(t, server.URI, 8, someOldSomeNew)
	c.start()
	for round := range rounds {
		c.progress(1 + rand.Int64N(12))
		kill := []func() error{server.KillFront, server.KillBack, server.Kill}[round%3]
		if err := errors.Join(kill(), server.Restart()); err != nil {
			t.Fatal(err)
		}
	}
	c.progress(8)
	c.check()
}

// TestRaceForNewDocuments: two collectors insert the same documents at the same time, thousands of times.
func TestRaceForNewDocuments(t *testing.T) {
	server := mongotest.Start(t)
	c := newCrowd(t, server.URI, 2, func(token int) []counters.Update { return renamed(storetest.PageUpdates(nov26, 20, 20), token, 1) })
	batches := 200
	if testing.Short() {
		batches = 50
	}
	for range batches {
		var wg sync.WaitGroup
		for i := range c.stores {
			wg.Go(func() { c.insist(i) })
		}
		wg.Wait()
	}
	if n := c.retries.Load(); n > 0 {
		t.Errorf("%d retries, though the server is well", n)
	}
	c.check()
}

func TestBadNetworkLosesAndDoublesNothing(t *testing.T) {
	proxy := mongotest.StartProxy(t, mongotest.Start(t))
	for name, faults := range map[string][]mongotest.Fault{
		"delays":                 {mongotest.Delay},
		"cut answers":            {mongotest.Cut},
		"swallowed answers":      {mongotest.Swallow},
		"half requests":          {mongotest.Refuse},
		"everything in disorder": {mongotest.Delay, mongotest.Cut, mongotest.Swallow, mongotest.Refuse},
	} {
		t.Run(name, func(t *testing.T) {
			proxy.Set(func() mongotest.Fault { return mongotest.None })
			c := newCrowd(t, proxy.URI, 4, func(token int) []counters.Update {
				return someOldSomeNew(token)
			})
			drop(t, c.stores[0])
			proxy.Set(func() mongotest.Fault {
				if rand.IntN(4) == 0 {
					return faults[rand.IntN(len(faults))]
				}
				return mongotest.None
			})
			c.start()
			c.progress(60)
			proxy.Set(func() mongotest.Fault { return mongotest.None })
			c.check()
		})
	}
}

func drop(t *testing.T, s *Store) {
	t.Helper()
	if err := s.Drop(ctx, counters.Collection{Month: nov26}); err != nil {
		t.Fatal(err)
	}
}
