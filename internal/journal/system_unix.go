//go:build !windows

package journal

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile takes the lock without waiting. The kernel drops it when the process ends, however it ends, so the file of
// a dead process is harmless.
func lockFile(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrLocked
		}
		return os.NewSyscallError("flock", err)
	}
}

// syncDir makes the names in a directory durable.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// openShared opens a file that may be renamed and removed while it is open, as on this system any file may.
func openShared(path string, flags int) (*os.File, error) { return os.OpenFile(path, flags, 0o600) }
