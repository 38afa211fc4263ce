package collector

import (
	"fmt"
	"testing"

	"github.com/valyala/fasthttp"
)

// BenchmarkPixel is the server's part of a hit without its network: what a request costs beside fasthttp.
func BenchmarkPixel(b *testing.B) {
	p := newPipeline(b, site(b, "example.org", "UTC"))
	p.close()
	p.journalMax = 128 << 20
	p.open()
	requests := pixelRequests(10_000)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		p.Pixel(requests[i%len(requests)])
		if i%50_000 == 49_999 {
			b.StopTimer()
			p.mustFlush()
			b.StartTimer()
		}
	}
}

func BenchmarkTakeParallel(b *testing.B) {
	p := newPipeline(b, site(b, "example.org", "UTC"))
	p.close()
	p.journalMax = 1 << 33
	p.open()
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		requests := pixelRequests(1000)
		for i := 0; pb.Next(); i++ {
			p.count(requests[i%len(requests)])
		}
	})
}

// pixelRequests returns n hits, each on a page of its own.
func pixelRequests(n int) []*fasthttp.RequestCtx {
	requests := make([]*fasthttp.RequestCtx, n)
	for i := range requests {
		var request fasthttp.Request
		request.SetRequestURI(fmt.Sprintf("/pixel.gif?host=example.org&path=%%2Fsection-%d%%2Fpage-%d%%2F", i%97, i))
		request.Header.Set("Referer", "https://example.org/")
		requests[i] = &fasthttp.RequestCtx{}
		requests[i].Init(&request, nil, nil)
	}
	return requests
}
