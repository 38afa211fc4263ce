//go:build unix

package main

import (
	"fmt"
	"os"
	"syscall"
)

// fileIdentity returns what tells a file from all others on this machine, also from its copies; "" if nothing does.
func fileIdentity(name string) string {
	info, err := os.Stat(name)
	if err != nil {
		return ""
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d:%d", stat.Dev, stat.Ino)
}
