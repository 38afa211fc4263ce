package reporter

import (
	"context"
	"net"
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
	"github.com/valyala/fasthttp"
)

const chromium = "/usr/bin/chromium"

// A browser is a headless Chromium that remembers what a page must not cause.
type browser struct {
	ctx context.Context

	mu       sync.Mutex
	wrong    []string // messages on the console, failed requests, dialogs
	requests []string
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	if _, err := os.Stat(chromium); err != nil {
		leaveOut(t, "a real browser: install Debian's package chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.NoFirstRun, chromedp.Flag("disable-background-networking", true), chromedp.UserDataDir(t.TempDir()))
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &browser{ctx: ctx}
	// The first call starts the browser, which lives as long as the context of that call: no time-out here.
	if err := chromedp.Listen(ctx, b.notice); err != nil {
		t.Fatal(err)
	}
	limited, cancelLimit := context.WithTimeout(ctx, 90*time.Second)
	t.Cleanup(cancelLimit)
	b.ctx = limited
	b.run(t, command(network.Enable, network.EnableParams{}))
	return b
}

// notice is called for each event of the page.
func (b *browser) notice(event any) {
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

func (b *browser) run(t *testing.T, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

// result returns the value of an action.
func result[T any](t *testing.T, b *browser, action chromedp.Action[T]) T {
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

// open loads an address and waits until its charts are drawn. The charts are drawn in the same task that makes
// their boxes visible; two frames later they are on the screen.
func (b *browser) open(t *testing.T, address string, charts int) {
	t.Helper()
	b.run(t, chromedp.Navigate(address), chromedp.WaitReady("main"))
	if charts > 0 {
		b.run(t, chromedp.WaitVisible(".chart canvas"))
	}
	b.run(t, chromedp.Evaluate[chromedp.Void](`new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))`,
		chromedp.EvalAwaitPromise))
	drawn := result(t, b, chromedp.Evaluate[int](countDrawn))
	if drawn != charts {
		t.Errorf("%s: %d charts with something drawn, want %d", address, drawn, charts)
	}
}

// countDrawn counts the canvases that have a size and pixels that are not transparent.
const countDrawn = `[...document.querySelectorAll('.chart canvas')].filter(c => c.width > 0 && c.height > 0 &&
	c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(v => v !== 0)).length`

// quiet fails if a page caused what it must not, or asked any other server than own.
func (b *browser) quiet(t *testing.T, own string) {
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

// shot saves a picture of the whole page if PRECOUNT_SHOTS names a directory for it.
func (b *browser) shot(t *testing.T, name string, width int64, scheme string) {
	t.Helper()
	dir := os.Getenv("PRECOUNT_SHOTS")
	if dir == "" {
		return
	}
	b.run(t, look(width, scheme))
	picture := result(t, b, chromedp.FullScreenshot(100))
	if err := os.WriteFile(filepath.Join(dir, "reporter-"+name+".png"), picture, 0o644); err != nil {
		t.Fatal(err)
	}
}

// look sets the width of the window and the scheme of colours.
func look(width int64, scheme string) chromedp.Action[chromedp.Void] {
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	size := emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1, Mobile: width < 500}
	return chromedp.Steps(command(emulation.SetDeviceMetricsOverride, size), command(emulation.SetEmulatedMedia, media))
}

// listen serves r on a real port, because a browser cannot dial a listener in memory.
func listen(t *testing.T, r *Reporter) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &fasthttp.Server{Handler: r.Handle}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	t.Cleanup(func() {
		// Not Shutdown: it would wait for the browser's idle connections.
		if err := listener.Close(); err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil {
			t.Log(err)
		}
	})
	return "http://" + listener.Addr().String()
}
