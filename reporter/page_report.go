package reporter

import (
	"context"

	"github.com/valyala/fasthttp"

	"precount/pixel"
)

// reportBody is a report as the template shows it.
type reportBody struct {
	Report   Report
	Total    string
	From, To string
	Linked   bool // the page leads to other reports
	Page     string
	Ranges   []link
	Widths   []link
	Crumbs   []link
	AllPages string
	Empty    bool
	Note     string // about months that were put away
	Snippet  string // what a page must carry to be counted; "" if the server's address is not known
	Panels   []panel
}

func newReportBody(r Report, to linker) (reportBody, error) {
	b := reportBody{Report: r, Total: counted(r.Views.Total), From: r.Views.From, To: r.Views.To, Note: goneNote(r.Views.RolledUp),
		Empty: r.Views.Total == 0 && len(r.Pages.Pages) == 0}
	if to.host != "" {
		b.Linked, b.Page, b.AllPages = true, to.page(), to.prefix("/")
		b.Ranges, b.Widths, b.Crumbs = to.ranges(), to.widths(), to.crumbs()
	}
	if b.Empty {
		return b, nil
	}
	for _, make := range panels {
		p, err := make(r, to)
		if err != nil {
			return b, err
		}
		b.Panels = append(b.Panels, p)
	}
	return b, nil
}

func (r *Reporter) reportPage(ctx *fasthttp.RequestCtx, host string) error {
	site, err := r.site(host)
	if err != nil {
		return err
	}
	typed := params(ctx)
	q, err := typed.Query(r.now(), site.Location())
	if err != nil {
		return err
	}
	q.Limit = min(q.Limit, pageRows)
	return r.query(q.Limit, func(c context.Context) error {
		report, err := Compile(c, r.store, site, q)
		if err != nil {
			return err
		}
		body, err := newReportBody(report, linker{site.Host, q, typed})
		if err != nil {
			return err
		}
		body.Snippet = pixel.Snippet(origin(ctx))
		return r.respond(ctx, reportTemplate, page{Title: site.Host, Charts: !body.Empty, Body: body})
	})
}

// origin returns the address of this server as the browser knows it. A proxy that ends TLS says so in a header; who
// forges it sees a wrong snippet on his own screen.
func origin(ctx *fasthttp.RequestCtx) string {
	scheme := "http://"
	if ctx.IsTLS() || string(ctx.Request.Header.Peek(fasthttp.HeaderXForwardedProto)) == "https" {
		scheme = "https://"
	}
	return scheme + string(ctx.Host())
}
