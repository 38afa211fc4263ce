package journal

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestRoundTrip(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "journal")
	j := mustOpen(t, small(dir))
	want := append(numbered("r", 100), "x", strings.Repeat("y", 60_000), strings.Repeat("Y", 60_000), strings.Repeat("z", 7), strings.Repeat("z", 8))
	mustAppend(t, j, want...)
	if _, ok := j.Oldest(); !ok {
		t.Fatal("a full segment was not sealed")
	}
	if got := drain(t, j); !slices.Equal(got, want) {
		t.Fatalf("got %d records, want %d", len(got), len(want))
	}
	if j.Seal() {
		t.Error("an empty segment was sealed")
	}
	if s := j.Stats(); s.Appended != 105 || s.Released != 105 || s.Segments != 0 || !s.Accepting {
		t.Errorf("stats %+v", s)
	}
}

func TestReopen(t *testing.T) {
	for name, end := range map[string]func(*Journal){
		"close": func(j *Journal) { _ = j.Close() },
		"crash": func(j *Journal) { crash(t, j) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			j := mustOpen(t, small(dir))
			id := j.ID()
			mustAppend(t, j, "gone")
			drain(t, j)
			mustAppend(t, j, "one", "two")
			j.Seal()
			last := mustAppend(t, j, "three").Token()
			end(j)

			j = mustOpen(t, small(dir))
			if j.ID() != id || !validID(id) {
				t.Errorf("id %q became %q", id, j.ID())
			}
			if s := j.Stats(); s.Recovered != 3 || s.Pending != 3 {
				t.Errorf("stats %+v", s)
			}
			if p := mustAppend(t, j, "four"); p.Token() <= last {
				t.Errorf("token %d was given out again", p.Token())
			}
			if got := drain(t, j); !slices.Equal(got, []string{"one", "two", "three", "four"}) {
				t.Errorf("got %q", got)
			}
		})
	}
}

