package main

import (
	"bytes"
	"errors"
	"net"
	"strings"

	"github.com/rs/zerolog"
	"github.com/valyala/fasthttp"

	"precount/collector"
	"precount/pixel"
	"precount/reporter"
)

// The limits of a request. How long one may take is the listener's to bound, and how many connections there may be.
const (
	maxHeader = 8 << 10
	maxBody   = 4 << 10 // nothing here reads one, and the server makes room for it as soon as it is announced
)

// A router knows which part of the program answers which request.
type router struct {
	collector *collector.Collector
	reporter  *reporter.Reporter
	demo      *demo // nil without --demo
}

func (r *router) server(connections int, log zerolog.Logger) *fasthttp.Server {
	return &fasthttp.Server{
		Handler:               r.route,
		Concurrency:           connections,
		ReadBufferSize:        maxHeader,
		MaxRequestBodySize:    maxBody,
		CloseOnShutdown:       true,
		NoDefaultServerHeader: true,
		ErrorHandler:          r.unread,
		Logger:                serverLog{connections, log},
	}
}

// route looks at the raw address first, because nearly every request is a hit.
func (r *router) route(ctx *fasthttp.RequestCtx) {
	if isPixel(ctx.Request.Header.RequestURI()) {
		r.collector.Pixel(ctx)
		return
	}
	switch path := string(ctx.Path()); {
	case path == pixel.Path: // in another spelling, as the absolute one that proxies use (RFC 9112, section 3.2.2)
		r.collector.Pixel(ctx)
	case path == "/healthz":
		ctx.SetBodyString("ok\n")
	case path == "/readyz":
		r.ready(ctx)
	case path == "/metrics":
		r.metrics(ctx)
	case r.demo != nil && r.demo.owns(path):
		r.demo.serve(ctx, path)
	default:
		r.reporter.Handle(ctx)
	}
}

func isPixel(uri []byte) bool {
	rest, ok := bytes.CutPrefix(uri, pixelPath)
	return ok && (len(rest) == 0 || rest[0] == '?')
}

var pixelPath = []byte(pixel.Path)

func (r *router) ready(ctx *fasthttp.RequestCtx) {
	if err := r.collector.Ready(); err != nil {
		ctx.Error(err.Error()+"\n", fasthttp.StatusServiceUnavailable)
		return
	}
	ctx.SetBodyString("ready\n")
}

func (r *router) metrics(ctx *fasthttp.RequestCtx) {
	ctx.SetContentType("text/plain; version=0.0.4; charset=utf-8")
	if err := r.collector.WriteMetrics(ctx); err != nil {
		ctx.Error(err.Error()+"\n", fasthttp.StatusInternalServerError)
	}
}

// unread answers a request that could not be read. One that is too large may be a hit with large cookies: it is answered
// and counted as a refused one.
func (r *router) unread(ctx *fasthttp.RequestCtx, err error) {
	status := fasthttp.StatusBadRequest
	var small *fasthttp.ErrSmallBuffer
	var timeout net.Error
	switch {
	case errors.As(err, &small):
		status = fasthttp.StatusRequestHeaderFieldsTooLarge
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		status = fasthttp.StatusRequestEntityTooLarge
	case errors.As(err, &timeout) && timeout.Timeout():
		status = fasthttp.StatusRequestTimeout
	}
	if status == fasthttp.StatusRequestHeaderFieldsTooLarge || status == fasthttp.StatusRequestEntityTooLarge {
		r.collector.RefuseUnread()
		pixel.Write(ctx, status, collector.TooLong.Reason())
		return
	}
	ctx.Error(fasthttp.StatusMessage(status)+"\n", status)
}

// A serverLog passes on that connections are refused because too many are open, which the server says once a minute at the
// most. Its other lines are about what single clients sent, which an answer told them already.
type serverLog struct {
	connections int
	log         zerolog.Logger
}

func (l serverLog) Printf(format string, _ ...any) {
	if strings.HasPrefix(format, "The incoming connection cannot be served") {
		l.log.Warn().Int("connections", l.connections).
			Msg("refusing connections with 503: so many are open as this server serves; the limit of open files (ulimit -n) may be too low")
	}
}
