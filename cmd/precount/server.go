package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/valyala/fasthttp"

	"precount/collector"
	"precount/pixel"
	"precount/reporter"
)

// The limits of the HTTP server. A connection that sends nothing costs a goroutine and a read buffer, so that even
// maxConnections of them stay within about 300 MB; a client that sends slowly is cut off after readTimeout.
const (
	maxConnections = 20_000
	readTimeout    = 20 * time.Second // of one request; and how long a connection may wait for its next one
	writeTimeout   = 20 * time.Second
	maxHeader      = 8 << 10
	maxBody        = 64 << 10
)

// A router knows which part of the program answers which request.
type router struct {
	collector *collector.Collector
	reporter  *reporter.Reporter
	demo      *demo // nil without --demo
}

func (r *router) server() *fasthttp.Server {
	return &fasthttp.Server{
		Handler:               r.route,
		Concurrency:           maxConnections,
		ReadTimeout:           readTimeout,
		WriteTimeout:          writeTimeout,
		ReadBufferSize:        maxHeader,
		MaxRequestBodySize:    maxBody,
		TCPKeepalive:          true,
		CloseOnShutdown:       true,
		NoDefaultServerHeader: true,
		ErrorHandler:          tooMuch,
		Logger:                quiet{},
	}
}

// route looks at the raw address first, because nearly every request is a hit.
func (r *router) route(ctx *fasthttp.RequestCtx) {
	if isPixel(ctx.Request.Header.RequestURI()) {
		r.collector.Pixel(ctx)
		return
	}
	switch path := string(ctx.Path()); {
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

// listen opens the address, with an error that says what to do.
func listen(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w; is another program using the port? choose another with --listen", address, err)
	}
	return lazyListener{l}, nil
}

// tooMuch answers a request that could not be read.
func tooMuch(ctx *fasthttp.RequestCtx, err error) {
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
	ctx.Error(fasthttp.StatusMessage(status)+"\n", status)
}

// quiet drops the server's own log lines: they are about what single clients sent, which an answer told them already.
type quiet struct{}

func (quiet) Printf(string, ...any) {}
