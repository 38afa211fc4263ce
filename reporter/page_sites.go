package reporter

import (
	"net/url"
	"strings"

	"github.com/valyala/fasthttp"
)

const sitePath = "/sites/"

// sitesBody is the list of sites.
type sitesBody struct {
	Sites  []sitesLine
	Closed bool // there are sites, but none whose reports are open
}

type sitesLine struct{ Host, Address, TimeZone string }

// pages serves what is for people to look at.
func (r *Reporter) pages(ctx *fasthttp.RequestCtx, path string) error {
	if path == "/" {
		return r.sitesPage(ctx)
	}
	host, ok := strings.CutPrefix(path, sitePath)
	host = strings.TrimSuffix(host, "/")
	if !ok || host == "" || strings.Contains(host, "/") {
		return notFound(path)
	}
	return r.reportPage(ctx, host)
}

func (r *Reporter) sitesPage(ctx *fasthttp.RequestCtx) error {
	var body sitesBody
	for _, s := range r.visible() {
		body.Sites = append(body.Sites, sitesLine{s.Host, sitePath + url.PathEscape(s.Host), s.TimeZone})
	}
	body.Closed = len(body.Sites) == 0 && len(r.sites().All()) > 0
	return r.respond(ctx, sitesTemplate, page{Title: "Sites", Body: body})
}

// refusalBody is a page that says why there is no report.
type refusalBody struct {
	Title    string
	Refusal  *Refusal
	Back     string
	BackText string
}

var refusalTitles = map[Code]string{
	UnknownSite:      "Unknown site",
	LoginRequired:    "Closed reports",
	NotFound:         "Nothing here",
	MethodNotAllowed: "Not possible",
	StoreUnavailable: "No report just now",
}

func (r *Reporter) failPage(ctx *fasthttp.RequestCtx, refusal *Refusal) {
	body := refusalBody{refusalTitles[refusal.Code], refusal, "/", "All sites"}
	if body.Title == "" {
		body.Title, body.Back, body.BackText = "This report cannot be made", string(ctx.Path()), "The last 30 days"
	}
	if refusal.Code == StoreUnavailable {
		body.Back, body.BackText = string(ctx.RequestURI()), "Try again"
	}
	ctx.SetStatusCode(refusal.Status())
	if err := r.respond(ctx, refusalTemplate, page{Title: body.Title, Body: body}); err != nil {
		r.log.Error().Err(err).Msg("cannot write a page")
	}
}
