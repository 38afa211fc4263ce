package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// program is the real binary, built once for all tests of processes.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "precount-test-")
	if err == nil {
		program = filepath.Join(dir, "precount")
		build := exec.Command("go", "build", "-o", program, ".")
		build.Stderr = os.Stderr
		err = build.Run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// A serving is a real process that serves.
type serving struct {
	t       testing.TB
	cmd     *exec.Cmd
	address string // http://127.0.0.1:…
	log     *syncBuffer
	done    chan error
}

// serve starts the program on a free port and waits until it is ready; it is killed at the end of the test.
func serve(t testing.TB, data string, args ...string) *serving {
	t.Helper()
	s := launch(t, data, args...)
	if err := s.waitReady(); err != nil {
		t.Fatalf("%v\n%s", err, s.log)
	}
	return s
}

func launch(t testing.TB, data string, args ...string) *serving {
	t.Helper()
	return launchUnder(t, nil, data, args...)
}

// launchUnder starts the program by a command that makes it from what follows its own arguments.
func launchUnder(t testing.TB, wrapper []string, data string, args ...string) *serving {
	t.Helper()
	line := append(slices.Clip(wrapper), program, "serve", "--listen", "127.0.0.1:0", "--data", data, "--log-format", "json")
	line = append(line, args...)
	s := &serving{t: t, cmd: exec.Command(line[0], line[1:]...), log: &syncBuffer{}, done: make(chan error, 1)}
	s.cmd.Stdout, s.cmd.Stderr = io.Discard, s.log
	s.cmd.Env = append(os.Environ(), "GOTRACEBACK=all")
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { s.done <- s.cmd.Wait() }()
	t.Cleanup(s.kill)
	return s
}

var listening = regexp.MustCompile(`"address":"(http://[^"]+)"`)

func (s *serving) waitReady() error {
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		select {
		case err := <-s.done:
			s.done <- err
			return fmt.Errorf("the process ended: %v", err)
		default:
		}
		if found := listening.FindStringSubmatch(s.log.String()); found != nil {
			s.address = found[1]
			if answer, err := http.Get(s.address + "/readyz"); err == nil {
				answer.Body.Close()
				if answer.StatusCode == http.StatusOK {
					return nil
				}
			}
		}
	}
	return fmt.Errorf("not ready after 30 seconds")
}

// kill ends the process with SIGKILL and waits for its end.
func (s *serving) kill() {
	_ = s.cmd.Process.Kill()
	s.done <- <-s.done
}

// stop ends the process with SIGTERM and returns its exit code.
func (s *serving) stop() int {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	select {
	case err := <-s.done:
		s.done <- err
	case <-time.After(30 * time.Second):
		s.t.Fatalf("still running 30 seconds after SIGTERM\n%s", s.log)
	}
	return s.cmd.ProcessState.ExitCode()
}

func (s *serving) get(path string) (status int, header http.Header, body []byte) {
	s.t.Helper()
	answer, err := http.Get(s.address + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err = io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer.StatusCode, answer.Header, body
}

func (s *serving) getJSON(path string, into any) {
	s.t.Helper()
	status, _, body := s.get(path)
	if status != http.StatusOK {
		s.t.Fatalf("%s: %d %s", path, status, body)
	}
	if err := json.Unmarshal(body, into); err != nil {
		s.t.Fatalf("%s: %v in %s", path, err, body)
	}
}

// metrics reads all metrics by name, labels included.
func (s *serving) metrics() map[string]float64 {
	s.t.Helper()
	status, _, body := s.get("/metrics")
	if status != http.StatusOK {
		s.t.Fatalf("metrics: %d %s", status, body)
	}
	all := map[string]float64{}
	for line := range strings.Lines(string(body)) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.ParseFloat(value, 64); ok && err == nil && !strings.HasPrefix(line, "#") {
			all[name] = n
		}
	}
	return all
}

// checkLedger fails the test if the metrics do not balance at this moment.
func (s *serving) checkLedger() map[string]float64 {
	s.t.Helper()
	m := s.metrics()
	for _, name := range []string{"precount_hits_received_total", "precount_hits_journaled_total", "precount_hits_counted_total",
		"precount_hits_pending", `precount_hits_ignored_total{reason="prefetch"}`, `precount_hits_refused_total{reason="no-page"}`} {
		if _, ok := m[name]; !ok {
			s.t.Errorf("no metric %s", name)
		}
	}
	var ignored, refused float64
	for name, n := range m {
		if strings.HasPrefix(name, "precount_hits_ignored_total{") {
			ignored += n
		}
		if strings.HasPrefix(name, "precount_hits_refused_total{") {
			refused += n
		}
	}
	received, journaled := m["precount_hits_received_total"], m["precount_hits_journaled_total"]
	if received != journaled+ignored+refused {
		s.t.Errorf("received %v, but journaled %v, ignored %v, refused %v", received, journaled, ignored, refused)
	}
	if counted, pending := m["precount_hits_counted_total"], m["precount_hits_pending"]; journaled != counted+pending {
		s.t.Errorf("journaled %v, but counted %v and pending %v", journaled, counted, pending)
	}
	return m
}

// waitFor polls until ok, at most 60 seconds: the state of another process cannot be waited for in any other way.
func waitFor(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(60 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after 60 seconds still not: %s", what)
		}
	}
}

func (s *serving) waitCounted() {
	s.t.Helper()
	waitFor(s.t, "no hit is pending", func() bool { return s.metrics()["precount_hits_pending"] == 0 })
}

// command runs the real binary to its end.
func command(t testing.TB, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// pages returns what a site's report counts per path, over all time that tests use.
func (s *serving) pages(host string) map[string]int64 {
	s.t.Helper()
	var answer struct {
		Total int64
		Pages []struct {
			Path  string
			Views int64
		}
	}
	s.getJSON("/api/v1/sites/"+host+"/pages?limit=100000&from=7d", &answer)
	counts := map[string]int64{}
	var sum int64
	for _, p := range answer.Pages {
		counts[p.Path] = p.Views
		sum += p.Views
	}
	if sum != answer.Total {
		s.t.Errorf("total is %d, the pages sum up to %d", answer.Total, sum)
	}
	return counts
}

// syncBuffer is a bytes.Buffer that a process writes and a test reads.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// dial opens a connection that is closed when the test ends.
func (s *serving) dial() net.Conn {
	s.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.address, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { conn.Close() })
	return conn
}

// raw sends bytes on a connection of its own and returns the answer, or nil if the server closed without one.
func (s *serving) raw(request string) *http.Response {
	s.t.Helper()
	conn := s.dial()
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		s.t.Fatal(err)
	}
	_, _ = io.WriteString(conn, request) // the server may refuse before it read all
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return nil
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	answer.Body = io.NopCloser(bytes.NewReader(body))
	return answer
}
