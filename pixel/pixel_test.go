package pixel

import (
	"bytes"
	"image/gif"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"
)

// TestGIF lets the standard library read the image: one pixel, transparent.
func TestGIF(t *testing.T) {
	if len(GIF) != 43 {
		t.Errorf("%d bytes, want 43", len(GIF))
	}
	image, err := gif.Decode(bytes.NewReader(GIF))
	if err != nil {
		t.Fatal(err)
	}
	if size := image.Bounds().Size(); size.X != 1 || size.Y != 1 {
		t.Errorf("size %v", size)
	}
	if _, _, _, alpha := image.At(0, 0).RGBA(); alpha != 0 {
		t.Errorf("alpha is %d, want transparent", alpha)
	}
}

func TestWrite(t *testing.T) {
	var ctx fasthttp.RequestCtx
	Write(&ctx, 404, "unknown-site")
	r := &ctx.Response
	if r.StatusCode() != 404 || !bytes.Equal(r.Body(), GIF) || string(r.Header.ContentType()) != "image/gif" {
		t.Errorf("answer %v", r)
	}
	for name, want := range map[string]string{"Cache-Control": "no-store", "Access-Control-Allow-Origin": "*",
		"Cross-Origin-Resource-Policy": "cross-origin", "X-Precount": "unknown-site"} {
		if got := string(r.Header.Peek(name)); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	var counted fasthttp.RequestCtx
	Write(&counted, 200, "")
	if counted.Response.Header.Peek(ReasonHeader) != nil {
		t.Error("a counted hit has a reason")
	}
}

func TestSnippets(t *testing.T) {
	if got := Snippet("https://stats.example.org"); got !=
		`<img src="https://stats.example.org/pixel.gif" referrerpolicy="no-referrer-when-downgrade" width="1" height="1" alt="">` {
		t.Error(got)
	}
	got := PageSnippet("", "example.org", `/"><script>&`)
	if strings.Contains(got, "<script>") || !strings.Contains(got, "host=example.org&amp;path=%2F%22%3E%3Cscript%3E%26") {
		t.Error(got)
	}
}
