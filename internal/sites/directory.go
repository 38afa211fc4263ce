package sites

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// MaxSites is the most sites one installation registers.
const MaxSites = 10_000

// A Directory is a set of sites by all their names. It never changes; all methods are safe for concurrent use.
type Directory struct {
	hosts map[string]*Site // canonical hosts and aliases
	bases map[string]*Site
	all   []*Site // by host
}

// NewDirectory returns the directory of the sites, which must not change afterwards. It fails if two sites claim the same name.
func NewDirectory(all []*Site) (*Directory, error) {
	d, clashes := build(all)
	return d, errors.Join(clashes...)
}

// build returns the directory of the sites whose names nobody else claims, and an error for each of the others. Sites' own
// names go before aliases, and then sites in the order of their hosts.
func build(all []*Site) (*Directory, []error) {
	d := &Directory{hosts: make(map[string]*Site), bases: make(map[string]*Site)}
	var clashes []error
	sorted := slices.SortedFunc(slices.Values(all), func(a, b *Site) int { return strings.Compare(a.Host, b.Host) })
	for _, s := range sorted {
		switch other := d.hosts[s.Host]; {
		case other != nil:
			clashes = append(clashes, clash(s.Host, other, s))
		case len(d.all) == MaxSites:
			clashes = append(clashes, fmt.Errorf("%w: %q: at most %d sites are registered", ErrUnusable, s.Host, MaxSites))
		default:
			d.hosts[s.Host], d.bases[s.Base] = s, s
			d.all = append(d.all, s)
		}
	}
	for _, s := range d.all {
		for _, name := range s.Aliases {
			if other := d.hosts[name]; other != nil {
				clashes = append(clashes, clash(name, other, s))
				continue
			}
			d.hosts[name] = s
		}
	}
	return d, clashes
}

func clash(name string, other, s *Site) error {
	return fmt.Errorf("%w: host %q belongs to site %q and to site %q", ErrUnusable, name, other.Host, s.Host)
}

// ByHost returns the site with the canonical host or alias. It does not allocate.
func (d *Directory) ByHost(canonical []byte) *Site { return d.hosts[string(canonical)] }

// ByBase returns the site with the base. It does not allocate.
func (d *Directory) ByBase(base []byte) *Site { return d.bases[string(base)] }

// Find returns the site that a person means by host, in any spelling, or nil.
func (d *Directory) Find(host string) *Site {
	name, err := Canonical(host)
	if err != nil {
		return nil
	}
	return d.hosts[name]
}

// All returns the sites by host. The slice is shared: do not write to it.
func (d *Directory) All() []*Site { return d.all }
