package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUsage: a call that makes no sense exits with 2 and the usage of its command, and touches nothing.
func TestUsage(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	for _, c := range []struct {
		args  []string
		error string
		usage string
	}{
		{[]string{"serve", "--bogus"}, "--bogus", "precount serve"},
		{[]string{"serve", "surplus"}, "surplus", "precount serve"},
		{[]string{"serve", "--ack", "maybe"}, "written or synced", "precount serve"},
		{[]string{"serve", "--flush-every", "1ms"}, "--flush-every", "precount serve"},
		{[]string{"serve", "--flush-every", "soon"}, "--flush-every", "precount serve"},
		{[]string{"serve", "--journal-max", "tiny"}, "--journal-max", "precount serve"},
		{[]string{"serve", "--journal-max", "1"}, "--journal-max", "precount serve"},
		{[]string{"serve", "--site", "a b"}, "a b", "precount serve"},
		{[]string{"serve", "--store", "postgres://x"}, "--store", "precount serve"},
		{[]string{"serve", "--listen", ""}, "HOST:PORT", "precount serve"},
		{[]string{"serve", "--listen", "127.0.0.1"}, "HOST:PORT", "precount serve"},
		{[]string{"serve", "--listen", "127.0.0.1:"}, "HOST:PORT", "precount serve"},
		{[]string{"serve", "--listen", "127.0.0.1:99999"}, "HOST:PORT", "precount serve"},
		{[]string{"serve", "--log-level", "loud"}, "--log-level", "precount serve"},
		{[]string{"serve", "--log-format", "xml"}, "--log-format", "precount serve"},
		{[]string{"serve", "--preallocate-days", "29"}, "--preallocate-days", "precount serve"},
		{[]string{"serve", "--min-views", "0"}, "--min-views", "precount serve"},
		{[]string{"frobnicate"}, "frobnicate", "precount [flags]"},
		{[]string{"site", "add"}, "arg", "precount site add HOST"},
		{[]string{"site", "add", "a..b"}, "a..b", "precount site add HOST"},
		{[]string{"site", "add", "a.b", "timezone=Mars/Olympus"}, "Mars/Olympus", "precount site add HOST"},
		{[]string{"site", "frobnicate"}, "frobnicate", "precount site"},
		{[]string{"report"}, "--site", "precount report"},
		{[]string{"report", "--site", "a.b", "--format", "pdf"}, "pdf", "precount report"},
	} {
		code, stdout, stderr := command(t, append(c.args, "--data", data)...)
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, c.error) || !strings.Contains(stderr, "Usage:\n  "+c.usage) {
			t.Errorf("%v: exit %d\nstdout %q\nstderr %s", c.args, code, stdout, stderr)
		}
	}
	if _, err := os.Stat(data); err == nil {
		t.Errorf("%s was made", data)
	}
}

// TestSites: the registry from the command line, while a process serves; it sees the changes.
func TestSites(t *testing.T) {
	data := t.TempDir()
	s := serve(t, data, "--open-reports", "--flush-every", "50ms")
	site := func(args ...string) string {
		t.Helper()
		code, stdout, stderr := command(t, append(append([]string{"site"}, args...), "--data", data)...)
		if code != exitDone {
			t.Fatalf("site %v: exit %d, %s", args, code, stderr)
		}
		return stdout
	}
	fails := func(want string, args ...string) {
		t.Helper()
		code, _, stderr := command(t, append(append([]string{"site"}, args...), "--data", data)...)
		if code != exitFailed || !strings.Contains(stderr, want) {
			t.Errorf("site %v: exit %d, %s; want %q", args, code, stderr, want)
		}
	}
	status := func(want int, host string) {
		t.Helper()
		waitFor(t, host+" is seen", func() bool {
			got, _, _ := s.get("/pixel.gif?host=" + host + "&path=/")
			return got == want
		})
	}
	status(404, "example.org")
	site("add", "www.Example.org")
	status(200, "example.org")
	fails("registered already", "add", "example.org")
	site("add", "second.example", "timezone=Asia/Tokyo")
	fails("belongs to site", "set", "second.example", "alias=example.org")
	site("set", "example.org", "alias=example.com", "public=true")
	status(200, "example.com")
	var shown struct {
		Host, Base, TimeZone string
		Alias                []string
		Public               bool
	}
	if err := json.Unmarshal([]byte(site("show", "example.com", "--json")), &shown); err != nil || shown.Base != "org.example" ||
		!shown.Public || len(shown.Alias) != 1 {
		t.Errorf("shown %+v, %v", shown, err)
	}
	if listed := site("list"); !strings.Contains(listed, "example.org") || !strings.Contains(listed, "Asia/Tokyo") {
		t.Errorf("listed\n%s", listed)
	}
	site("remove", "example.org")
	status(404, "example.com")
	fails("no such site", "remove", "example.org")
	fails("no such site", "show", "example.org")
	fails("no such site", "set", "example.org", "public=true")
}

// TestEnvironment: each flag may be given as a variable; a flag wins.
func TestEnvironment(t *testing.T) {
	t.Setenv("PRECOUNT_DATA", t.TempDir())
	t.Setenv("PRECOUNT_FLUSH_EVERY", "soon")
	if code, _, stderr := command(t, "serve", "--listen", "127.0.0.1:0"); code != exitUsage || !strings.Contains(stderr, "PRECOUNT_FLUSH_EVERY") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if code, stdout, stderr := command(t, "site", "add", "example.org"); code != exitDone {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	if code, _, _ := command(t, "site", "show", "example.org", "--data", filepath.Join(t.TempDir(), "other")); code != exitFailed {
		t.Errorf("the flag did not win over the variable: exit %d", code)
	}
}
