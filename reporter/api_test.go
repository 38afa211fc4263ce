package reporter

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"
)

func TestAPI(t *testing.T) {
	f, _, _ := twoSites(t)
	client := serve(t, f.reporter(t))
	for _, test := range []struct{ name, address, accept string }{
		{"sites", "/api/v1/sites", ""},
		{"sites.csv", "/api/v1/sites?format=csv", ""},
		{"views by day", "/api/v1/sites/mongodb.org/views?from=7d", ""},
		{"views of an alias", "/api/v1/sites/mongo.example/views?from=today", ""},
		{"views in another spelling", "/api/v1/sites/WWW.MongoDB.org:443/views?from=today", ""},
		{"views of a punycode alias", "/api/v1/sites/b%C3%BCcher.example/views?from=today", ""},
		{"views of the other zone", "/api/v1/sites/docs.mongodb.org/views?from=2026-11-19&to=2026-11-20", ""},
		{"views across years", "/api/v1/sites/mongodb.org/views?from=2025-12&to=2026-01&by=month", ""},
		{"views by hour", "/api/v1/sites/mongodb.org/views?from=2026-10-25&to=2026-10-25&by=hour", ""},
		{"views of a section", "/api/v1/sites/mongodb.org/views?from=2026-11-18&prefix=/docs/", ""},
		{"views.csv", "/api/v1/sites/mongodb.org/views?from=3d", "text/csv"},
		{"pages", "/api/v1/sites/mongodb.org/pages", "application/json, text/csv"},
		{"pages limit", "/api/v1/sites/mongodb.org/pages?limit=1", ""},
		{"pages prefix", "/api/v1/sites/mongodb.org/pages?prefix=/docs/intro", ""},
		{"pages.csv", "/api/v1/sites/mongodb.org/pages?limit=100000", "text/html, text/csv;q=0.9"},
		{"pages nothing", "/api/v1/sites/mongodb.org/pages?from=2026-01-05&to=2026-01-06", ""},
		{"sections", "/api/v1/sites/mongodb.org/sections?prefix=/", ""},
		{"sections below", "/api/v1/sites/mongodb.org/sections?prefix=/docs/", ""},
		{"json wins over Accept", "/api/v1/sites/mongodb.org/sections?format=json", "text/csv"},
	} {
		t.Run(test.name, func(t *testing.T) {
			resp := ask(t, client, "GET", test.address, "Accept: "+test.accept)
			if resp.StatusCode() != 200 {
				t.Fatalf("%d %s", resp.StatusCode(), resp.Body())
			}
			golden(t, fmt.Appendf(nil, "%s\n%s", resp.Header.ContentType(), resp.Body()))
			head := ask(t, client, "HEAD", test.address, "Accept: "+test.accept)
			if head.StatusCode() != 200 || len(head.Body()) != 0 || head.Header.ContentLength() != len(resp.Body()) {
				t.Errorf("HEAD: %d, body of %d bytes, Content-Length %d", head.StatusCode(), len(head.Body()), head.Header.ContentLength())
			}
		})
	}
}

var refusedRequests = []struct {
	method, address string
	status          int
	code            Code
	want            string
}{
	{"GET", "/api/v1/sites/nobody.example/views", 404, UnknownSite, "precount site add"},
	{"GET", "/api/v1/sites/%20/views", 404, UnknownSite, ""},
	{"GET", "/api/v1/sites/docs.mongodb.org/views", 401, LoginRequired, "--open-reports"},
	{"GET", "/api/v1/sites/docs.mongodb.org/pages", 401, LoginRequired, "precount site set docs.mongodb.org public=true"},
	{"GET", "/api/v1/sites/mongodb.org/views?from=soon", 400, BadRange, "from="},
	{"GET", "/api/v1/sites/mongodb.org/views?by=week", 400, BadBy, ""},
	{"GET", "/api/v1/sites/mongodb.org/views?by=hour&prefix=/docs/", 400, BadBy, "not kept per section"},
	{"GET", "/api/v1/sites/mongodb.org/views?by=hour&from=12mo", 400, BadRange, "92 days"},
	{"GET", "/api/v1/sites/mongodb.org/pages?limit=100001", 400, BadLimit, ""},
	{"GET", "/api/v1/sites/mongodb.org/pages?prefix=docs", 400, BadPrefix, ""},
	{"GET", "/api/v1/sites/mongodb.org/pages?format=xml", 400, BadFormat, "want one of json, csv"},
	{"GET", "/api/v1/sites?format=html", 400, BadFormat, ""},
	{"GET", "/api/v1/sites/mongodb.org/attrs/browser", 404, NotFound, ""},
	{"GET", "/api/v1/sites/mongodb.org/visitors", 404, NotFound, ""},
	{"GET", "/api/v1/sites/mongodb.org", 404, NotFound, ""},
	{"GET", "/api/v1/sitesmongodb.org/views", 404, NotFound, ""},
	{"GET", "/api/v1/sites/", 404, NotFound, ""},
	{"GET", "/api/v2/sites", 404, NotFound, ""},
	{"GET", "/api", 404, NotFound, ""},
	{"POST", "/api/v1/sites/mongodb.org/views", 405, MethodNotAllowed, ""},
	{"DELETE", "/api/v1/nothing", 405, MethodNotAllowed, ""},
}

func TestAPIRefuses(t *testing.T) {
	f, _, _ := twoSites(t)
	client := serve(t, f.reporter(t, func(o *Options) { o.Open = false }))
	for _, test := range refusedRequests {
		t.Run(test.method+" "+test.address, func(t *testing.T) {
			resp := ask(t, client, test.method, test.address)
			var body struct{ Error Refusal }
			if err := json.Unmarshal(resp.Body(), &body); err != nil {
				t.Fatalf("%v: %s", err, resp.Body())
			}
			if resp.StatusCode() != test.status || body.Error.Code != test.code || !strings.Contains(body.Error.Message, test.want) {
				t.Errorf("%d %s", resp.StatusCode(), resp.Body())
			}
			if test.status == 405 && string(resp.Header.Peek(fasthttp.HeaderAllow)) != "GET, HEAD" {
				t.Errorf("Allow is %q", resp.Header.Peek(fasthttp.HeaderAllow))
			}
		})
	}
}

func TestSitesListsOnlyPublicOnes(t *testing.T) {
	f, _, _ := twoSites(t)
	client := serve(t, f.reporter(t, func(o *Options) { o.Open = false }))
	want := `{"sites":[{"host":"mongodb.org","base":"org.mongodb","timezone":"Europe/Berlin"}]}` + "\n"
	if got := ask(t, client, "GET", "/api/v1/sites").Body(); string(got) != want {
		t.Errorf("%s", got)
	}
	page := string(ask(t, client, "GET", "/").Body())
	if !strings.Contains(page, "/sites/mongodb.org") || strings.Contains(page, "docs.mongodb.org") {
		t.Error(page)
	}
}
