package journal

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// reserve does nothing: writing the zeros allocates the blocks.
func reserve(*os.File, int64) error { return nil }

// syncMapped hands the mapping's pages over first; Sync is F_FULLFSYNC, the only call here that reaches the disk.
func syncMapped(m *mapped) error {
	return errors.Join(os.NewSyscallError("msync", unix.Msync(m.data, unix.MS_SYNC)), m.f.Sync())
}
