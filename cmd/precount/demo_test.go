package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"precount/internal/browsertest"
)

// TestDemo is what somebody sees who runs the first of the README's two commands: a page, whose view is in the report.
func TestDemo(t *testing.T) {
	b := browsertest.New(t)
	s := serve(t, t.TempDir(), "--demo", "--flush-every", "50ms")
	b.Run(t, browsertest.Look(1280, "light"))
	b.Open(t, s.address+"/demo/", 0)
	waitFor(t, "the pixel is counted", func() bool { return s.metrics()["precount_hits_counted_total"] == 1 })
	b.Shot(t, "demo", 1280, "light")
	// A page whose name would end a script element, and one that the demo links to.
	s.get("/pixel.gif?host=localhost&path=/%3C/script%3E%3Cscript%3Ealert(1)%3C/script%3E")
	b.Run(t, chromedp.Click(`a[href="/demo/docs/"]`), chromedp.WaitVisible(`//h1[text()="Documentation"]`))
	waitFor(t, "all three are counted", func() bool { return s.metrics()["precount_hits_counted_total"] == 3 })
	b.Run(t, chromedp.Click(`a[href="/sites/localhost"]`), chromedp.WaitVisible("#pages .chart canvas"))
	b.Open(t, s.address+"/sites/localhost", 4)
	b.Shot(t, "demo-report", 1280, "light")
	if text := browsertest.Result(t, b, chromedp.Text("#pages table")); !containsAll(text, "/demo/", "/demo/docs/", "/</script><script>alert(1)</script>") {
		t.Errorf("the table of pages is\n%s", text)
	}
	b.Quiet(t, s.address+"/")
	s.checkLedger()
}

func containsAll(text string, parts ...string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}
