package main

import (
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestIdleConnections: thousands of connections that send nothing, and some that send a byte now and then, do not keep a
// hit from being answered, nor use up the memory.
func TestIdleConnections(t *testing.T) {
	want := 10_000
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if room := connections(uint64(limit.Cur)) - 100; room < want {
		t.Logf("this machine allows %d open files: only so many connections", limit.Cur)
		want = room
	}
	s := serve(t, t.TempDir(), "--site", "example.org")
	for i := range want {
		conn := s.dial()
		if i%100 == 0 { // a slow sender
			if _, err := conn.Write([]byte("GET /pix")); err != nil {
				t.Fatal(err)
			}
		}
	}
	client := http.Client{Timeout: 5 * time.Second}
	for range 100 {
		answer, err := client.Get(s.address + "/pixel.gif?host=example.org&path=/")
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			t.Fatalf("status %d", answer.StatusCode)
		}
	}
	if memory := s.resident(); memory > 400<<20 {
		t.Errorf("%d MB resident with %d idle connections", memory>>20, want)
	} else {
		t.Logf("%d MB resident with %d idle connections", memory>>20, want)
	}
}

// TestStopWithSilentConnections: a browser that opened a connection ahead does not hold up a stop, and neither does one that
// keeps its connection after an answer.
func TestStopWithSilentConnections(t *testing.T) {
	s := serve(t, t.TempDir(), "--site", "example.org")
	for range 3 {
		s.dial()
	}
	s.get("/pixel.gif?host=example.org&path=/")
	begin := time.Now()
	if code := s.stop(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
	if took := time.Since(begin); took >= finishTimeout || strings.Contains(s.log.String(), "did not finish in time") {
		t.Errorf("stopping took %v\n%s", took, s.log)
	}
}

// TestSlowSender: who does not finish a request is cut off after the read time-out.
func TestSlowSender(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), "--site", "example.org")
	conn := s.dial()
	begin := time.Now()
	if _, err := conn.Write([]byte("GET /pixel.gif?host=example.org&path=/ HTTP/1.1\r\nHost: ")); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(begin.Add(3 * exchangeTimeout)); err != nil {
		t.Fatal(err)
	}
	for buf := make([]byte, 1024); ; {
		if _, err := conn.Read(buf); err != nil {
			if os.IsTimeout(err) {
				t.Errorf("still connected after %v", time.Since(begin))
			}
			return
		}
	}
}
