package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestCannotStart: what keeps serve from starting is one line on standard error that names it, and exit code 1.
func TestCannotStart(t *testing.T) {
	occupied, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer occupied.Close()
	running := t.TempDir()
	serve(t, running)
	for _, c := range []struct {
		name    string
		prepare func(data string) (args []string)
		want    []string // parts of the line
	}{
		{"port in use", func(string) []string { return []string{"--listen", occupied.Addr().String()} },
			[]string{occupied.Addr().String(), "in use", "--listen"}},
		{"data directory in use", func(string) []string { return []string{"--data", running} },
			[]string{running, "another process"}},
		{"data is a file", func(data string) []string { write(t, data, "x"); return nil },
			[]string{"data"}},
		{"journal is a file", func(data string) []string { mkdir(t, data); write(t, filepath.Join(data, "journal"), "x"); return nil },
			[]string{filepath.Join("data", "journal")}},
		{"store damaged", func(data string) []string {
			mkdir(t, data)
			write(t, filepath.Join(data, "precount.db"), strings.Repeat("this is no database ", 1000))
			return nil
		}, []string{"precount.db"}},
		{"counters damaged", func(data string) []string {
			mkdir(t, data)
			write(t, filepath.Join(data, thisYear()), strings.Repeat("this is no database ", 1000))
			return nil
		}, []string{thisYear(), "damaged"}},
		{"counters are a directory", func(data string) []string { mkdir(t, filepath.Join(data, thisYear())); return nil },
			[]string{thisYear()}},
		{"store is a directory", func(data string) []string { mkdir(t, filepath.Join(data, "precount.db")); return nil },
			[]string{"precount.db"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := filepath.Join(t.TempDir(), "data")
			args := append([]string{"serve", "--data", data, "--listen", "127.0.0.1:0"}, c.prepare(data)...)
			code, stdout, stderr := command(t, args...)
			if code != exitFailed || stdout != "" || strings.Count(stderr, "\n") != 1 {
				t.Errorf("exit %d\nstdout %q\nstderr %s", code, stdout, stderr)
			}
			for _, part := range c.want {
				if !strings.Contains(stderr, part) {
					t.Errorf("%q is not in %s", part, stderr)
				}
			}
			t.Log(strings.TrimSpace(stderr))
		})
	}
}

func thisYear() string { return time.Now().UTC().Format("stats-2006.db") }

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func mkdir(t *testing.T, name string) {
	t.Helper()
	if err := os.MkdirAll(name, 0o700); err != nil {
		t.Fatal(err)
	}
}

// TestStop: SIGTERM counts what came in before it, and the exit code is 0.
func TestStop(t *testing.T) {
	data := t.TempDir()
	s := serve(t, data, "--site", "example.org", "--flush-every", "1h")
	for range 100 {
		s.get("/pixel.gif?host=example.org&path=/")
	}
	if code := s.stop(); code != exitDone {
		t.Errorf("exit code %d\n%s", code, s.log)
	}
	code, stdout, stderr := command(t, "report", "--site", "example.org", "--data", data, "--format", "json")
	if code != exitDone || !strings.Contains(stdout, `"total": 100`) {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
}
