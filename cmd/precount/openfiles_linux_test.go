package main

import (
	"bufio"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestTooManyOpenFiles: a process that may open no more files goes on with the connections it has (until the journal needs
// a new segment), says so, and accepts others again as soon as it can. No hit that was acknowledged is lost.
func TestTooManyOpenFiles(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), "--site", "example.org", "--open-reports", "--flush-every", "50ms")
	s.get("/pixel.gif?host=example.org&path=/before") // leaves a connection that is kept alive
	s.waitCounted()                                   // and the journal has its spare segment
	before := s.limitOpenFiles(10)
	for range 50 { // waits in the kernel's queue
		s.dial()
	}
	waitFor(t, "line about open files", func() bool { return strings.Contains(s.log.String(), "cannot accept connections") })
	if status, _, _ := s.get("/pixel.gif?host=example.org&path=/meanwhile"); status != http.StatusOK {
		t.Errorf("status %d on a connection that was there before", status)
	}
	s.limitOpenFiles(before)
	other := http.Client{Transport: &http.Transport{}, Timeout: 20 * time.Second}
	answer, err := other.Get(s.address + "/pixel.gif?host=example.org&path=/after")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Errorf("status %d on a connection after it", answer.StatusCode)
	}
	s.waitCounted()
	for _, page := range []string{"/before", "/meanwhile", "/after"} {
		if n := s.pages("example.org")[page]; n != 1 {
			t.Errorf("%s has %d views", page, n)
		}
	}
}

// TestTooManyConnections: where few files may be open, connections leave enough of them for the journal and the store, and
// those that are too many are refused.
func TestTooManyConnections(t *testing.T) {
	t.Parallel()
	s := launchUnder(t, []string{"sh", "-c", `ulimit -n 100; exec "$@"`, "sh"}, t.TempDir(),
		"--site", "example.org", "--open-reports", "--flush-every", "50ms")
	if err := s.waitReady(); err != nil {
		t.Fatalf("%v\n%s", err, s.log)
	}
	s.get("/pixel.gif?host=example.org&path=/before")
	var last net.Conn
	for range 90 {
		last = s.dial()
	}
	refusal, err := http.ReadResponse(bufio.NewReader(last), nil)
	if err != nil || refusal.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("the last connection got %v, %v", refusal, err)
	}
	waitFor(t, "line about refused connections", func() bool { return strings.Contains(s.log.String(), "refusing connections") })
	s.get("/pixel.gif?host=example.org&path=/meanwhile")
	s.waitCounted()
	if n := s.pages("example.org")["/meanwhile"]; n != 1 {
		t.Errorf("/meanwhile has %d views", n)
	}
}

// limitOpenFiles sets how many files the running process may have open, and returns how many those were before.
func (s *serving) limitOpenFiles(n uint64) (before uint64) {
	s.t.Helper()
	var limit unix.Rlimit
	err := unix.Prlimit(s.cmd.Process.Pid, unix.RLIMIT_NOFILE, nil, &limit)
	before = limit.Cur
	limit.Cur = n
	if err == nil {
		err = unix.Prlimit(s.cmd.Process.Pid, unix.RLIMIT_NOFILE, &limit, nil)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return before
}
