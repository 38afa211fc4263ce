package collector

import (
	"precount/internal/sites"
)

// A hit is one view as its request tells it, before it is known when and under which caps it counts.
type hit struct {
	site *sites.Site
	path []byte // canonical; stands in the scratch that parsed it
}

// A scratch is the room in which one request is parsed. It is not safe for concurrent use; its buffers grow to a few
// times the longest request line the server takes.
type scratch struct {
	decoded []byte
	host    []byte
	path    []byte
	record  []byte
}

func newScratch() *scratch {
	return &scratch{decoded: make([]byte, 0, 2048), host: make([]byte, 0, 256),
		path: make([]byte, 0, 4096), record: make([]byte, 0, 2048)}
}

// parse makes a hit of a request's raw query and its Referer header: pure, but for the buffers of s. The hit is valid
// until s parses again.
func (s *scratch) parse(rawQuery, referer []byte, directory *sites.Directory) (hit, Verdict) {
	q, buf, v := parseQuery(rawQuery, s.decoded[:0])
	s.decoded = buf
	if v != Counted {
		return hit{}, v
	}
	site, path, v := s.findPage(q, referer, directory)
	if v != Counted {
		return hit{}, v
	}
	s.path, v = appendPath(s.path[:0], path, site.KeepQuery)
	if v == Counted && len(q.event) > 0 {
		v = IgnoredEvent // events are not counted yet, and must not pass for views
	}
	return hit{site, s.path}, v
}

// findPage takes the first way of naming a page that the query offers, in the order of INTERFACE.md.
func (s *scratch) findPage(q query, referer []byte, directory *sites.Directory) (*sites.Site, []byte, Verdict) {
	switch {
	case q.base != nil && q.path != nil:
		site, v := s.siteByBase(q.base, directory)
		return site, q.path, v
	case q.host != nil && q.path != nil:
		site, v := s.siteByHost(q.host, directory)
		return site, q.path, v
	case q.url != nil:
		return s.findURL(q.url, directory)
	case q.base != nil || q.host != nil || q.path != nil || len(referer) == 0:
		return nil, nil, NoPage
	}
	return s.findURL(referer, directory)
}

func (s *scratch) findURL(url []byte, directory *sites.Directory) (*sites.Site, []byte, Verdict) {
	host, path, v := splitURL(url)
	if v != Counted {
		return nil, nil, v
	}
	site, v := s.siteByHost(host, directory)
	if len(path) == 0 || path[0] != '/' {
		start := len(s.decoded)
		s.decoded = append(append(s.decoded, '/'), path...)
		path = s.decoded[start:]
	}
	return site, path, v
}

// siteByHost finds most names as they stand: a canonical spelling is its own.
func (s *scratch) siteByHost(host []byte, directory *sites.Directory) (*sites.Site, Verdict) {
	if site := directory.ByHost(host); site != nil {
		return site, Counted
	}
	var err error
	if s.host, err = sites.AppendCanonical(s.host[:0], host); err != nil {
		return nil, BadSite
	}
	return known(directory.ByHost(s.host))
}

// siteByBase takes a base as it stands in the documents; one that is in no site's spelling is looked at as a host name
// only to tell a wrong name from an unknown one.
func (s *scratch) siteByBase(base []byte, directory *sites.Directory) (*sites.Site, Verdict) {
	if site := directory.ByBase(base); site != nil {
		return site, Counted
	}
	if _, err := sites.AppendCanonical(s.host[:0], base); err != nil {
		return nil, BadSite
	}
	return nil, UnknownSite
}

func known(site *sites.Site) (*sites.Site, Verdict) {
	if site == nil {
		return nil, UnknownSite
	}
	return site, Counted
}
