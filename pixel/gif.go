package pixel

import "github.com/valyala/fasthttp"

// Path is the address of the pixel.
const Path = "/pixel.gif"

// GIF is a transparent image of one pixel in 43 bytes (GIF89a specification, sections 17 to 27): header, a screen of 1x1
// with a palette of two colours, a graphic control extension that makes the first of them transparent, one image
// with one LZW-coded pixel, trailer.
var GIF = []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\x00\x00\x00" +
	"\x21\xf9\x04\x01\x00\x00\x00\x00" +
	"\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00\x3b")

// ReasonHeader names the header that says why a hit was not counted.
const ReasonHeader = "X-Precount"

// Write answers with the GIF and the headers that every answer of the pixel carries: not to be stored by anybody, and
// usable by pages of any origin, also by those that are isolated (Cross-Origin-Embedder-Policy).
func Write(ctx *fasthttp.RequestCtx, status int, reason string) {
	r := &ctx.Response
	r.SetStatusCode(status)
	r.Header.SetContentType("image/gif")
	r.Header.SetCanonical(cacheControl, noStore)
	r.Header.SetCanonical(allowOrigin, anyOrigin)
	r.Header.SetCanonical(resourcePolicy, crossOrigin)
	if reason != "" {
		r.Header.Set(ReasonHeader, reason)
	}
	r.SetBodyRaw(GIF)
}

var (
	cacheControl   = []byte("Cache-Control")
	noStore        = []byte("no-store")
	allowOrigin    = []byte("Access-Control-Allow-Origin")
	anyOrigin      = []byte("*")
	resourcePolicy = []byte("Cross-Origin-Resource-Policy")
	crossOrigin    = []byte("cross-origin")
)
