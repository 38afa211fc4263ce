//go:build unix

package main

import (
	"math"
	"syscall"
)

// openFiles returns how many files this process may have open. The Go runtime has raised the soft limit to the hard one.
func openFiles() uint64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return math.MaxUint64
	}
	return uint64(limit.Cur)
}
