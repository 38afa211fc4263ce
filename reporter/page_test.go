package reporter

import (
	"net/url"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"
)

const wantPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'; form-action 'self'"

func TestReportPage(t *testing.T) {
	f, _, _ := twoSites(t)
	client := serve(t, f.reporter(t))
	for _, address := range []string{"/sites/mongodb.org", "/sites/mongodb.org/", "/sites/mongodb.org?from=12mo&by=month",
		"/sites/mongodb.org?by=hour&from=7d", "/sites/mongodb.org?prefix=/docs/", "/sites/mongodb.org?limit=1",
		"/sites/mongodb.org?prefix=" + url.QueryEscape(evilPath), "/sites/mongodb.org?prefix=/%22%3E%3Cscript%3Ealert(1)%3C/script%3E"} {
		resp := ask(t, client, "GET", address)
		body := string(resp.Body())
		if resp.StatusCode() != 200 || string(resp.Header.ContentType()) != "text/html; charset=utf-8" {
			t.Fatalf("%s: %d %s", address, resp.StatusCode(), body)
		}
		for _, bad := range []string{evilPath, "alert(1)</script>", "<script>", " style=", " onclick=", "ZgotmplZ", "<no value>", "\u202e"} {
			if strings.Contains(body, bad) {
				t.Errorf("%s: the page has %q", address, bad)
			}
		}
		if strings.Contains(address, "limit=1") && !strings.Contains(body, "limit=5") {
			t.Error("no link to more pages")
		}
	}
}

func TestPagesAndTheirStatus(t *testing.T) {
	f, _, _ := twoSites(t)
	client := serve(t, f.reporter(t, func(o *Options) { o.Open = false }))
	for _, test := range []struct {
		method, address string
		status          int
		want            string
	}{
		{"GET", "/", 200, "Europe/Berlin"},
		{"GET", "/sites/MONGODB.ORG", 200, "1,580 views"},
		{"GET", "/sites/nobody.example", 404, "Unknown site"},
		{"GET", "/sites/docs.mongodb.org", 401, "--open-reports"},
		{"GET", "/sites/mongodb.org?from=soon", 400, "from=&#34;soon&#34;"},
		{"GET", "/sites/mongodb.org?from=2026-01-05&to=2026-01-06", 200, "&lt;img src=&#34;http://stats.test/pixel.gif&#34;"},
		{"GET", "/sites/mongodb.org/more", 404, "Nothing here"},
		{"GET", "/sites/", 404, "Nothing here"},
		{"GET", "/favicon.ico", 404, "Nothing here"},
		{"GET", "/%3Cscript%3E", 404, "&lt;script&gt;"},
		{"POST", "/", 405, "read with GET"},
		{"POST", "/assets/x", 405, "read with GET"},
	} {
		resp := ask(t, client, test.method, test.address)
		if resp.StatusCode() != test.status || !strings.Contains(string(resp.Body()), test.want) {
			t.Errorf("%s %s: %d, no %q in\n%s", test.method, test.address, resp.StatusCode(), test.want, resp.Body())
		}
		for name, want := range map[string]string{
			fasthttp.HeaderXContentTypeOptions: "nosniff", fasthttp.HeaderReferrerPolicy: "same-origin", fasthttp.HeaderCacheControl: "no-store",
		} {
			if got := string(resp.Header.Peek(name)); got != want {
				t.Errorf("%s: %s is %q, want %q", test.address, name, got, want)
			}
		}
		if got := string(resp.Header.Peek(fasthttp.HeaderContentSecurityPolicy)); policy(true) != wantPolicy || !strings.HasPrefix(got, "default-src 'none'; script-src 'self'") {
			t.Errorf("%s: policy %q", test.address, got)
		}
	}
}

func TestSnippetBehindATLSProxy(t *testing.T) {
	f, _, _ := twoSites(t)
	client := serve(t, f.reporter(t))
	body := ask(t, client, "GET", "/sites/mongodb.org?from=2026-01-05&to=2026-01-06", "X-Forwarded-Proto: https").Body()
	if !strings.Contains(string(body), "https://stats.test/pixel.gif") {
		t.Errorf("%s", body)
	}
}

func TestEmptyLists(t *testing.T) {
	f := newFixture(t)
	open, closed := serve(t, f.reporter(t)), serve(t, f.reporter(t, func(o *Options) { o.Open = false }))
	if body := string(ask(t, open, "GET", "/").Body()); !strings.Contains(body, "precount site add") {
		t.Error(body)
	}
	f.site(t, "private.example")
	if body := string(ask(t, closed, "GET", "/").Body()); !strings.Contains(body, "public=true") || strings.Contains(body, "private.example") {
		t.Error(body)
	}
}
