package main

import (
	"bytes"
	_ "embed"
	"html/template"

	"github.com/valyala/fasthttp"

	"precount/pixel"
)

//go:embed demo.html
var demoText string

var demoTemplate = template.Must(template.New("demo").Parse(demoText))

// demoHost is the site that --demo registers.
const demoHost = "localhost"

// A demo is a small site that carries the pixel, to see one's own views counted.
type demo struct{ pages map[string][]byte }

var demoTitles = []struct{ Path, Title string }{
	{"/demo/", "Home"}, {"/demo/docs/", "Documentation"}, {"/demo/docs/install", "Installation"}, {"/demo/blog/hello", "Hello"},
}

func newDemo(asset func(name string) string) (*demo, error) {
	d := &demo{pages: make(map[string][]byte)}
	for _, page := range demoTitles {
		var b bytes.Buffer
		// The page is named in the address: the demo counts as localhost under whatever address it is opened.
		data := map[string]any{"Style": asset("style.css"), "Icon": asset("icon.svg"), "Title": page.Title, "Path": page.Path, "Pages": demoTitles, "Report": "/sites/" + demoHost,
			"Pixel": template.HTML(pixel.PageSnippet("", demoHost, page.Path)), "Snippet": pixel.PageSnippet("", demoHost, page.Path)}
		if err := demoTemplate.Execute(&b, data); err != nil {
			return nil, err
		}
		d.pages[page.Path] = b.Bytes()
	}
	return d, nil
}

func (d *demo) owns(path string) bool { return path == "/demo" || d.pages[path] != nil }

func (d *demo) serve(ctx *fasthttp.RequestCtx, path string) {
	if path == "/demo" {
		ctx.Redirect("/demo/", fasthttp.StatusFound)
		return
	}
	h := &ctx.Response.Header
	h.Set("Content-Security-Policy", "default-src 'none'; img-src 'self'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	ctx.SetContentType("text/html; charset=utf-8")
	ctx.SetBody(d.pages[path])
}
