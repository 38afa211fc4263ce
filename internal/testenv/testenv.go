package testenv

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// leftOutFile names the environment variable with the file that `make test` prints at its end.
const leftOutFile = "PRECOUNT_LEFT_OUT"

// LeaveOut skips the test because the machine lacks what; how says how to have it. With CI=true it fails the test instead.
func LeaveOut(t testing.TB, what, how string) {
	t.Helper()
	line := fmt.Sprintf("%s: no %s; %s", t.Name(), what, how)
	if os.Getenv("CI") == "true" {
		t.Fatalf("CI leaves nothing out. %s", line)
	}
	if name := os.Getenv(leftOutFile); name != "" {
		f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := fmt.Fprintln(f, line); err != nil {
			t.Fatal(err)
		}
	}
	t.Skip(line)
}

// Chromium returns the path of a headless-capable Chromium, or leaves the test out.
func Chromium(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	LeaveOut(t, "Chromium", "have it by: apt-get install chromium")
	return ""
}

// AccessLog returns the path of the real access log, or leaves the test out.
func AccessLog(t testing.TB) string {
	t.Helper()
	path := os.Getenv("PRECOUNT_TEST_LOG")
	if path == "" {
		path = filepath.Join(Root(), "..", "shared", "data", "apache_logs")
	}
	if _, err := os.Stat(path); err != nil {
		LeaveOut(t, "real access log", "name an Apache combined log in PRECOUNT_TEST_LOG")
	}
	return path
}

// Root returns the project's folder.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..")
}
