package reporter

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"github.com/valyala/fasthttp"

	"precount/internal/counters"
	"precount/internal/sites"
)

func TestQueriesWaitForTheirTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, err := New(Options{Sites: func() *sites.Directory { return &sites.Directory{} }, Store: brokenStore{}, Log: zerolog.Nop()})
		if err != nil {
			t.Fatal(err)
		}
		turn, errs := make(chan struct{}), make(chan error)
		wait := func(context.Context) error { <-turn; return nil }
		for range MaxQueries + 1 {
			go func() { errs <- r.query(0, wait) }()
		}
		synctest.Wait()
		turn <- struct{}{} // one ends, the last one begins
		if err := <-errs; err != nil {
			t.Error(err)
		}
		synctest.Wait()
		begun := time.Now()
		late := r.query(0, func(context.Context) error { return errors.New("began while all turns were taken") })
		if !errors.Is(late, context.DeadlineExceeded) || time.Since(begun) != Deadline {
			t.Errorf("after %s: %v", time.Since(begun), late)
		}
		close(turn)
		for range MaxQueries {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
	})
}

// A brokenStore fails, or is slower than any deadline.
type brokenStore struct{ err error }

func (s brokenStore) fail(ctx context.Context) error {
	if s.err != nil {
		return s.err
	}
	<-ctx.Done()
	return ctx.Err()
}

func (s brokenStore) Scan(ctx context.Context, _ counters.Collection, _ string) iter.Seq2[counters.Document, error] {
	return func(yield func(counters.Document, error) bool) { yield(counters.Document{}, s.fail(ctx)) }
}

func (s brokenStore) DaySums(ctx context.Context, _ counters.Kind, _ counters.Span, _ string) ([]int64, error) {
	return nil, s.fail(ctx)
}

func (s brokenStore) Get(ctx context.Context, _, _ string) (counters.Record, error) {
	return counters.Record{}, counters.ErrNotFound
}

func (s brokenStore) Top(ctx context.Context, _ counters.TopQuery) (counters.Top, error) {
	return counters.Top{}, s.fail(ctx)
}

func TestStoreUnavailable(t *testing.T) {
	f, _, _ := twoSites(t)
	var log bytes.Buffer
	client := serve(t, f.reporter(t, func(o *Options) {
		o.Store, o.Log = brokenStore{errors.New("secret.db is damaged")}, zerolog.New(&log)
	}))
	for _, address := range []string{"/api/v1/sites/mongodb.org/views", "/api/v1/sites/mongodb.org/views?prefix=/docs/",
		"/api/v1/sites/mongodb.org/pages", "/api/v1/sites/mongodb.org/sections", "/sites/mongodb.org"} {
		resp := ask(t, client, "GET", address)
		if resp.StatusCode() != 503 || strings.Contains(string(resp.Body()), "secret.db") {
			t.Errorf("%s: %d %s", address, resp.StatusCode(), resp.Body())
		}
	}
	if lines := strings.Count(log.String(), "secret.db is damaged"); lines != 3 {
		t.Errorf("%d lines of five in the log:\n%s", lines, log.String())
	}
}

func TestSlowStoreIsNamed(t *testing.T) {
	r := &Reporter{log: zerolog.Nop()}
	got := r.explain("/", context.DeadlineExceeded)
	if got.Status() != 503 || !strings.Contains(got.Message, "10s") {
		t.Error(got)
	}
}

func TestCancelledContext(t *testing.T) {
	f, berlin, _ := twoSites(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, prefix := range []string{"", "/docs/", "/docs"} {
		q, err := Params{Prefix: prefix}.Query(now, berlin.Location())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Compile(ctx, f.store, berlin, q); !errors.Is(err, context.Canceled) {
			t.Errorf("%q: %v", prefix, err)
		}
	}
}

// TestHeldAnswers: what is being sent is reckoned up until the server closes it, one answer of any size is possible, and
// small ones always are.
func TestHeldAnswers(t *testing.T) {
	r, err := New(Options{Sites: func() *sites.Directory { return &sites.Directory{} }, Store: brokenStore{}, Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	large := make([]byte, MaxHeld+1)
	var first, second, small fasthttp.RequestCtx
	if err := r.send(&first, large); err != nil {
		t.Error(err)
	}
	var refusal *Refusal
	if err := r.send(&second, large[:heldMin:heldMin]); !errors.As(err, &refusal) || refusal.Code != StoreUnavailable {
		t.Errorf("beyond the limit: %v", err)
	}
	if err := r.send(&small, large[:heldMin-1:heldMin-1]); err != nil {
		t.Error(err)
	}
	first.Response.Reset() // as the server does, however sending ended
	first.Response.Reset()
	if held := r.held.Load(); held != 0 {
		t.Errorf("%d bytes held after all was sent", held)
	}
	if err := r.send(&second, large[:heldMin:heldMin]); err != nil || r.held.Load() != heldMin {
		t.Errorf("%v, %d bytes held", err, r.held.Load())
	}
}

func TestLargeLimitsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, err := New(Options{Sites: func() *sites.Directory { return &sites.Directory{} }, Store: brokenStore{}, Log: zerolog.Nop()})
		if err != nil {
			t.Fatal(err)
		}
		end := make(chan struct{})
		go func() { _ = r.query(pageRows+1, func(context.Context) error { <-end; return nil }) }()
		synctest.Wait()
		if err := r.query(pageRows, func(context.Context) error { return nil }); err != nil {
			t.Errorf("a small one beside it: %v", err)
		}
		if err := r.query(pageRows+1, func(context.Context) error { return nil }); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a second large one: %v", err)
		}
		close(end)
	})
}
