package journal

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"precount/internal/testenv"
)

// TestRealFullDisk fills a small file system of its own. Only root may mount one.
func TestRealFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=600k"); err != nil {
		testenv.LeaveOut(t, "right to mount a small file system ("+err.Error()+")", "run the tests as root")
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	o := small(filepath.Join(dir, "journal"))
	j, err := Open(o)
	must(t, err)
	n, err := fill(j)
	if !errors.Is(err, ErrFull) || !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("append: %v", err)
	}
	got := drain(t, j)
	if len(got) != n || n < 60 {
		t.Errorf("got %d records of %d", len(got), n)
	}
	await(t, "accepting", func() bool { return j.Stats().Accepting })
	mustAppend(t, j, "again")
	must(t, j.Close())
	must(t, os.WriteFile(filepath.Join(dir, "ballast"), make([]byte, 100<<10), 0o600))
	j = mustOpen(t, o)
	if got := drain(t, j); len(got) != 1 {
		t.Errorf("got %q", got)
	}
	must(t, j.Close())
}
