package reporter

import (
	"net"
	"testing"

	"github.com/valyala/fasthttp"
)

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
