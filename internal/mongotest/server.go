package mongotest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"precount/internal/testenv"
)

const uriVariable = "PRECOUNT_TEST_MONGODB"

// notInstalled is the exit code of server.sh that asks for "server.sh install".
const notInstalled = 3

// A Server is a running server with nothing in it that a test did not put there.
type Server struct {
	URI string
	dir string // "" if the server is not ours
}

// Start returns a server with no databases of ours. It is stopped at the end of the test.
func Start(t testing.TB) *Server {
	t.Helper()
	if uri := os.Getenv(uriVariable); uri != "" {
		lock(t, uri)
		s := &Server{URI: uri}
		s.Empty(t)
		return s
	}
	dir, err := os.MkdirTemp("", "precount-mongotest-")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{dir: dir}
	t.Cleanup(func() {
		if _, err := s.script("stop"); err != nil {
			t.Error(err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	s.start(t)
	return s
}

// start installs the server first if that is still to be done; the second start then tells whether it was.
func (s *Server) start(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 || runtime.GOOS != "linux" {
		leaveOut(t, "starting one needs Linux and root")
	}
	uri, err := s.script("start")
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == notInstalled {
		if _, err := s.script("install"); err != nil {
			leaveOut(t, "cannot install one: "+oneLine(err))
		}
		uri, err = s.script("start")
	}
	if err != nil {
		t.Fatal(err)
	}
	s.URI = uri
}

func leaveOut(t testing.TB, why string) {
	t.Helper()
	testenv.LeaveOut(t, "MongoDB-compatible server ("+why+")", "name a server that tests may write to in "+uriVariable)
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// NeedKills leaves the test out if the server is one that must not be killed.
func (s *Server) NeedKills(t testing.TB) {
	t.Helper()
	if s.dir == "" {
		testenv.LeaveOut(t, "server that may be killed", "unset "+uriVariable)
	}
}

// Kill SIGKILLs all of the server, as a power failure would.
func (s *Server) Kill() error { return s.only("kill") }

// KillFront SIGKILLs FerretDB: connections break, what PostgreSQL is at goes on.
func (s *Server) KillFront() error { return s.only("kill-front") }

// KillBack SIGKILLs PostgreSQL: connections stay, all that is asked fails.
func (s *Server) KillBack() error { return s.only("kill-back") }

// Restart starts what does not run, with the same data and the same URI.
func (s *Server) Restart() error { return s.only("restart") }

func (s *Server) only(verb string) error {
	_, err := s.script(verb)
	return err
}

// script runs server.sh, and returns the URI that some verbs print. A server whose test process died is killed by the
// script itself.
func (s *Server) script(verb string) (string, error) {
	if s.dir == "" {
		return "", fmt.Errorf("%s: the server of %s is not ours", verb, uriVariable)
	}
	_, file, _, _ := runtime.Caller(0)
	cmd := exec.CommandContext(context.Background(), filepath.Join(filepath.Dir(file), "server.sh"), verb)
	if verb != "install" {
		cmd.Args = append(cmd.Args, s.dir)
	}
	cmd.Env = append(os.Environ(), "PRECOUNT_TEST_PARENT="+strconv.Itoa(os.Getpid()))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("server.sh %s: %w: %s", verb, err, strings.TrimSpace(stderr.String()))
	}
	return strings.TrimSpace(stdout.String()), nil
}
