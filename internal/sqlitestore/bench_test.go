package sqlitestore

import (
	"fmt"
	"testing"

	"precount/internal/counters"
	"precount/internal/storetest"
)

// BenchmarkApply10k is the measurement by which the driver was chosen: 10,000 pages added to in one transaction.
func BenchmarkApply10k(b *testing.B) {
	for _, rows := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("of%d", rows), func(b *testing.B) {
			s := open(b, b.TempDir())
			updates := storetest.PageUpdates(nov26, 20, rows)
			apply(b, s, batch("a", 1, updates))
			b.ReportAllocs()
			token := 1
			for b.Loop() {
				token++
				from := token * 10_000 % rows
				apply(b, s, batch("a", token, updates[from:from+10_000]))
			}
			b.ReportMetric(10_000*float64(b.N)/b.Elapsed().Seconds(), "updates/s")
		})
	}
}

// BenchmarkApplyMixed is a batch as a busy second makes it: pages with their hours, sections, attributes and visitors.
func BenchmarkApplyMixed(b *testing.B) {
	s := open(b, b.TempDir())
	updates := storetest.PageUpdates(nov26, 20, 8_000)
	for i := range 1_000 {
		site := fmt.Sprintf("org.site%d", i%50)
		day := []counters.Delta{{Field: counters.Total, N: 2}, {Field: counters.Day(20), N: 2}}
		updates = append(updates,
			counters.Update{Key: counters.SectionKey(nov26, site, 1, fmt.Sprintf("/%d/", i)), Inc: day},
			counters.Update{Key: counters.AttrKey(nov26, site, "browser", fmt.Sprint(i)), Inc: day})
	}
	for i := range 50 {
		site := fmt.Sprintf("org.site%d", i)
		visitors := counters.Update{Key: counters.VisitorsKey(nov26, site, 20)}
		for register := range 200 {
			visitors.Max = append(visitors.Max, counters.Delta{Field: counters.Register(register), N: int64(register % 7)})
		}
		hour := []counters.Delta{{Field: counters.Total, N: 2}, {Field: counters.Hour(13), N: 2}}
		updates = append(updates, visitors, counters.Update{Key: counters.HoursKey(nov26, site, 20), Inc: hour})
	}
	token := 0
	b.ReportAllocs()
	for b.Loop() {
		token++
		apply(b, s, batch("a", token, updates))
	}
	b.ReportMetric(float64(len(updates)*b.N)/b.Elapsed().Seconds(), "updates/s")
}

// filled returns a store with what storetest.Fill counts.
func filled(b *testing.B) *Store {
	b.Helper()
	s := open(b, b.TempDir())
	storetest.Fill(b, s)
	return s
}

func BenchmarkTop20(b *testing.B) {
	s := filled(b)
	for name, spans := range map[string][]counters.Span{
		"month":     {{Month: nov26, From: 1, To: 30}},
		"week":      {{Month: nov26, From: 10, To: 16}},
		"30days":    {{Month: nov26, From: 16, To: 30}, {Month: dec26, From: 1, To: 15}},
		"twomonths": {{Month: nov26, From: 1, To: 30}, {Month: dec26, From: 1, To: 31}},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				top, err := s.Top(ctx, counters.TopQuery{Kind: counters.Pages, Spans: spans, Prefix: base + "/", Limit: 20})
				if err != nil || len(top.Rows) != 20 {
					b.Fatal(len(top.Rows), err)
				}
			}
		})
	}
	b.Run("all100000", func(b *testing.B) {
		for b.Loop() {
			top, err := s.Top(ctx, counters.TopQuery{Kind: counters.Pages,
				Spans: []counters.Span{{Month: nov26, From: 1, To: 30}}, Limit: 100_000})
			if err != nil || len(top.Rows) != 100_000 {
				b.Fatal(len(top.Rows), err)
			}
		}
	})
	b.Run("DaySums", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.DaySums(ctx, counters.Pages, counters.Span{Month: nov26, From: 1, To: 30}, base+"/"); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkHoursOfASite(b *testing.B) { storetest.BenchmarkHours(b, open(b, b.TempDir())) }

func BenchmarkInsert100k(b *testing.B) {
	s := open(b, b.TempDir())
	updates := storetest.PageUpdates(nov26, 1, 100_000)
	keys := make([]counters.Key, len(updates))
	for i, u := range updates {
		keys[i] = u.Key
	}
	for b.Loop() {
		if n, err := s.Insert(ctx, keys[0].Collection, keys, nil); n != len(keys) || err != nil {
			b.Fatal(n, err)
		}
		b.StopTimer()
		if err := s.Drop(ctx, keys[0].Collection); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// BenchmarkDrop drops one month beside another of 100,000 documents, which has to move to the front of the file.
func BenchmarkDrop(b *testing.B) {
	for _, rows := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(rows), func(b *testing.B) {
			s := open(b, b.TempDir())
			token := 0
			for b.Loop() {
				b.StopTimer()
				token++
				apply(b, s, batch("a", 2*token, storetest.PageUpdates(nov26, 3, rows)))
				apply(b, s, batch("a", 2*token+1, storetest.PageUpdates(dec26, 3, 100_000)))
				b.StartTimer()
				if err := s.Drop(ctx, counters.Collection{Month: nov26}); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				if err := s.Drop(ctx, counters.Collection{Month: dec26}); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
	}
}
