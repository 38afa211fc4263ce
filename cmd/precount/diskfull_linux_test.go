package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"precount/internal/testenv"
)

// TestDiskFull: on a real disk without room hits are refused once the journal's own blocks are used up; when there is room
// again, everything goes on by itself.
func TestDiskFull(t *testing.T) {
	data := t.TempDir()
	if err := syscall.Mount("tmpfs", data, "tmpfs", 0, "size=8m"); err != nil {
		testenv.LeaveOut(t, "right to mount a small file system ("+err.Error()+")", "run the tests as root")
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(data, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	s := serve(t, data, "--site", "example.org", "--open-reports", "--flush-every", "50ms", "--journal-max", "1MiB")
	t.Cleanup(s.kill) // before the file system goes
	s.get("/pixel.gif?host=example.org&path=/first")
	s.waitCounted()
	ballast := filepath.Join(data, "ballast")
	fill := exec.Command("dd", "if=/dev/zero", "of="+ballast, "bs=4k")
	if err := fill.Run(); err == nil {
		t.Fatal("the disk did not fill up")
	}
	acknowledged := fillUp(t, s)
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	comesBack(t, s, acknowledged)
}
