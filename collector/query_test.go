package collector

import (
	"bytes"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"precount/internal/counters"
	"precount/internal/sites"
)

// directory registers a few sites for tests.
func directory(t testing.TB) *sites.Directory {
	t.Helper()
	mongodb, err := sites.New("mongodb.org")
	must(t, err)
	must(t, mongodb.Set("alias", "mongo.example"))
	kept, err := sites.New("forum.example")
	must(t, err)
	must(t, kept.Set("keep-query", "id,page"))
	local, err := sites.New("localhost")
	must(t, err)
	d, err := sites.NewDirectory([]*sites.Site{mongodb, kept, local})
	must(t, err)
	return d
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestParse is the table of what a request may look like, and what becomes of it.
func TestParse(t *testing.T) {
	d := directory(t)
	long := "/" + strings.Repeat("a", MaxPath-1)
	for _, c := range []struct {
		name, query, referer string
		host, path           string
		verdict              Verdict
	}{
		{name: "base and path", query: "base=org.mongodb&path=/docs/", host: "mongodb.org", path: "/docs/"},
		{name: "host and path", query: "host=mongodb.org&path=/docs/", host: "mongodb.org", path: "/docs/"},
		{name: "host in another spelling", query: "host=WWW.MongoDB.org:443&path=/", host: "mongodb.org", path: "/"},
		{name: "alias", query: "host=mongo.example&path=/", host: "mongodb.org", path: "/"},
		{name: "url", query: "url=https%3A%2F%2Fmongodb.org%2Fdocs%2F", host: "mongodb.org", path: "/docs/"},
		{name: "url, not encoded", query: "url=HTTP://mongodb.org:80/docs/", host: "mongodb.org", path: "/docs/"},
		{name: "url without a path", query: "url=https://mongodb.org", host: "mongodb.org", path: "/"},
		{name: "url with only a query", query: "url=https://forum.example?id=3", host: "forum.example", path: "/?id=3"},
		{name: "url with a fragment", query: "url=https://mongodb.org/a%23b", host: "mongodb.org", path: "/a"},
		{name: "referer", referer: "https://mongodb.org/docs/", host: "mongodb.org", path: "/docs/"},
		{name: "referer beside unknown parameters", query: "rnd=0.123&x=%zz", referer: "https://mongodb.org/a", host: "mongodb.org", path: "/a"},
		{name: "base wins", query: "url=https://localhost/x&host=localhost&base=org.mongodb&path=/a", host: "mongodb.org", path: "/a"},
		{name: "host wins over url", query: "url=https://localhost/x&host=mongodb.org&path=/a", host: "mongodb.org", path: "/a"},
		{name: "url wins over referer", query: "url=https://mongodb.org/x", referer: "https://localhost/", host: "mongodb.org", path: "/x"},
		{name: "query is cut off", query: "host=mongodb.org&path=/a%3Futm_source=x", host: "mongodb.org", path: "/a"},
		{name: "kept parameters, in their order", query: "host=forum.example&path=" + url.QueryEscape("/t?x=1&page=2&id=7"), host: "forum.example", path: "/t?id=7&page=2"},
		{name: "a plus is a space", query: "host=mongodb.org&path=/a+b", host: "mongodb.org", path: "/a b"},
		{name: "encoded in the address stays so", query: "host=mongodb.org&path=/caf%25C3%25A9", host: "mongodb.org", path: "/caf%C3%A9"},
		{name: "UTF-8", query: "host=mongodb.org&path=/caf%C3%A9", host: "mongodb.org", path: "/café"},
		{name: "control bytes", query: "host=mongodb.org&path=/a%00%0A%7F%C2%85b", host: "mongodb.org", path: "/a%00%0A%7F%C2%85b"},
		{name: "invalid UTF-8", query: "host=mongodb.org&path=/a%FF%C3", host: "mongodb.org", path: "/a%FF%C3"},
		{name: "as long as may be", query: "host=mongodb.org&path=" + long, host: "mongodb.org", path: long},
		{name: "markup is text", query: "host=mongodb.org&path=" + url.QueryEscape("/</script><script>alert(1)</script>"), host: "mongodb.org", path: "/</script><script>alert(1)</script>"},

		{name: "event", query: "host=mongodb.org&path=/&event=signup", verdict: IgnoredEvent},
		{name: "empty event", query: "host=mongodb.org&path=/&event=", host: "mongodb.org", path: "/"},
		{name: "event without a page", query: "event=signup", verdict: NoPage},
		{name: "nothing", verdict: NoPage},
		{name: "host alone", query: "host=mongodb.org", referer: "https://mongodb.org/", verdict: NoPage},
		{name: "path alone", query: "path=/", verdict: NoPage},
		{name: "empty path", query: "host=mongodb.org&path=", verdict: BadPath},
		{name: "path without a slash", query: "host=mongodb.org&path=docs", verdict: BadPath},
		{name: "path too long", query: "host=mongodb.org&path=" + long + "a", verdict: TooLong},
		{name: "too long once encoded", query: "host=mongodb.org&path=/" + strings.Repeat("%00", 400), verdict: TooLong},
		{name: "bad percent in the path", query: "host=mongodb.org&path=/%zz", verdict: BadPath},
		{name: "cut percent in the path", query: "host=mongodb.org&path=/%4", verdict: BadPath},
		{name: "bad percent in the host", query: "host=%&path=/", verdict: BadSite},
		{name: "bad percent in the url", query: "url=https://mongodb.org/%", verdict: BadPath},
		{name: "path twice", query: "host=mongodb.org&path=/a&path=/b", verdict: BadParameter},
		{name: "bad host", query: "host=a+b&path=/", verdict: BadSite},
		{name: "empty host", query: "host=&path=/", verdict: BadSite},
		{name: "bad base", query: "base=org/mongodb&path=/", verdict: BadSite},
		{name: "another scheme", query: "url=ftp://mongodb.org/", verdict: BadParameter},
		{name: "script", query: "url=javascript:alert(1)", verdict: BadParameter},
		{name: "credentials", query: "url=https://user:secret@mongodb.org/", verdict: BadParameter},
		{name: "url without a host", query: "url=https:///docs/", verdict: BadSite},
		{name: "empty url", query: "url=", verdict: BadParameter},
		{name: "unknown host", query: "host=example.com&path=/", verdict: UnknownSite},
		{name: "subdomain that is not registered", query: "host=docs.mongodb.org&path=/", verdict: UnknownSite},
		{name: "unknown base", query: "base=com.example&path=/", verdict: UnknownSite},
		{name: "unknown referer", referer: "https://example.com/", verdict: UnknownSite},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScratch()
			h, v := s.parse([]byte(c.query), []byte(c.referer), d)
			if v != c.verdict {
				t.Fatalf("verdict %q, want %q", v.Reason(), c.verdict.Reason())
			}
			if v == Counted && (h.site.Host != c.host || string(h.path) != c.path) {
				t.Errorf("counted as %q %q, want %q %q", h.site.Host, h.path, c.host, c.path)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	d := directory(f)
	f.Add("host=mongodb.org&path=/docs/", "")
	f.Add("url=https%3A%2F%2Fforum.example%2Fx%3Fid%3D1%26page%3D%00", "")
	f.Add("", "https://localhost:8080?a#b")
	f.Add("base=org.mongodb&path=%2F%FF%C3%A9%0a", "x")
	f.Fuzz(func(t *testing.T, query, referer string) {
		s := newScratch()
		h, v := s.parse([]byte(query), []byte(referer), d)
		if v != Counted {
			return
		}
		if h.path[0] != '/' || len(h.path) > MaxPath || !utf8.Valid(h.path) || bytes.ContainsAny(h.path, "\x00\n\r\x1b\x7f") {
			t.Errorf("query %q, referer %q gave the path %q", query, referer, h.path)
		}
		local := sites.Local{Month: counters.Month{Year: 2026, Month: 11}, Day: 21, Hour: 13}
		record := appendRecord(nil, h.site, local, depthOf(h.path, counters.MaxDepth), h.path)
		spot, err := parseRecord(string(record))
		if err != nil || spot.base != h.site.Base || spot.path != string(h.path) {
			t.Errorf("path %q came back from its record as %q, %v", h.path, spot.path, err)
		}
		for depth, section := range sectionsOf(string(h.path), int(spot.depth)) {
			if !strings.HasPrefix(string(h.path), section) || strings.Count(section, "/") != depth+1 {
				t.Errorf("path %q has the section %q at depth %d", h.path, section, depth)
			}
		}
	})
}

// TestParseDecodesLikeTheStandardLibrary compares with net/url where both accept.
func TestParseDecodesLikeTheStandardLibrary(t *testing.T) {
	for _, path := range []string{"/", "/a b", "/ä/ö", "/%", "/&=+#?", "/\x00\xff", "/" + strings.Repeat("ß", 200)} {
		query := url.Values{"path": {path}, "host": {"mongodb.org"}}.Encode()
		q, _, v := parseQuery([]byte(query), nil)
		if v != Counted || string(q.path) != path {
			t.Errorf("%q decoded to %q, %q", query, q.path, v.Reason())
		}
	}
}

func TestParseDoesNotAllocate(t *testing.T) {
	d, s := directory(t), newScratch()
	site := d.Find("forum.example")
	local := sites.Local{Month: counters.Month{Year: 2026, Month: 11}, Day: 21, Hour: 13}
	for _, query := range []string{"host=www.forum.example&path=/docs/caf%C3%A9?id=3&rnd=7", "url=https%3A%2F%2Fforum.example%2Fdocs%3Fpage%3D2"} {
		raw := []byte(query)
		allocations := testing.AllocsPerRun(200, func() {
			h, v := s.parse(raw, nil, d)
			if v != Counted {
				t.Fatal(v.Reason())
			}
			s.record = appendRecord(s.record[:0], site, local, 1, h.path)
		})
		if allocations != 0 {
			t.Errorf("%v allocations to parse and normalise %s", allocations, query)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	d, s := directory(b), newScratch()
	raw := []byte("host=mongodb.org&path=%2Fdocs%2Fmanual%2Fcore%2Findexes%2F&rnd=0.7315")
	b.ReportAllocs()
	for b.Loop() {
		if _, v := s.parse(raw, nil, d); v != Counted {
			b.Fatal(v.Reason())
		}
	}
}
