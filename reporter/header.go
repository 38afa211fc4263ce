package reporter

import "github.com/valyala/fasthttp"

const noStore = "no-store"

// policy returns the Content-Security-Policy: nothing but files of our own, no inline script or style, no frames, no
// plugins. The one other address is that of the very file of the CDN, not the CDN's origin, which serves anybody's
// scripts.
func policy(ownECharts bool) string {
	script := "'self'"
	if !ownECharts {
		script += " " + echartsCDN
	}
	return "default-src 'none'; script-src " + script + "; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
		"base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
}

// setHeaders sets what every answer carries. The referrer stays on our own pages, whose pixel needs it to name its page.
func (r *Reporter) setHeaders(h *fasthttp.ResponseHeader) {
	h.Set(fasthttp.HeaderContentSecurityPolicy, r.policy)
	h.Set(fasthttp.HeaderXContentTypeOptions, "nosniff")
	h.Set(fasthttp.HeaderReferrerPolicy, "same-origin")
	h.Set(fasthttp.HeaderCacheControl, noStore)
}
