package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// resident returns the process's resident memory in bytes, 0 where the system does not tell.
func (s *serving) resident() int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kilobytes, _ := strconv.ParseInt(strings.Fields(rest + " 0")[0], 10, 64)
	return kilobytes << 10
}
