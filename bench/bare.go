package main

import (
	"fmt"
	"net"

	"github.com/valyala/fasthttp"

	"precount/pixel"
)

// bare is the floor: a fasthttp server that answers the pixel's GIF with the pixel's headers, and does nothing else.
func bare() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", l.Addr())
	server := fasthttp.Server{NoDefaultServerHeader: true, Handler: func(ctx *fasthttp.RequestCtx) {
		pixel.Write(ctx, fasthttp.StatusOK, "")
	}}
	return server.Serve(l)
}
