package reporter

import (
	"context"
	"errors"
	"strings"

	"github.com/valyala/fasthttp"
)

// Handle answers everything below "/", "/sites/", "/api/" and "/assets/". It does not keep ctx.
func (r *Reporter) Handle(ctx *fasthttp.RequestCtx) {
	path := string(ctx.Path())
	r.setHeaders(&ctx.Response.Header)
	fail, serve := r.failPage, r.pages
	if path == "/api" || strings.HasPrefix(path, "/api/") {
		fail, serve = r.failAPI, r.api
	}
	if strings.HasPrefix(path, assetsPath) {
		serve = r.assets.serve
	}
	if !ctx.IsGet() && !ctx.IsHead() {
		ctx.Response.Header.Set(fasthttp.HeaderAllow, "GET, HEAD")
		fail(ctx, refuse(MethodNotAllowed, "%.20s is not possible here: reports are read with GET", ctx.Method()))
		return
	}
	if err := serve(ctx, path); err != nil {
		fail(ctx, r.explain(path, err))
	}
}

// explain returns what to tell the client about err; what is not a *Refusal is logged and not told.
func (r *Reporter) explain(path string, err error) *Refusal {
	var refusal *Refusal
	if errors.As(err, &refusal) {
		return refusal
	}
	r.log.Error().Err(err).Str("path", path).Msg("cannot read a report")
	if errors.Is(err, context.DeadlineExceeded) {
		return refuse(StoreUnavailable, "the store did not answer within %s: try again, or ask for a shorter range", Deadline)
	}
	return refuse(StoreUnavailable, "the store cannot be read just now; the log of precount says why")
}

func notFound(path string) *Refusal {
	return refuse(NotFound, "nothing is at %.260q: reports are at /sites/HOST, the API is at /api/v1/sites", path)
}

// query runs answer, which reads the store and writes what is to be sent, with the deadline of a request, as one of at most
// MaxQueries. Of those with a limit beyond pageRows, which take memory, one runs at a time.
func (r *Reporter) query(limit int, answer func(context.Context) error) error {
	// Not derived from the RequestCtx: fasthttp uses that again for the next request, while package context may still
	// look at it.
	ctx, cancel := context.WithTimeout(context.Background(), Deadline)
	defer cancel()
	turns := []chan struct{}{r.queries}
	if limit > pageRows {
		turns = []chan struct{}{r.large, r.queries}
	}
	for _, turn := range turns {
		select {
		case turn <- struct{}{}:
			defer func() { <-turn }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return answer(ctx)
}

func params(ctx *fasthttp.RequestCtx) Params {
	args := ctx.QueryArgs()
	get := func(name string) string { return string(args.Peek(name)) }
	return Params{From: get("from"), To: get("to"), By: get("by"), Prefix: get("prefix"), Limit: get("limit")}
}
