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
}

// Sections is the sections directly below a prefix; it is the answer of /sections.
type Sections struct {
	Sections []PathViews `json:"sections"` // most views first, then by path
}

// ReadPages reads the pages with the most views.
func ReadPages(ctx context.Context, store Store, site *sites.Site, q Query) (Pages, error) {
	if err := q.check(); err != nil {
		return Pages{}, err
	}
	rest := q.Prefix
	if rest != "" {
		rest = rest[1:] // IDPrefix ends with the slash that every path begins with
	}
	top, err := store.Top(ctx, counters.TopQuery{
		Kind:   counters.Pages,
		Spans:  q.Range.Spans(),
		Prefix: counters.IDPrefix(counters.Pages, site.Base) + rest,
		Limit:  q.limit(pagesLimit),
	})
	if err != nil {
		return Pages{}, fmt.Errorf("read the top pages of %s: %w", site.Host, err)
	}
	return Pages{top.Total, paths(top.Rows)}, nil
}

// ReadSections reads the sections whose path begins with the prefix and has one segment more: "/docs/" for "/",
// "/docs/intro/" for "/docs/" and for "/docs/in". Below depth counters.MaxDepth there are none.
func ReadSections(ctx context.Context, store Store, site *sites.Site, q Query) (Sections, error) {
	if err := q.check(); err != nil {
		return Sections{}, err
	}
	prefix := q.Prefix
	if prefix == "" {
		prefix = "/"
	}
	below := depth(prefix) + 1
	if below > counters.MaxDepth {
		return Sections{[]PathViews{}}, nil
	}
	top, err := store.Top(ctx, counters.TopQuery{
		Kind:   counters.Sections,
		Spans:  q.Range.Spans(),
		Prefix: counters.IDPrefix(counters.Sections, site.Base) + strconv.Itoa(below) + "|" + prefix,
		Limit:  q.limit(sectionLimit),
	})
	if err != nil {
		return Sections{}, fmt.Errorf("read the sections of %s: %w", site.Host, err)
	}
	return Sections{paths(top.Rows)}, nil
}

func paths(rows []counters.Row) []PathViews {
	list := make([]PathViews, 0, len(rows))
	for _, row := range rows {
		list = append(list, PathViews{row.Key.Path, row.Views})
	}
	return list
}
