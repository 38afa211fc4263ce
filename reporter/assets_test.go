package reporter

import (
	"bytes"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rs/zerolog"
	"github.com/valyala/fasthttp"

	"precount/internal/testenv"
)

func TestEChartsConstantsArePinned(t *testing.T) {
	text, err := os.ReadFile("../package.json")
	if err != nil {
		t.Fatal(err)
	}
	var pinned struct{ Dependencies map[string]string }
	if err := json.Unmarshal(text, &pinned); err != nil {
		t.Fatal(err)
	}
	if got := pinned.Dependencies["echarts"]; got != echartsVersion {
		t.Errorf("package.json has ECharts %s, echarts.go has %s", got, echartsVersion)
	}
	lock, err := os.ReadFile("../package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(lock), "://") || strings.Contains(string(lock), `"resolved"`) {
		t.Error("package-lock.json holds addresses of a registry: npm install --omit-lockfile-registry-resolved")
	}
	body, err := fs.ReadFile(files, "assets/"+echartsFile)
	if err != nil {
		testenv.LeaveOut(t, "ECharts in this build", "have it by: npm and make assets")
	}
	sum := sha512.Sum384(body)
	if got := "sha384-" + base64.StdEncoding.EncodeToString(sum[:]); got != echartsIntegrity {
		t.Errorf("assets/%s has the hash %s, echarts.go has %s", echartsFile, got, echartsIntegrity)
	}
}

func TestAssets(t *testing.T) {
	f, _, _ := twoSites(t)
	r := f.reporter(t)
	client := serve(t, r)
	for name, one := range r.assets.byName {
		plain := ask(t, client, "GET", one.address)
		zipped := ask(t, client, "GET", one.address, "Accept-Encoding: br, gzip")
		unzipped, err := zipped.BodyGunzip()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(plain.Body(), one.body) || !bytes.Equal(unzipped, one.body) {
			t.Errorf("%s: %d bytes plain, %d bytes unzipped; want %d", name, len(plain.Body()), len(unzipped), len(one.body))
		}
		h := &zipped.Header
		if got := string(h.Peek(fasthttp.HeaderCacheControl)); !strings.Contains(got, "immutable") {
			t.Errorf("%s: Cache-Control %q", name, got)
		}
		if got := string(h.Peek(fasthttp.HeaderVary)); got != "Accept-Encoding" {
			t.Errorf("%s: Vary %q", name, got)
		}
		again := ask(t, client, "GET", one.address, "If-None-Match: "+string(h.Peek(fasthttp.HeaderETag)))
		if again.StatusCode() != 304 || len(again.Body()) != 0 {
			t.Errorf("%s again: %d", name, again.StatusCode())
		}
	}
	for _, address := range []string{"/assets/style.css", "/assets/vendor/README.md", "/assets/", "/assets/../reporter.go"} {
		if got := ask(t, client, "GET", address).StatusCode(); got != 404 {
			t.Errorf("%s: %d", address, got)
		}
	}
}

func TestBuildWithoutECharts(t *testing.T) {
	f, _, _ := twoSites(t)
	r := f.reporter(t)
	without := fstest.MapFS{}
	for _, name := range []string{"assets/style.css", "assets/report.js", "assets/icon.svg"} {
		body, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		without[name] = &fstest.MapFile{Data: body}
	}
	a, err := loadAssets(without)
	if err != nil {
		t.Fatal(err)
	}
	r.assets, r.policy = a, policy(a.hasECharts())
	resp := ask(t, serve(t, r), "GET", "/sites/mongodb.org")
	want := `<script defer src="https://cdn.jsdelivr.net/npm/echarts@` + echartsVersion + `/dist/echarts.min.js" integrity="` +
		strings.ReplaceAll(echartsIntegrity, "+", "&#43;") + `" crossorigin="anonymous"></script>`
	if !strings.Contains(string(resp.Body()), want) {
		t.Errorf("no %s in\n%s", want, resp.Body())
	}
	if got := string(resp.Header.Peek(fasthttp.HeaderContentSecurityPolicy)); !strings.Contains(got, "script-src 'self' "+echartsCDN+";") {
		t.Errorf("policy %q", got)
	}
	if p := filePage(a, "x", reportBody{}); p.ECharts.Source != echartsCDN || !strings.Contains(p.Inline.Policy, echartsCDN) {
		t.Errorf("%+v", p.ECharts)
	}
	var log bytes.Buffer
	warnIfRemote(a, zerolog.New(&log))
	if !strings.Contains(log.String(), "npm ci") || !strings.Contains(log.String(), `"level":"warn"`) {
		t.Errorf("log: %s", log.String())
	}
}
