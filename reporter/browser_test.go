package reporter

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"precount/internal/browsertest"
	"precount/internal/testenv"
)

func TestInBrowser(t *testing.T) {
	b := browsertest.New(t)
	f, _, _ := twoSites(t)
	r := f.reporter(t)
	if !r.assets.hasECharts() {
		testenv.LeaveOut(t, "ECharts in this build", "have it by: npm and make assets")
	}
	f.countMany(t)
	own := listen(t, r)
	report := own + "/sites/mongodb.org"
	b.Run(t, browsertest.Look(1280, "light"))

	b.Open(t, own+"/", 0)
	b.Shot(t, "sites", 1280, "light")
	b.Open(t, report+"?from=12mo&by=month", 4)
	b.Open(t, report+"?by=hour&from=7d", 4)
	b.Open(t, report+"?prefix=/docs/", 3)
	b.Shot(t, "section", 1280, "light")
	b.Open(t, report+"?limit=100", 4)
	b.Shot(t, "many", 1280, "light")
	b.Open(t, own+"/sites/docs.mongodb.org?from=2026-01-05&to=2026-01-06", 0)
	b.Shot(t, "empty", 1280, "light")
	b.Open(t, report, 4)
	showsEvilPathAsText(t, b)
	followsTheWindow(t, b)
	b.Shot(t, "light", 1280, "light")
	b.Shot(t, "dark", 1280, "dark")
	b.Shot(t, "phone", 390, "light")
	b.Quiet(t, own+"/")
}

func showsEvilPathAsText(t *testing.T, b *browsertest.Browser) {
	t.Helper()
	if text := browsertest.Result(t, b, chromedp.Text("#pages table")); !strings.Contains(text, evilPath) {
		t.Errorf("no %s in the table of pages:\n%s", evilPath, text)
	}
	b.Run(t, chromedp.ScrollIntoView("#pages .chart"))
	box := browsertest.Result(t, b, chromedp.Evaluate[[]float64](
		`(r => [r.x + r.width / 2, r.y])(document.querySelector('#pages .chart').getBoundingClientRect())`))
	// The tooltip is drawn by ECharts; hovering over each bar must not run or inject anything.
	for y := 15.0; y < 300; y += 30 {
		b.Run(t, chromedp.MouseEvent("mouseMoved", box[0], box[1]+y))
	}
}

// followsTheWindow checks that charts get narrower with the window and take the colours of the dark scheme.
func followsTheWindow(t *testing.T, b *browsertest.Browser) {
	t.Helper()
	const fits = `new Promise(done => { const check = () => {
		const all = [...document.querySelectorAll('.chart')];
		all.every(c => Math.abs(c.clientWidth - c.querySelector('canvas').clientWidth) <= 1) &&
			document.documentElement.scrollWidth <= innerWidth ? done(true) : requestAnimationFrame(check) }; check() })`
	const background = `getComputedStyle(document.body).backgroundColor`
	wait := chromedp.Evaluate[chromedp.Void](fits, chromedp.EvalAwaitPromise)
	b.Run(t, browsertest.Look(390, "light"), wait)
	light := browsertest.Result(t, b, chromedp.Evaluate[string](background))
	b.Run(t, browsertest.Look(1280, "dark"), wait)
	dark := browsertest.Result(t, b, chromedp.Evaluate[string](background))
	if light == dark {
		t.Errorf("light and dark pages are both %s", light)
	}
}

// A report in a file of its own draws its charts from the file alone, under its own policy.
func TestFileInBrowser(t *testing.T) {
	b := browsertest.New(t)
	f, berlin, _ := twoSites(t)
	if !f.reporter(t).assets.hasECharts() {
		testenv.LeaveOut(t, "ECharts in this build", "have it by: npm and make assets")
	}
	q, err := Params{From: "7d"}.Query(now, berlin.Location())
	if err != nil {
		t.Fatal(err)
	}
	r, err := Compile(t.Context(), f.store, berlin, q)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "report.html")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteHTML(file, r); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	b.Run(t, browsertest.Look(1280, "light"))
	b.Open(t, "file://"+path, 4)
	b.Shot(t, "file", 1280, "light")
	b.Quiet(t, "file://")
}
