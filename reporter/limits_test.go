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
			go func() { errs <- r.query(wait) }()
		}
		synctest.Wait()
		turn <- struct{}{} // one ends, the last one begins
		if err := <-errs; err != nil {
			t.Error(err)
		}
		synctest.Wait()
		begun := time.Now()
		late := r.query(func(context.Context) error { return errors.New("began while all turns were taken") })
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
