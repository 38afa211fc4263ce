//go:build linux || darwin

package journal

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// mapped is a file that is shared with the kernel's page cache: a store into its bytes is a write.
type mapped struct {
	f    *os.File
	data []byte
}

// mapFile takes over f. File systems that cannot map shared files (some FUSE and network ones) get a written file.
func mapFile(f *os.File, size int64) (file, error) {
	data, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if errors.Is(err, unix.ENODEV) || errors.Is(err, unix.EOPNOTSUPP) {
		return newWritten(f, size)
	}
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	return &mapped{f: f, data: data}, nil
}

func (m *mapped) bytes() []byte              { return m.data }
func (m *mapped) flush(from, to int64) error { return nil }
func (m *mapped) sync() error                { return syncMapped(m) }
func (m *mapped) shrink(size int64) error    { return m.f.Truncate(size) }

func (m *mapped) close() error {
	return errors.Join(os.NewSyscallError("munmap", unix.Munmap(m.data)), m.f.Close())
}
