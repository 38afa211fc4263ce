package reporter

import (
	"bytes"
	"embed"
	"html/template"
	"io"

	"github.com/valyala/fasthttp"
)

//go:embed templates
var templateFiles embed.FS

var (
	reportTemplate  = parsePage("report.html")
	sitesTemplate   = parsePage("sites.html")
	refusalTemplate = parsePage("refusal.html")
)

func parsePage(name string) *template.Template {
	return template.Must(template.ParseFS(templateFiles, "templates/layout.html", "templates/"+name))
}

// A page is what the layout needs around the body.
type page struct {
	Title   string
	Icon    string
	Style   string
	Script  string
	ECharts script
	Charts  bool    // the body has charts: load the scripts
	Inline  *inline // a page in a file of its own; nil for one of the server
	Body    any
}

// inline is a page's style and scripts, in the page itself.
type inline struct {
	Policy  string
	Style   template.CSS
	Scripts []template.JS
}

func (p page) write(w io.Writer, t *template.Template) error {
	return t.ExecuteTemplate(w, "layout.html", p)
}

// respond writes a page of the server.
func (r *Reporter) respond(ctx *fasthttp.RequestCtx, t *template.Template, p page) error {
	p.Icon, p.Style, p.Script = r.assets.address("icon.svg"), r.assets.address("style.css"), r.assets.address("report.js")
	p.ECharts = r.assets.echarts()
	var body bytes.Buffer
	if err := p.write(&body, t); err != nil {
		return err
	}
	ctx.SetContentType("text/html; charset=utf-8")
	return r.send(ctx, body.Bytes())
}
