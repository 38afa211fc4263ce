package reporter

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

func TestInBrowser(t *testing.T) {
	b := newBrowser(t)
	f, _, _ := twoSites(t)
	r := f.reporter(t)
	if !r.assets.hasECharts() {
		leaveOut(t, "charts in a real browser: ECharts is not in this build; `npm ci` and `make build`")
	}
	f.countMany(t)
	own := listen(t, r)
	report := own + "/sites/mongodb.org"
	b.run(t, look(1280, "light"))

	b.open(t, own+"/", 0)
	b.shot(t, "sites", 1280, "light")
	b.open(t, report+"?from=12mo&by=month", 4)
	b.open(t, report+"?by=hour&from=7d", 4)
	b.open(t, report+"?prefix=/docs/", 3)
	b.shot(t, "section", 1280, "light")
	b.open(t, report+"?limit=100", 4)
	b.shot(t, "many", 1280, "light")
	b.open(t, own+"/sites/docs.mongodb.org?from=2026-01-05&to=2026-01-06", 0)
	b.shot(t, "empty", 1280, "light")
	b.open(t, report, 4)
	b.showsEvilPathAsText(t)
	b.followsTheWindow(t)
	b.shot(t, "light", 1280, "light")
	b.shot(t, "dark", 1280, "dark")
	b.shot(t, "phone", 390, "light")
	b.quiet(t, own+"/")
}

func (b *browser) showsEvilPathAsText(t *testing.T) {
	t.Helper()
	if text := result(t, b, chromedp.Text("#pages table")); !strings.Contains(text, evilPath) {
		t.Errorf("no %s in the table of pages:\n%s", evilPath, text)
	}
	b.run(t, chromedp.ScrollIntoView("#pages .chart"))
	box := result(t, b, chromedp.Evaluate[[]float64](
		`(r => [r.x + r.width / 2, r.y])(document.querySelector('#pages .chart').getBoundingClientRect())`))
	// The tooltip is drawn by ECharts; hovering over each bar must not run or inject anything.
	for y := 15.0; y < 300; y += 30 {
		b.run(t, chromedp.MouseEvent("mouseMoved", box[0], box[1]+y))
	}
}

// followsTheWindow checks that charts get narrower with the window and take the colours of the dark scheme.
func (b *browser) followsTheWindow(t *testing.T) {
	t.Helper()
	const fits = `new Promise(done => { const check = () => {
		const all = [...document.querySelectorAll('.chart')];
		all.every(c => Math.abs(c.clientWidth - c.querySelector('canvas').clientWidth) <= 1) &&
			document.documentElement.scrollWidth <= innerWidth ? done(true) : requestAnimationFrame(check) }; check() })`
	const background = `getComputedStyle(document.body).backgroundColor`
	wait := chromedp.Evaluate[chromedp.Void](fits, chromedp.EvalAwaitPromise)
	b.run(t, look(390, "light"), wait)
	light := result(t, b, chromedp.Evaluate[string](background))
	b.run(t, look(1280, "dark"), wait)
	dark := result(t, b, chromedp.Evaluate[string](background))
	if light == dark {
		t.Errorf("light and dark pages are both %s", light)
	}
}

// A report in a file of its own draws its charts from the file alone, under its own policy.
func TestFileInBrowser(t *testing.T) {
	b := newBrowser(t)
	f, berlin, _ := twoSites(t)
	if !f.reporter(t).assets.hasECharts() {
		leaveOut(t, "charts of a file in a real browser: ECharts is not in this build; `npm ci` and `make build`")
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
	b.run(t, look(1280, "light"))
	b.open(t, "file://"+path, 4)
	b.shot(t, "file", 1280, "light")
	b.quiet(t, "file://")
}
