package reporter

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// pageRows is the most rows that a report page offers to list; who wants more reads CSV or JSON.
const pageRows = 2500

// A link is an address with its text.
type link struct {
	Text    string
	Address string // "" if it leads nowhere
	Current bool   // it is what the page shows
}

// A linker makes the addresses of reports that differ in one thing from the report shown. The zero linker makes none,
// for pages that stand in a file of their own.
type linker struct {
	host   string
	query  Query
	params Params // as they came in: "7d" stays "7d"
}

// to returns the address with one parameter set, or taken away if value is "".
func (l linker) to(path, name, value string) string {
	if l.host == "" {
		return ""
	}
	values := url.Values{}
	set := func(name, value string) {
		values.Del(name)
		if value != "" {
			values.Set(name, value)
		}
	}
	set("from", l.params.From)
	set("to", l.params.To)
	set("by", l.params.By)
	set("prefix", l.params.Prefix)
	set("limit", l.params.Limit)
	set(name, value)
	return strings.TrimSuffix(path+"?"+values.Encode(), "?")
}

func (l linker) page() string { return "/sites/" + url.PathEscape(l.host) }

// prefix returns the report of the pages below path. Hours are not known there.
func (l linker) prefix(path string) string {
	if l.params.By == string(ByHour) {
		l.params.By = ""
	}
	if path == "/" {
		path = ""
	}
	return l.to(l.page(), "prefix", path)
}

// downloads returns the API's address of a panel's numbers.
func (l linker) downloads(name string) []link {
	if l.host == "" {
		return nil
	}
	path := apiPath + "/" + url.PathEscape(l.host) + "/" + name
	return []link{{Text: "CSV", Address: l.to(path, "format", "csv")}, {Text: "JSON", Address: l.to(path, "", "")}}
}

// ranges returns the ranges that are one click away.
func (l linker) ranges() []link {
	from := l.params.From
	if from == "" {
		from = defaultLength
	}
	var list []link
	for _, r := range []struct{ text, from string }{{"7 days", "7d"}, {"30 days", defaultLength}, {"12 months", "12mo"}} {
		other := l
		other.params.To = ""
		if r.from == "12mo" && other.params.By == string(ByHour) {
			other.params.By = ""
		}
		list = append(list, link{r.text, other.to(l.page(), "from", r.from), l.params.To == "" && from == r.from})
	}
	return list
}

// widths returns the series that can be shown for this range and prefix.
func (l linker) widths() []link {
	var list []link
	for _, by := range widths {
		q := l.query
		q.By = by
		if q.check() == nil {
			list = append(list, link{widthTitles[by], l.to(l.page(), "by", string(by)), l.query.By == by})
		}
	}
	return list
}

// crumbs returns the prefix, a link for each of its folders.
func (l linker) crumbs() []link {
	list := []link{{"All pages", l.prefix("/"), !l.query.hasPrefix()}}
	if !l.query.hasPrefix() {
		return list
	}
	folders := strings.SplitAfter(l.query.Prefix[1:], "/")
	path := "/"
	for _, folder := range folders {
		if folder != "" {
			path += folder
			list = append(list, link{printable(folder), l.prefix(path), path == l.query.Prefix})
		}
	}
	return list
}

// more returns the report with five times as many pages listed, or nil if these are all or enough for one page.
func (l linker) more(listed int, all bool) *link {
	next := 5 * listed
	if l.host == "" || all || listed < l.query.limit(pagesLimit) || next > pageRows {
		return nil
	}
	address := l.to(l.page(), "limit", strconv.Itoa(next))
	return &link{Text: fmt.Sprintf("Show %s pages", thousands(int64(next))), Address: address}
}
