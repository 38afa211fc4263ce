package collector

import (
	"fmt"

	"precount/internal/sites"
)

// PageOf returns the base of the site and the path under which a view of the page at an absolute address counts, below
// the caps.
func PageOf(d *sites.Directory, address string) (base, path string, err error) {
	s := newScratch()
	site, raw, v := s.findURL([]byte(address), d)
	if v == Counted {
		raw, v = appendPath(nil, raw, site.KeepQuery)
	}
	if v != Counted {
		return "", "", fmt.Errorf("a hit with this address is not counted: %s", v.Reason())
	}
	return site.Base, string(raw), nil
}
