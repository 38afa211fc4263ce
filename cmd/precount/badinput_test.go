package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"precount/pixel"
)

// TestBadHits: every answer of the pixel carries the GIF; a hit that does not count says why.
func TestBadHits(t *testing.T) {
	s := serve(t, t.TempDir(), "--site", "example.org", "--open-reports", "--flush-every", "50ms")
	refused := map[string]float64{}
	for _, c := range []struct {
		query  string
		status int
		reason string
	}{
		{"host=example.org&path=/", 200, ""},
		{"host=example.org&path=/a%00b%ff", 200, ""},
		{"", 400, "no-page"},
		{"host=example.org", 400, "no-page"},
		{"host=example.org&path=", 400, "bad-path"},
		{"host=example.org&path=docs", 400, "bad-path"},
		{"host=example.org&path=/" + strings.Repeat("a", 1024), 400, "too-long"},
		{"host=example.org&path=/%zz", 400, "bad-path"},
		{"url=ftp://example.org/", 400, "bad-parameter"},
		{"url=https://me:secret@example.org/", 400, "bad-parameter"},
		{"url=https:///path", 400, "bad-site"},
		{"host=example..org&path=/", 400, "bad-site"},
		{"host=unknown.example&path=/", 404, "unknown-site"},
		{"base=example.unknown&path=/", 404, "unknown-site"},
	} {
		status, header, body := s.get("/pixel.gif?" + c.query)
		if status != c.status || header.Get("X-Precount") != c.reason || !bytes.Equal(body, pixel.GIF) || len(body) != 43 {
			t.Errorf("%.60s: %d %q with %d bytes, want %d %q with the GIF", c.query, status, header.Get("X-Precount"), len(body), c.status, c.reason)
		}
		for name, want := range map[string]string{"Content-Type": "image/gif", "Cache-Control": "no-store",
			"Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin"} {
			if got := header.Get(name); got != want {
				t.Errorf("%.60s: %s is %q, want %q", c.query, name, got, want)
			}
		}
		if c.reason != "" {
			refused[fmt.Sprintf(`precount_hits_refused_total{reason="%s"}`, c.reason)]++
		}
	}
	s.waitCounted()
	m := s.checkLedger()
	for name, want := range refused {
		if m[name] != want {
			t.Errorf("%s is %v, want %v", name, m[name], want)
		}
	}
	if pages := s.pages("example.org"); len(pages) != 2 || pages["/"] != 1 || pages["/a%00b%FF"] != 1 {
		t.Errorf("pages %v", pages)
	}
}

// TestMethods: a HEAD counts nothing, other methods are told what is allowed.
func TestMethods(t *testing.T) {
	s := serve(t, t.TempDir(), "--site", "example.org", "--flush-every", "50ms")
	for method, want := range map[string]int{http.MethodHead: 200, http.MethodPost: 405, http.MethodDelete: 405} {
		request, err := http.NewRequest(method, s.address+"/pixel.gif?host=example.org&path=/", nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want || answer.Header.Get("Content-Type") != "image/gif" || want == 405 && answer.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %d %v, want %d", method, answer.StatusCode, answer.Header, want)
		}
	}
	if m := s.checkLedger(); m["precount_hits_received_total"] != 0 {
		t.Errorf("%v hits received", m["precount_hits_received_total"])
	}
}

// TestRoughRequests: what is too large is refused, and others are served all the while.
func TestRoughRequests(t *testing.T) {
	s := serve(t, t.TempDir(), "--site", "example.org", "--open-reports", "--flush-every", "50ms")
	hit := "GET /pixel.gif?host=example.org&path=/ HTTP/1.1\r\nHost: x\r\n"
	for name, c := range map[string]struct {
		request string
		status  int // 0: closed without an answer
	}{
		"huge header":         {hit + "X-Huge: " + strings.Repeat("a", 100_000) + "\r\n\r\n", 431},
		"huge address":        {"GET /pixel.gif?" + strings.Repeat("a", 100_000) + " HTTP/1.1\r\nHost: x\r\n\r\n", 431},
		"body on a GET":       {hit + "Content-Length: 5\r\n\r\nhello", 200},
		"absolute address":    {"GET http://x/pixel.gif?host=example.org&path=/absolute HTTP/1.1\r\nHost: x\r\n\r\n", 200},
		"body beyond a hit's": {hit + "Content-Length: 5000\r\n\r\nhello", 413},
		"huge body on a GET":  {hit + "Content-Length: 10000000\r\n\r\nhello", 413},
		"not HTTP":            {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400},
		"bad percent in path": {"GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", 404},
	} {
		answer := s.raw(c.request)
		switch {
		case answer == nil && c.status != 0:
			t.Errorf("%s: closed without an answer, want %d", name, c.status)
		case answer != nil && answer.StatusCode != c.status:
			body, _ := io.ReadAll(answer.Body)
			t.Errorf("%s: %d %s, want %d", name, answer.StatusCode, body, c.status)
		}
		if status, _, _ := s.get("/healthz"); status != 200 {
			t.Fatalf("%s: afterwards healthz is %d", name, status)
		}
	}
	s.waitCounted()
	if pages := s.pages("example.org"); len(pages) != 2 || pages["/"] != 1 || pages["/absolute"] != 1 {
		t.Errorf("pages %v, want the one with a small body and the one with an absolute address", pages)
	}
}
