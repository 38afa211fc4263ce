package journal

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestMain lets the crash test start this binary as its victim.
func TestMain(m *testing.M) {
	if dir := os.Getenv("JOURNAL_VICTIM"); dir != "" {
		victim(dir)
		return
	}
	os.Exit(m.Run())
}

// small makes segments as small as they may be and leaves syncing to those who wait for it.
func small(dir string) Options {
	return Options{Dir: dir, SegmentBytes: minSegmentBytes, MaxBytes: 16 * minSegmentBytes, SyncEvery: time.Hour}
}

func mustOpen(t testing.TB, o Options) *Journal {
	t.Helper()
	j, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return j
}

// crash leaves the files as the death of the process would.
func crash(t testing.TB, j *Journal) {
	t.Helper()
	j.mu.Lock()
	dead := j.closing
	j.closing = true
	j.mu.Unlock()
	if dead {
		t.Fatal("journal died twice")
	}
	close(j.quit)
	j.tasks.Wait()
	if err := errors.Join(j.unmap(), j.lock.Close()); err != nil {
		t.Fatal(err)
	}
	close(j.closed)
}

func mustAppend(t testing.TB, j *Journal, records ...string) (last Position) {
	t.Helper()
	for _, r := range records {
		p, err := j.Append([]byte(r))
		if err != nil {
			t.Fatalf("append %.40q: %v", r, err)
		}
		last = p
	}
	return last
}

func read(t testing.TB, s *Segment) []string {
	t.Helper()
	var got []string
	if err := s.Each(func(r []byte) error { got = append(got, string(r)); return nil }); err != nil {
		t.Fatal(err)
	}
	return got
}

// drain seals, reads and releases everything.
func drain(t testing.TB, j *Journal) []string {
	t.Helper()
	var got []string
	for {
		s, ok := j.Oldest()
		if !ok {
			if !j.Seal() {
				balanced(t, j)
				return got
			}
			continue
		}
		got = append(got, read(t, s)...)
		balanced(t, j)
		if err := j.Release(s); err != nil {
			t.Fatal(err)
		}
	}
}

// balanced checks the books.
func balanced(t testing.TB, j *Journal) {
	t.Helper()
	if s := j.Stats(); s.Appended != s.Released+s.Lost+s.Pending {
		t.Fatalf("books do not balance: %+v", s)
	}
}

// await waits for a condition that one of the journal's goroutines brings about.
func await(t testing.TB, what string, cond func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !cond(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

func numbered(prefix string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%s-%d", prefix, i)
	}
	return list
}
