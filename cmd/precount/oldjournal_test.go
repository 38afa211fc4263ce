package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOldJournal: a journal that was put back from an older copy would give its numbers out twice, and the store would take new
// hits for counted ones. The process refuses to start; with the journal moved away it counts under a new id.
func TestOldJournal(t *testing.T) {
	root := t.TempDir()
	data, old := filepath.Join(root, "data"), filepath.Join(root, "old")
	journal := filepath.Join(data, "journal")
	count := func(n int) {
		t.Helper()
		s := serve(t, data, "--site", "example.org", "--open-reports", "--flush-every", "10ms")
		before := s.pages("example.org")["/"]
		for range n {
			s.get("/pixel.gif?host=example.org&path=/")
			s.waitCounted() // a segment for each
		}
		if got := s.pages("example.org")["/"] - before; got != int64(n) {
			t.Errorf("%d of %d hits are in the store", got, n)
		}
		if code := s.stop(); code != exitDone {
			t.Fatalf("exit code %d\n%s", code, s.log)
		}
	}
	count(3)
	if err := os.CopyFS(old, os.DirFS(journal)); err != nil {
		t.Fatal(err)
	}
	count(5)
	for _, err := range []error{os.RemoveAll(journal), os.Rename(old, journal)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	code, _, stderr := command(t, "serve", "--data", data, "--listen", "127.0.0.1:0")
	if code != exitFailed || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, journal) || !strings.Contains(stderr, "move the directory away") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if err := os.RemoveAll(journal); err != nil {
		t.Fatal(err)
	}
	count(2)
	// Somebody who removes the segments of a full journal, but not its id, gets a new id, too.
	files, err := filepath.Glob(filepath.Join(journal, "0*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	count(4)
}
