package sites

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"precount/internal/counters"
)

// Records is where sites are kept: the collection counters.SitesRecords of a store.
type Records interface {
	// List returns all records of a collection.
	List(ctx context.Context, collection string) ([]counters.Record, error)
	// Put stores a record if its Rev is still the stored one (0: if there is none), else counters.ErrConflict.
	Put(ctx context.Context, collection string, r counters.Record) (counters.Record, error)
	// Delete removes a record if its Rev is still the stored one.
	Delete(ctx context.Context, collection, id string, rev int64) error
}

// Errors of Registry, wrapped with the host in question.
var (
	ErrUnknown = errors.New("no such site")
	ErrExists  = errors.New("site is registered already")
	// ErrUnusable says that a site is stored in a way that cannot be used: repair it with site set, or remove it.
	ErrUnusable = errors.New("site is left out")
)

// RefreshEvery is how long a change made by another process may stay unseen.
const RefreshEvery = 2 * time.Second

// A Registry is the Directory as last read from the store. All methods are safe for concurrent use.
type Registry struct {
	records Records
	copied  string // file; see KeepCopy

	mu      sync.Mutex        // one Refresh at a time
	stored  []counters.Record // as last read; guarded by mu
	current atomic.Pointer[Directory]
}

// NewRegistry returns a Registry that knows no site until Refresh.
func NewRegistry(records Records) *Registry {
	r := &Registry{records: records}
	r.current.Store(&Directory{})
	return r
}

// Directory returns the sites as last read; it does not block.
func (r *Registry) Directory() *Directory { return r.current.Load() }

// Refresh reads the sites from the store. If it cannot, the Directory stays as it was. If it can, but some sites are not
// usable as they are stored, the others are in the Directory, and the error is ErrUnusable and names those that are not.
func (r *Registry) Refresh(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	records, err := r.records.List(ctx, counters.SitesRecords)
	if err != nil {
		return fmt.Errorf("read the sites: %w", err)
	}
	return r.adopt(records)
}

// adopt makes the records the current sites. The caller holds mu.
func (r *Registry) adopt(records []counters.Record) error {
	var problems []error
	old := r.current.Load()
	all, changed := make([]*Site, 0, len(records)), len(records) != len(old.all)
	for _, record := range records {
		// A site that did not change keeps its value, with the hour it remembers.
		if s := old.hosts[record.ID]; s != nil && s.Host == record.ID && s.rev == record.Rev {
			all = append(all, s)
			continue
		}
		// One record that cannot be used, or one name that two sites claim, must not take the other sites with it.
		s, err := fromRecord(record)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		all, changed = append(all, s), true
	}
	next, clashes := build(all)
	r.current.Store(next)
	if changed {
		problems = append(problems, r.writeCopy(records))
	}
	r.stored = records
	return errors.Join(append(problems, clashes...)...)
}

// Run refreshes every RefreshEvery until ctx ends; failed is called with each error, and must rate-limit itself.
func (r *Registry) Run(ctx context.Context, failed func(error)) {
	tick := time.NewTicker(RefreshEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			before := len(r.Directory().all)
			err := r.Refresh(ctx)
			if err == nil && before > 0 && len(r.Directory().all) == 0 {
				err = fmt.Errorf("no site is registered any more, there were %d: all hits are refused until one is added; "+
					"if somebody took precount.db away, put it back and start again", before)
			}
			if err != nil && ctx.Err() == nil {
				failed(err)
			}
		}
	}
}

// Add registers a site. The error is ErrExists if one of its names is taken.
func (r *Registry) Add(ctx context.Context, s *Site) error {
	if err := r.Refresh(ctx); err != nil && !errors.Is(err, ErrUnusable) {
		return err
	}
	if other := r.Directory().Find(s.Host); other != nil {
		return fmt.Errorf("%q: %w", other.Host, ErrExists)
	}
	return r.put(ctx, s)
}

// Change reads the site host, lets change set its settings, and stores it; if another process stored it in between, it
// begins again. It returns the site as stored.
func (r *Registry) Change(ctx context.Context, host string, change func(*Site) error) (*Site, error) {
	for {
		s, err := r.named(ctx, host)
		if err != nil {
			return nil, err
		}
		if err := change(s); err != nil {
			return nil, err
		}
		if err := r.put(ctx, s); !errors.Is(err, counters.ErrConflict) {
			return s, err
		}
	}
}

// Remove takes a site out of the registry; what was counted stays until retention drops it.
func (r *Registry) Remove(ctx context.Context, host string) (*Site, error) {
	s, err := r.named(ctx, host)
	if err != nil {
		return nil, err
	}
	if err := r.records.Delete(ctx, counters.SitesRecords, s.Host, s.rev); err != nil {
		return nil, err
	}
	return s, r.usable(r.Refresh(ctx))
}

// named reads the sites and returns a copy of the one that host means, also if it is stored in a way that cannot be used.
func (r *Registry) named(ctx context.Context, host string) (*Site, error) {
	if err := r.usable(r.Refresh(ctx)); err != nil {
		return nil, err
	}
	if s := r.Directory().Find(host); s != nil {
		return s.clone(), nil
	}
	name, err := Canonical(host)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, record := range r.stored {
		if record.ID == name {
			return repairable(record), nil
		}
	}
	return nil, fmt.Errorf("%q: %w", host, ErrUnknown)
}

// usable leaves out the error about sites that are not: a command on another site goes on.
func (r *Registry) usable(err error) error {
	if errors.Is(err, ErrUnusable) {
		return nil
	}
	return err
}

// put stores s if no other site has one of its names.
func (r *Registry) put(ctx context.Context, s *Site) error {
	directory := r.Directory()
	for _, name := range append([]string{s.Host}, s.Aliases...) {
		if other := directory.hosts[name]; other != nil && other.Host != s.Host {
			return fmt.Errorf("host %q belongs to site %q already", name, other.Host)
		}
	}
	if len(directory.all) >= MaxSites && directory.Find(s.Host) == nil {
		return fmt.Errorf("%d sites are registered, no more can be", MaxSites)
	}
	record, err := s.record()
	if err != nil {
		return err
	}
	if _, err := r.records.Put(ctx, counters.SitesRecords, record); err != nil {
		return fmt.Errorf("store site %q: %w", s.Host, err)
	}
	return r.usable(r.Refresh(ctx))
}

func (s *Site) clone() *Site {
	return &Site{Host: s.Host, Base: s.Base, TimeZone: s.TimeZone, Aliases: s.Aliases, KeepQuery: s.KeepQuery,
		Public: s.Public, DNT: s.DNT, rev: s.rev, location: s.location}
}
