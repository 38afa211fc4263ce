package journal

import (
	"sync/atomic"
	"testing"
)

func TestAppendAllocates(t *testing.T) {
	j := mustOpen(t, Options{Dir: t.TempDir()})
	record := make([]byte, 200)
	n := testing.AllocsPerRun(1000, func() {
		if _, err := j.Append(record); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations per append, want 0", n)
	}
}

// recycler is the reader of the benchmarks: it releases what is full.
func recycler(b *testing.B, j *Journal) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-quit:
				return
			default:
			}
			if s, ok := j.Oldest(); ok {
				if err := j.Release(s); err != nil {
					b.Error(err)
					return
				}
				continue
			}
			j.mu.Lock()
			if len(j.waiting) == 0 && !j.closing {
				j.changed.Wait() // the benchmark's only wake-up is the preparer's
			}
			j.mu.Unlock()
		}
	}()
	return func() { close(quit); j.changed.Broadcast(); <-done }
}

func BenchmarkAppend(b *testing.B) {
	j := mustOpen(b, Options{Dir: b.TempDir()})
	defer recycler(b, j)()
	b.SetBytes(200)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		record := make([]byte, 200)
		for pb.Next() {
			if _, err := j.Append(record); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkAppendSynced(b *testing.B) {
	for _, waiters := range []int{64, 256} {
		b.Run(map[int]string{64: "64", 256: "256"}[waiters], func(b *testing.B) {
			j := mustOpen(b, Options{Dir: b.TempDir()})
			defer recycler(b, j)()
			b.SetParallelism(waiters / 2)
			var failed atomic.Int64
			b.RunParallel(func(pb *testing.PB) {
				record := make([]byte, 200)
				for pb.Next() {
					p, err := j.Append(record)
					if err == nil {
						err = j.WaitSynced(p)
					}
					if err != nil {
						failed.Add(1)
					}
				}
			})
			if n := failed.Load(); n > 0 {
				b.Errorf("%d appends failed", n)
			}
		})
	}
}
