package main

import (
	"net"

	"github.com/valyala/fasthttp"

	"precount/pixel"
)

// bare is the floor: a fasthttp server that answers the pixel's GIF with the pixel's headers, and does nothing else.
func bare(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := fasthttp.Server{NoDefaultServerHeader: true, Handler: func(ctx *fasthttp.RequestCtx) {
		pixel.Write(ctx, fasthttp.StatusOK, "")
	}}
	return server.Serve(l)
}
