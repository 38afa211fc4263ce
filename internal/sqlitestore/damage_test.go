package sqlitestore

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"precount/internal/counters"
	"precount/internal/storetest"
)

// wantError checks that err is one line that names the file.
func wantError(t *testing.T, err error, path string, damaged bool) {
	t.Helper()
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), path+": ") ||
		errors.Is(err, counters.ErrDamaged) != damaged {
		t.Errorf("error is %v, want one line beginning with %s; damaged: %v", err, path, damaged)
	}
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestDamagedAtOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "precount.db")
	write(t, path, bytes.Repeat([]byte("not a database. "), 512))
	_, err := Open(Options{Dir: filepath.Dir(path)})
	wantError(t, err, path, true)
	t.Log(err)
}

// A damaged year stops what needs it, and nothing else; when somebody put the file back, the store goes on.
func TestDamagedYear(t *testing.T) {
	for name, harm := range map[string]func(healthy []byte) []byte{
		"foreign":   func(b []byte) []byte { return bytes.Repeat([]byte("not a database. "), 512) },
		"torn":      func(b []byte) []byte { return b[:len(b)/2] },
		"scribbled": func(b []byte) []byte { copy(b[100:], bytes.Repeat([]byte{0xff}, len(b)-100)); return b },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "stats-2026.db")
			s, err := Open(Options{Dir: filepath.Dir(path)})
			if err != nil {
				t.Fatal(err)
			}
			apply(t, s, batch("a", 1, storetest.PageUpdates(nov26, 3, 1000)))
			s.Close()
			healthy, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			write(t, path, harm(bytes.Clone(healthy)))
			s = open(t, filepath.Dir(path))
			wantError(t, s.Apply(ctx, batch("a", 2, storetest.PageUpdates(nov26, 3, 1000))), path, true)
			_, err = s.Top(ctx, counters.TopQuery{Kind: counters.Pages, Spans: []counters.Span{{Month: nov26, From: 1, To: 30}}})
			wantError(t, err, path, true)
			apply(t, s, batch("a", 2, storetest.PageUpdates(feb28, 3, 10)))
			write(t, path+".backup", healthy)
			if err := os.Rename(path+".backup", path); err != nil {
				t.Fatal(err)
			}
			apply(t, s, batch("a", 2, storetest.PageUpdates(nov26, 3, 1000)))
			if n := total(t, s, nov26); n != 2000 {
				t.Errorf("%d views", n)
			}
		})
	}
}

func TestCannotWrite(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "file"), nil)
	_, err := Open(Options{Dir: filepath.Join(dir, "file")})
	wantError(t, err, filepath.Join(dir, "file", "precount.db"), false)
	if err := os.MkdirAll(filepath.Join(dir, "a", "precount.db"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err = Open(Options{Dir: filepath.Join(dir, "a")})
	wantError(t, err, filepath.Join(dir, "a", "precount.db"), false)
	t.Log(err)

	s := open(t, filepath.Join(dir, "b"))
	path := filepath.Join(dir, "b", "stats-2026.db")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	wantError(t, s.Apply(ctx, batch("a", 1, storetest.PageUpdates(nov26, 3, 10))), path, false)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	apply(t, s, batch("a", 1, storetest.PageUpdates(nov26, 3, 10)))
}

// What disappears under an open store is found again, without opening the store again.
func TestRemovedAndBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s := open(t, dir)
	apply(t, s, batch("a", 1, storetest.PageUpdates(nov26, 3, 10)))
	if n := total(t, s, nov26); n != 10 {
		t.Fatalf("%d views", n)
	}
	// A file that was removed is begun anew: nobody writes into one without a name.
	if err := os.Remove(filepath.Join(dir, "stats-2026.db")); err != nil {
		t.Fatal(err)
	}
	if n := total(t, s, nov26); n != 0 {
		t.Errorf("%d views in a removed file", n)
	}
	apply(t, s, batch("a", 2, storetest.PageUpdates(nov26, 3, 20)))
	if n := total(t, s, nov26); n != 20 {
		t.Errorf("%d views in the new file", n)
	}
	// A directory that is away for a while.
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	write(t, dir, nil)
	if err := s.Apply(ctx, batch("a", 3, storetest.PageUpdates(nov26, 3, 20))); err == nil {
		t.Error("applied into nowhere")
	}
	if err := s.Ping(ctx); err == nil {
		t.Error("ping of nothing")
	}
	if _, err := s.Collections(ctx); err == nil {
		t.Error("collections of nothing")
	}
	if err := errors.Join(os.Remove(dir), os.Rename(dir+".away", dir)); err != nil {
		t.Fatal(err)
	}
	apply(t, s, batch("a", 3, storetest.PageUpdates(nov26, 3, 20)))
	if n := total(t, s, nov26); n != 40 {
		t.Errorf("%d views after the directory came back", n)
	}
}

// Whatever is written over a file, the answer is data or an error, not a crash.
func TestScribbled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stats-2026.db")
	s, err := Open(Options{Dir: filepath.Dir(path)})
	if err != nil {
		t.Fatal(err)
	}
	apply(t, s, batch("a", 1, storetest.PageUpdates(nov26, 3, 500)))
	s.Close()
	healthy, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s = open(t, filepath.Dir(path))
	for token := range 50 {
		b := bytes.Clone(healthy)
		for range 100 {
			b[rand.IntN(len(b))] = byte(rand.Int())
		}
		write(t, path+".new", b)
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
		if err := s.Apply(ctx, batch("a", token+2, storetest.PageUpdates(nov26, 3, 500))); err != nil {
			wantError(t, err, path, errors.Is(err, counters.ErrDamaged))
		}
		for range s.Scan(ctx, counters.Collection{Month: nov26}, "") {
		}
	}
}
