package reporter

import (
	"bytes"
	"sync"

	"github.com/valyala/fasthttp"
)

// Limits of what reports hold in memory until their clients have taken it.
const (
	MaxHeld = 128 << 20 // bytes of all answers together; one alone may be larger. Further ones are refused for the moment
	heldMin = 64 << 10  // bytes; smaller answers are not reckoned up: the server's connections bound them
)

// send gives an answer its body, which must not change any more.
func (r *Reporter) send(ctx *fasthttp.RequestCtx, body []byte) error {
	n := int64(cap(body)) // a buffer that grew may be twice as large as what is in it
	if n < heldMin {
		ctx.SetBody(body)
		return nil
	}
	if held := r.held.Add(n); held > MaxHeld && held > n {
		r.held.Add(-n)
		return refuse(StoreUnavailable, "too many large answers are on their way to other clients: try again, or ask for fewer rows")
	}
	// A stream, because the server closes it when the answer was sent or cannot be.
	ctx.SetBodyStream(&heldBody{Reader: bytes.NewReader(body), release: sync.OnceFunc(func() { r.held.Add(-n) })}, len(body))
	return nil
}

// A heldBody releases its room when it is closed.
type heldBody struct {
	*bytes.Reader
	release func()
}

func (b *heldBody) Close() error {
	b.release()
	return nil
}
