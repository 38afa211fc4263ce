package mongostore

import (
	"fmt"
	"testing"

	"precount/internal/counters"
	"precount/internal/mongotest"
	"precount/internal/storetest"
)

// BenchmarkApply10k is 10,000 pages in one batch: new ones, such as exist, a tenth new, and a batch applied again.
func BenchmarkApply10k(b *testing.B) {
	server := mongotest.Start(b)
	const n = 10_000
	run := func(name string, next func(token int) counters.Batch) {
		b.Run(name, func(b *testing.B) {
			server.Empty(b)
			s := open(b, server.URI)
			apply(b, s, batch("a", 1, storetest.PageUpdates(nov26, 20, n)))
			token := 1
			for b.Loop() {
				token++
				apply(b, s, next(token))
			}
			b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "updates/s")
		})
	}
	updates := storetest.PageUpdates(nov26, 20, n)
	run("existing", func(token int) counters.Batch { return batch("a", token, updates) })
	run("again", func(int) counters.Batch { return batch("a", 1, updates) })
	run("new", func(token int) counters.Batch { return batch("a", token, renamed(updates, token, 1)) })
	run("tenthNew", func(token int) counters.Batch { return batch("a", token, renamed(updates, token, 10)) })
}

// renamed returns the updates with every nth for another page, which is new in each round.
func renamed(updates []counters.Update, round, nth int) []counters.Update {
	all := append([]counters.Update(nil), updates...)
	for i := 0; i < len(all); i += nth {
		all[i].Key.Path = fmt.Sprintf("%s?%d", all[i].Key.Path, round)
	}
	return all
}

// filled returns a store with what storetest.Fill counts.
func filled(b *testing.B) *Store {
	b.Helper()
	s := open(b, mongotest.Start(b).URI)
	storetest.Fill(b, s)
	return s
}

func BenchmarkTop20(b *testing.B) {
	s := filled(b)
	for _, c := range []struct {
		name  string
		spans []counters.Span
	}{
		{"month", []counters.Span{{Month: nov26, From: 1, To: 30}}},
		{"day", []counters.Span{{Month: nov26, From: 10, To: 10}}},
		{"week", []counters.Span{{Month: nov26, From: 10, To: 16}}},
		{"12days", []counters.Span{{Month: nov26, From: 10, To: 21}}},
		{"27days", []counters.Span{{Month: nov26, From: 1, To: 27}}},
		{"30days", []counters.Span{{Month: nov26, From: 16, To: 30}, {Month: dec26, From: 1, To: 15}}},
		{"twomonths", []counters.Span{{Month: nov26, From: 1, To: 30}, {Month: dec26, From: 1, To: 31}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				top, err := s.Top(ctx, counters.TopQuery{Kind: counters.Pages, Spans: c.spans, Prefix: base + "/", Limit: 20})
				if err != nil || len(top.Rows) != 20 {
					b.Fatal(len(top.Rows), err)
				}
			}
		})
	}
	for _, days := range []int{1, 7, 30} {
		b.Run(fmt.Sprintf("DaySums%d", days), func(b *testing.B) {
			for b.Loop() {
				if _, err := s.DaySums(ctx, counters.Pages, counters.Span{Month: nov26, From: 1, To: days}, base+"/"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("scan", func(b *testing.B) {
		for b.Loop() {
			for _, err := range s.Scan(ctx, counters.Collection{Month: nov26}, "") {
				if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

func BenchmarkHoursOfASite(b *testing.B) {
	storetest.BenchmarkHours(b, open(b, mongotest.Start(b).URI))
}

// BenchmarkInsert100kDrop inserts 100,000 templates and drops them.
func BenchmarkInsert100kDrop(b *testing.B) {
	s := open(b, mongotest.Start(b).URI)
	updates := storetest.PageUpdates(nov26, 1, 100_000)
	keys := make([]counters.Key, len(updates))
	for i, u := range updates {
		keys[i] = u.Key
	}
	b.Run("Insert", func(b *testing.B) {
		for b.Loop() {
			if n, err := s.Insert(ctx, keys[0].Collection, keys, []string{"a"}); n != len(keys) || err != nil {
				b.Fatal(n, err)
			}
			b.StopTimer()
			if err := s.Drop(ctx, keys[0].Collection); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
	})
	b.Run("Drop", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			if _, err := s.Insert(ctx, keys[0].Collection, keys, nil); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			if err := s.Drop(ctx, keys[0].Collection); err != nil {
				b.Fatal(err)
			}
		}
	})
}
