package reporter

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/valyala/fasthttp"

	"precount/internal/sites"
)

const apiPath = "/api/v1/sites"

// endpoints are the reports of one site by their last path segment.
var endpoints = map[string]func(context.Context, Store, *sites.Site, Query) (rows, error){
	"views": func(c context.Context, s Store, site *sites.Site, q Query) (rows, error) {
		return ReadViews(c, s, site, q)
	},
	"pages": func(c context.Context, s Store, site *sites.Site, q Query) (rows, error) {
		return ReadPages(c, s, site, q)
	},
	"sections": func(c context.Context, s Store, site *sites.Site, q Query) (rows, error) {
		return ReadSections(c, s, site, q)
	},
}

// siteList is the answer of /sites: those whose reports the client may read.
type siteList struct {
	Sites []siteEntry `json:"sites"`
}

type siteEntry struct {
	Host     string `json:"host"`
	Base     string `json:"base"`
	TimeZone string `json:"timezone"`
}

func (l siteList) records() [][]string {
	all := [][]string{{"host", "base", "timezone"}}
	for _, s := range l.Sites {
		all = append(all, []string{s.Host, s.Base, s.TimeZone})
	}
	return all
}

func (r *Reporter) api(ctx *fasthttp.RequestCtx, path string) error {
	rest, ok := strings.CutPrefix(path, apiPath)
	if ok && rest == "" {
		list := siteList{[]siteEntry{}}
		for _, s := range r.visible() {
			list.Sites = append(list.Sites, siteEntry{s.Host, s.Base, s.TimeZone})
		}
		return r.answer(ctx, list, "sites")
	}
	host, name, _ := strings.Cut(strings.TrimPrefix(rest, "/"), "/")
	read := endpoints[name]
	if !ok || rest[0] != '/' || read == nil {
		return notFound(path)
	}
	site, err := r.site(host)
	if err != nil {
		return err
	}
	q, err := params(ctx).Query(r.now(), site.Location())
	if err != nil {
		return err
	}
	return r.query(q.Limit, func(c context.Context) error {
		got, err := read(c, r.store, site, q)
		if err != nil {
			return err
		}
		return r.answer(ctx, got, fmt.Sprintf("%s-%s-%s-%s", site.Host, name, q.Range.From, q.Range.To))
	})
}

// answer writes JSON or, if asked for, CSV with the file name that a browser saves it under.
func (r *Reporter) answer(ctx *fasthttp.RequestCtx, got rows, file string) error {
	ctx.Response.Header.Set(fasthttp.HeaderVary, fasthttp.HeaderAccept)
	format, err := format(ctx)
	if err != nil {
		return err
	}
	var body bytes.Buffer
	if format == CSV {
		ctx.SetContentType("text/csv; charset=utf-8")
		ctx.Response.Header.Set(fasthttp.HeaderContentDisposition, `attachment; filename="`+file+`.csv"`)
		err = writeCSV(&body, got)
	} else {
		ctx.SetContentType("application/json; charset=utf-8")
		err = json.NewEncoder(&body).Encode(got)
	}
	if err != nil {
		return err
	}
	return r.send(ctx, body.Bytes())
}

// format returns what the client asks for: the parameter wins, else the first of JSON and CSV in Accept.
func format(ctx *fasthttp.RequestCtx) (Format, error) {
	if f := Format(ctx.QueryArgs().Peek("format")); f != "" {
		return f, checkFormat(f, []Format{JSON, CSV})
	}
	for accepted := range strings.SplitSeq(string(ctx.Request.Header.Peek(fasthttp.HeaderAccept)), ",") {
		kind, _, _ := strings.Cut(accepted, ";")
		switch strings.ToLower(strings.TrimSpace(kind)) {
		case "text/csv":
			return CSV, nil
		case "application/json":
			return JSON, nil
		}
	}
	return JSON, nil
}

func (r *Reporter) failAPI(ctx *fasthttp.RequestCtx, refusal *Refusal) {
	var body bytes.Buffer
	// A map of strings cannot fail to be encoded.
	_ = json.NewEncoder(&body).Encode(map[string]*Refusal{"error": refusal})
	ctx.Response.Header.Del(fasthttp.HeaderContentDisposition)
	ctx.SetStatusCode(refusal.Status())
	ctx.SetContentType("application/json; charset=utf-8")
	ctx.SetBody(body.Bytes())
}
