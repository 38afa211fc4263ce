package reporter

import (
	"flag"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttputil"

	"precount/internal/counters"
	"precount/internal/sites"
	"precount/internal/sqlitestore"
)

var update = flag.Bool("update", false, "write the golden files anew")

// now is noon of a Friday in Berlin, and the morning of the same day in New York.
var now = time.Date(2026, time.November, 20, 11, 0, 0, 0, time.UTC)

// A hit is n views of a page at one instant: what the naive sums of the tests are made of.
type hit struct {
	site *sites.Site
	at   time.Time
	path string
	n    int64
}

// A fixture is a real store with real sites, and a list of all that was counted.
type fixture struct {
	store    *sqlitestore.Store
	registry *sites.Registry
	hits     []hit
	token    uint64
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	store, err := sqlitestore.Open(sqlitestore.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return &fixture{store: store, registry: sites.NewRegistry(store)}
}

// site registers a site; settings are "timezone=Europe/Berlin".
func (f *fixture) site(t testing.TB, host string, settings ...string) *sites.Site {
	t.Helper()
	s, err := sites.New(host)
	if err != nil {
		t.Fatal(err)
	}
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		if err := s.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.registry.Add(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	return f.registry.Directory().Find(host)
}

// count stores hits the way that the collector does.
func (f *fixture) count(t testing.TB, hits ...hit) {
	t.Helper()
	sums := make(map[counters.Key]map[counters.Field]int64)
	add := func(key counters.Key, field counters.Field, n int64) {
		if sums[key] == nil {
			sums[key] = make(map[counters.Field]int64)
		}
		sums[key][counters.Total] += n
		sums[key][field] += n
	}
	for _, h := range hits {
		local := h.site.Local(h.at)
		base, day := h.site.Base, counters.Day(local.Day)
		add(counters.PageKey(local.Month, base, h.path), day, h.n)
		add(counters.HoursKey(local.Month, base, local.Day), counters.Hour(local.Hour), h.n)
		for depth := 0; depth <= counters.MaxDepth; depth++ {
			if section, ok := sectionAt(h.path, depth); ok {
				add(counters.SectionKey(local.Month, base, depth, section), day, h.n)
			}
		}
	}
	f.hits, f.token = append(f.hits, hits...), f.token+1
	batch := counters.Batch{Collector: "test", Token: f.token}
	for key, fields := range sums {
		u := counters.Update{Key: key}
		for field, n := range fields {
			u.Inc = append(u.Inc, counters.Delta{Field: field, N: n})
		}
		batch.Updates = append(batch.Updates, u)
	}
	if err := f.store.Apply(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
}

// sectionAt returns the ancestor of path at depth: that of "/a/b/c" at 1 is "/a/".
func sectionAt(path string, depth int) (string, bool) {
	path, _, _ = strings.Cut(path, "?")
	parts := strings.SplitAfter(path, "/")
	if len(parts) < depth+2 {
		return "", false
	}
	return strings.Join(parts[:depth+1], ""), true
}

func (f *fixture) reporter(t testing.TB, change ...func(*Options)) *Reporter {
	t.Helper()
	o := Options{Sites: f.registry.Directory, Store: f.store, Open: true, Now: func() time.Time { return now },
		Log: zerolog.New(zerolog.NewTestWriter(t))}
	for _, c := range change {
		c(&o)
	}
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// serve runs a real server on a listener in memory, and returns a client of it.
func serve(t testing.TB, r *Reporter) *fasthttp.Client {
	t.Helper()
	listener := fasthttputil.NewInmemoryListener()
	server := &fasthttp.Server{Handler: r.Handle}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	t.Cleanup(func() {
		if err := server.Shutdown(); err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return &fasthttp.Client{Dial: func(string) (net.Conn, error) { return listener.Dial() },
		DisablePathNormalizing: true}
}

// ask sends a request for an address of the server; headers are "Accept: text/csv".
func ask(t testing.TB, c *fasthttp.Client, method, address string, headers ...string) *fasthttp.Response {
	t.Helper()
	var req fasthttp.Request
	resp := new(fasthttp.Response)
	req.SetRequestURI("http://stats.test" + address)
	req.Header.SetMethod(method)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	if err := c.Do(&req, resp); err != nil {
		t.Fatal(err)
	}
	return resp
}

// golden compares got with the file named by the running test.
func golden(t *testing.T, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", filepath.FromSlash(t.Name())+".golden")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("differs from %s (write it anew with -update):\n%s", path, got)
	}
}
