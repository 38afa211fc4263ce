package browsertest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"precount/internal/testenv"
)

// A Browser is a headless Chromium that remembers what a page must not cause.
type Browser struct {
	ctx context.Context

	mu       sync.Mutex
	wrong    []string // messages on the console, failed requests, dialogs
	requests []string
}

// New starts a browser that ends with the test, at the latest after 90 seconds. Without Chromium the test is left out.
func New(t *testing.T) *Browser {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(testenv.Chromium(t)), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.NoFirstRun, chromedp.Flag("disable-background-networking", true), chromedp.UserDataDir(t.TempDir()))
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &Browser{ctx: ctx}
	// The first call starts the browser, which lives as long as the context of that call: no time-out here.
	if err := chromedp.Listen(ctx, b.notice); err != nil {
		t.Fatal(err)
	}
	limited, cancelLimit := context.WithTimeout(ctx, 90*time.Second)
	t.Cleanup(cancelLimit)
	b.ctx = limited
	b.Run(t, command(network.Enable, network.EnableParams{}))
	return b
}

// notice is called for each event of the page.
func (b *Browser) notice(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		text := "console." + string(e.Type)
		for _, arg := range e.Args {
			text += " " + string(arg.Value)
		}
		b.wrong = append(b.wrong, text)
	case *runtime.EventExceptionThrown:
		b.wrong = append(b.wrong, "exception: "+e.ExceptionDetails.Text)
	case *cdplog.EventEntryAdded:
		b.wrong = append(b.wrong, "log: "+e.Entry.Text+" "+e.Entry.URL)
	case *cdppage.EventJavascriptDialogOpening:
		b.wrong = append(b.wrong, "dialog: "+e.Message)
	case *network.EventLoadingFailed:
		b.wrong = append(b.wrong, "request failed: "+e.ErrorText)
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	}
}

// Run does the steps; an error ends the test.
func (b *Browser) Run(t *testing.T, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

// Result returns the value of an action.
func Result[T any](t *testing.T, b *Browser, action chromedp.Action[T]) T {
	t.Helper()
	value, err := chromedp.Run(b.ctx, action)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// command is an action that sends one command of the protocol.
func command[P, R any](c cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, c, params)
		return err
	})
}

// Open loads an address and waits until its charts are drawn. The charts are drawn in the same task that makes
// their boxes visible; two frames later they are on the screen.
func (b *Browser) Open(t *testing.T, address string, charts int) {
	t.Helper()
	b.Run(t, chromedp.Navigate(address), chromedp.WaitReady("main"))
	if charts > 0 {
		b.Run(t, chromedp.WaitVisible(".chart canvas"))
	}
	b.Run(t, chromedp.Evaluate[chromedp.Void](`new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))`,
		chromedp.EvalAwaitPromise))
	drawn := Result(t, b, chromedp.Evaluate[int](countDrawn))
	if drawn != charts {
		t.Errorf("%s: %d charts with something drawn, want %d", address, drawn, charts)
	}
}

// countDrawn counts the canvases that have a size and pixels that are not transparent.
const countDrawn = `[...document.querySelectorAll('.chart canvas')].filter(c => c.width > 0 && c.height > 0 &&
	c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(v => v !== 0)).length`

// Quiet fails if a page caused what it must not, or asked any other server than own.
func (b *Browser) Quiet(t *testing.T, own string) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range b.wrong {
		t.Error(w)
	}
	for _, r := range b.requests {
		// The icon in a date field is a data address of the browser's own.
		if !strings.HasPrefix(r, own) && !strings.HasPrefix(r, "data:") {
			t.Errorf("request to %s", r)
		}
	}
	if len(b.requests) == 0 {
		t.Error("no request was seen")
	}
}

// Shot saves a picture of the whole page if PRECOUNT_SHOTS names a directory for it.
func (b *Browser) Shot(t *testing.T, name string, width int64, scheme string) {
	t.Helper()
	dir := os.Getenv("PRECOUNT_SHOTS")
	if dir == "" {
		return
	}
	b.Run(t, Look(width, scheme))
	picture := Result(t, b, chromedp.FullScreenshot(100))
	if err := os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644); err != nil {
		t.Fatal(err)
	}
}

// Look sets the width of the window and the scheme of colours.
func Look(width int64, scheme string) chromedp.Action[chromedp.Void] {
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	size := emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1, Mobile: width < 500}
	return chromedp.Steps(command(emulation.SetDeviceMetricsOverride, size), command(emulation.SetEmulatedMedia, media))
}
