package reporter

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"precount/internal/sites"
)

// Options of a Reporter. Sites and Store are needed.
type Options struct {
	Sites func() *sites.Directory // the sites as they are now
	Store Store
	Open  bool             // reports of all sites without a login (--open-reports); else only of public sites
	Now   func() time.Time // nil: time.Now
	Log   zerolog.Logger
}

// Limits of serving, so that reports cannot starve the collector in the same process.
const (
	Deadline   = 10 * time.Second // of one request, waiting included
	MaxQueries = 8                // requests that are worked on at one time; further ones wait
)

// A Reporter serves reports. All methods are safe for concurrent use.
type Reporter struct {
	sites   func() *sites.Directory
	store   Store
	open    bool
	now     func() time.Time
	log     zerolog.Logger
	assets  *assets
	policy  string        // Content-Security-Policy of all answers
	queries chan struct{} // one token for each request that is worked on
	large   chan struct{} // one token for one that lists more than pageRows
	held    atomic.Int64  // bytes of large answers that are being sent
}

// New returns a Reporter. It logs a warning if ECharts is not in the binary.
func New(o Options) (*Reporter, error) {
	if o.Sites == nil || o.Store == nil {
		return nil, errors.New("reporter: Sites and Store are needed")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	a, err := embedded()
	if err != nil {
		return nil, err
	}
	warnIfRemote(a, o.Log)
	return &Reporter{sites: o.Sites, store: o.Store, open: o.Open, now: o.Now, assets: a,
		// During an outage every reload of a page would log the same error.
		log:    o.Log.Sample(&zerolog.BurstSampler{Burst: 3, Period: 10 * time.Second}),
		policy: policy(a.hasECharts()), queries: make(chan struct{}, MaxQueries), large: make(chan struct{}, 1)}, nil
}

// mayRead reports whether anybody may read the reports of s.
func (r *Reporter) mayRead(s *sites.Site) bool { return r.open || s.Public }

// visible returns the sites whose reports anybody may read, by host.
func (r *Reporter) visible() []*sites.Site {
	var list []*sites.Site
	for _, s := range r.sites().All() {
		if r.mayRead(s) {
			list = append(list, s)
		}
	}
	return list
}

// site returns the site that is called host, in any spelling, or a *Refusal.
func (r *Reporter) site(host string) (*sites.Site, error) {
	s := r.sites().Find(host)
	if s == nil {
		return nil, refuse(UnknownSite, "no site %.260q is registered here: `precount site add HOST` adds one, "+
			"`precount site list` names all", host)
	}
	if !r.mayRead(s) {
		return nil, refuse(LoginRequired, "the reports of %s are closed: start precount with --open-reports to open all, or run "+
			"`precount site set %s public=true` to open these", s.Host, s.Host)
	}
	return s, nil
}