// A number is never given out again, even if nothing but an empty journal is left of it.
func TestTokensGrow(t *testing.T) {
	dir := t.TempDir()
	var last uint64
	for i := range 20 {
		j := mustOpen(t, small(dir))
		if i%2 == 0 {
			token := mustAppend(t, j, "r").Token()
			if token <= last {
				t.Fatalf("token %d after %d", token, last)
			}
			last = token
			drain(t, j)
		}
		if i%3 == 0 {
			crash(t, j)
		} else if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if files := list(t, dir); len(files) > 6 {
		t.Errorf("files pile up: %q", files)
	}
}

func TestEachAgainAndErrors(t *testing.T) {
	j := mustOpen(t, small(t.TempDir()))
	mustAppend(t, j, "one", "two")
	j.Seal()
	mustAppend(t, j, "three")
	j.Seal()
	first, _ := j.Oldest()
	stop := errors.New("stop")
	if err := first.Each(func([]byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("Each: %v", err)
	}
	for range 3 {
		if got := read(t, first); !slices.Equal(got, []string{"one", "two"}) {
			t.Errorf("got %q", got)
		}
	}
	err := first.Each(func([]byte) error { return j.Release(first) })
	if !errors.Is(err, ErrReading) {
		t.Errorf("release while reading: %v", err)
	}
	if err := j.Release(first); err != nil {
		t.Fatal(err)
	}
	if err := j.Release(first); !errors.Is(err, ErrNotOldest) {
		t.Errorf("released twice: %v", err)
	}
	if err := first.Each(func([]byte) error { return nil }); !errors.Is(err, ErrNotOldest) {
		t.Errorf("read after release: %v", err)
	}
}

func TestAppendRefuses(t *testing.T) {
	j := mustOpen(t, Options{Dir: t.TempDir()})
	if _, err := j.Append(nil); !errors.Is(err, ErrEmpty) {
		t.Errorf("empty: %v", err)
	}
	if _, err := j.Append(make([]byte, maxRecord+1)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("too large: %v", err)
	}
	mustAppend(t, j, string(make([]byte, maxRecord)))
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Append([]byte("late")); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	if j.Seal() || j.Stats().Accepting {
		t.Error("a closed journal works")
	}
}

func TestLock(t *testing.T) {
	dir := t.TempDir()
	j := mustOpen(t, small(dir))
	_, err := Open(small(dir))
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), dir) || strings.Contains(err.Error(), "\n") {
		t.Errorf("second Open: %v", err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, small(dir)) // the lock file is there still, but stale
}

func TestOptions(t *testing.T) {
	for name, o := range map[string]Options{
		"no directory":  {},
		"small cap":     {Dir: "x", MaxBytes: 100},
		"small segment": {Dir: "x", SegmentBytes: 100},
		"large segment": {Dir: "x", SegmentBytes: 2 << 30},
	} {
		if _, err := Open(o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	o, err := Options{Dir: "x", MaxBytes: 1 << 20}.withDefaults()
	if err != nil || o.SegmentBytes != 256<<10 {
		t.Errorf("segment of %d, %v", o.SegmentBytes, err)
	}
}

func TestIDIsKept(t *testing.T) {
	dir := t.TempDir()
	j := mustOpen(t, small(dir))
	mustAppend(t, j, "r")
	crash(t, j)
	id := filepath.Join(dir, idName)
	for _, content := range []string{"", "not an id"} {
		if err := os.WriteFile(id, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		again := mustOpen(t, small(dir))
		if again.ID() != j.ID() {
			t.Errorf("id %q was not found in the segment, got %q", j.ID(), again.ID())
		}
		crash(t, again)
	}
}

// TestEmptiedJournal: without any numbered file the numbers begin again, so the id must be another one: the store has
// the old id's batches under those numbers.
func TestEmptiedJournal(t *testing.T) {
	dir := t.TempDir()
	j := mustOpen(t, small(dir))
	mustAppend(t, j, "r")
	must(t, j.Close())
	files, err := filepath.Glob(filepath.Join(dir, "*.*"))
	must(t, err)
	for _, file := range files {
		must(t, os.Remove(file))
	}
	again := mustOpen(t, small(dir))
	if again.ID() == j.ID() || again.Found() != 0 {
		t.Errorf("id %s, which was %s before, begins after number %d", again.ID(), j.ID(), again.Found())
	}
	must(t, again.Close())
	if third := mustOpen(t, small(dir)); third.ID() != again.ID() || third.Found() == 0 {
		t.Errorf("the new id %s became %s after number %d", again.ID(), third.ID(), third.Found())
	}
}

// A long outage of the reader's target must hold neither memory nor more disk than the records need.
func TestPark(t *testing.T) {
	o := small(t.TempDir())
	o.MaxBytes = 6 * minSegmentBytes
	j := mustOpen(t, o)
	want := numbered("r", 64)
	for _, r := range want {
		if p := mustAppend(t, j, r); j.Seal() {
			if err := j.WaitSynced(p); err != nil {
				t.Fatal(err)
			}
		}
	}
	wake(j.wantSync)
	await(t, "parked", func() bool { return j.Stats().Bytes < o.MaxBytes && len(j.parkable(keptMapped)) == 0 })
	mapped := 0
	j.mu.Lock()
	for _, s := range j.waiting {
		if !s.parked {
			mapped++
		}
	}
	j.mu.Unlock()
	if mapped > keptMapped {
		t.Errorf("%d waiting segments are mapped", mapped)
	}
	if got := drain(t, j); !slices.Equal(got, want) {
		t.Errorf("got %d records of %d", len(got), len(want))
	}
}

func TestSealIsBounded(t *testing.T) {
	j := mustOpen(t, Options{Dir: t.TempDir(), SegmentBytes: minSegmentBytes})
	j.mu.Lock()
	for range maxWaiting {
		j.waiting = append(j.waiting, &Segment{j: j, parked: true, sealed: true, sealSynced: true, path: "/nonexistent"})
	}
	j.mu.Unlock()
	mustAppend(t, j, "r")
	if j.Seal() {
		t.Error("sealed without bound")
	}
	j.mu.Lock()
	j.waiting = nil
	j.mu.Unlock()
}

func list(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
