package reporter

import (
	"context"
	"fmt"
	"strconv"

	"precount/internal/counters"
	"precount/internal/sites"
)

// A PathViews is one page or one section with its views.
type PathViews struct {
	Path  string `json:"path"`
	Views int64  `json:"views"`
}

// Pages is the most viewed pages; it is the answer of /pages.
type Pages struct {
	Total int64       `json:"total"` // of all pages under the prefix, not only those listed
	Pages []PathViews `json:"pages"` // most views first, then by path

	Gone []string `json:"detail_gone,omitempty"` // months whose pages retention dropped; without a prefix they are in Total
}

// Sections is the sections directly below a prefix; it is the answer of /sections.
type Sections struct {
	Sections []PathViews `json:"sections"` // most views first, then by path

	Gone []string `json:"detail_gone,omitempty"` // months whose sections here retention dropped
}

// ReadPages reads the pages with the most views.
func ReadPages(ctx context.Context, store Store, site *sites.Site, q Query) (Pages, error) {
	if err := q.check(); err != nil {
		return Pages{}, err
	}
	rolled, err := readRollups(ctx, store, site, q.Range)
	if err != nil {
		return Pages{}, err
	}
	return readPages(ctx, store, site, q, rolled)
}

func readPages(ctx context.Context, store Store, site *sites.Site, q Query, rolled rolledUp) (Pages, error) {
	rest := q.Prefix
	if rest != "" {
		rest = rest[1:] // IDPrefix ends with the slash that every path begins with
	}
	top, err := store.Top(ctx, counters.TopQuery{
		Kind:   counters.Pages,
		Spans:  rolled.detailed(q.Range.Spans()),
		Prefix: counters.IDPrefix(counters.Pages, site.Base) + rest,
		Limit:  q.limit(pagesLimit),
	})
	if err != nil {
		return Pages{}, fmt.Errorf("read the top pages of %s: %w", site.Host, err)
	}
	p := Pages{top.Total, paths(top.Rows), rolled.names()}
	if !q.hasPrefix() {
		p.Total += rolled.views(q.Range.Spans())
	}
	return p, nil
}

// ReadSections reads the sections whose path begins with the prefix and has one segment more: "/docs/" for "/",
// "/docs/intro/" for "/docs/" and for "/docs/in". Below depth counters.MaxDepth there are none.
func ReadSections(ctx context.Context, store Store, site *sites.Site, q Query) (Sections, error) {
	if err := q.check(); err != nil {
		return Sections{}, err
	}
	rolled, err := readRollups(ctx, store, site, q.Range)
	if err != nil {
		return Sections{}, err
	}
	return readSections(ctx, store, site, q, rolled)
}

func readSections(ctx context.Context, store Store, site *sites.Site, q Query, rolled rolledUp) (Sections, error) {
	limit := q.limit(sectionLimit)
	prefix := q.Prefix
	if prefix == "" {
		prefix = "/"
	}
	below := depth(prefix) + 1
	if below > counters.MaxDepth {
		return Sections{[]PathViews{}, nil}, nil
	}
	merge := len(rolled) > 0 && prefix == "/"
	if merge {
		limit = MaxLimit // whatever is far down here may be far up with the rolled-up months
	}
	top, err := store.Top(ctx, counters.TopQuery{
		Kind:   counters.Sections,
		Spans:  rolled.detailed(q.Range.Spans()),
		Prefix: counters.IDPrefix(counters.Sections, site.Base) + strconv.Itoa(below) + "|" + prefix,
		Limit:  limit,
	})
	if err != nil {
		return Sections{}, fmt.Errorf("read the sections of %s: %w", site.Host, err)
	}
	s := Sections{paths(top.Rows), rolled.names()}
	if merge {
		s.Sections, s.Gone = rolled.mergeSections(s.Sections, q.Range.Spans(), q.limit(sectionLimit))
	}
	return s, nil
}

func paths(rows []counters.Row) []PathViews {
	list := make([]PathViews, 0, len(rows))
	for _, row := range rows {
		list = append(list, PathViews{row.Key.Path, row.Views})
	}
	return list
}
