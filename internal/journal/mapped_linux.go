package journal

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// reserve allocates size bytes. Where the file system has no such call, writing the zeros has to do.
func reserve(f *os.File, size int64) error {
	for {
		err := unix.Fallocate(int(f.Fd()), 0, 0, size)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err == nil, errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS):
			return nil
		}
		return os.NewSyscallError("fallocate", err)
	}
}

// syncMapped needs no msync: on Linux, fdatasync finds the pages that were changed through a mapping.
func syncMapped(m *mapped) error {
	for {
		err := unix.Fdatasync(int(m.f.Fd()))
		if !errors.Is(err, unix.EINTR) {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
