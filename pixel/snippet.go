package pixel

import (
	"html"
	"net/url"
)

// The parameters of the pixel's address. The page is found by base and path, else host and path, else url, else by
// the Referer header. Parameters that are not named here are ignored.
const (
	ParamBase  = "base"  // site, reversed: org.mongodb
	ParamHost  = "host"  // site: mongodb.org
	ParamPath  = "path"  // page: /docs/
	ParamURL   = "url"   // page, whole: https://mongodb.org/docs/
	ParamRef   = "ref"   // where the visitor came from
	ParamTitle = "title" // the page's title
	ParamSize  = "size"  // screen width in pixels
	ParamEvent = "event" // name of an event; such a hit is no view
	ParamRnd   = "rnd"   // makes the address unique; ignored
)

// Snippet returns the line of HTML that a page carries to be counted. The browser names the page in the Referer header,
// so that the same line serves every page; the referrer policy asks for the whole address, not only for the origin.
func Snippet(server string) string {
	return `<img src="` + html.EscapeString(server+Path) +
		`" referrerpolicy="no-referrer-when-downgrade" width="1" height="1" alt="">`
}

// PageSnippet is Snippet for one named page, for mails, feeds and pages whose policy forbids a Referer.
func PageSnippet(server, host, path string) string {
	query := url.Values{ParamHost: {host}, ParamPath: {path}}.Encode()
	return `<img src="` + html.EscapeString(server+Path+"?"+query) + `" width="1" height="1" alt="">`
}
