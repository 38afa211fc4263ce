package sites

import (
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
	if len(all) > MaxSites {
		return nil, fmt.Errorf("%d sites are registered, at most %d", len(all), MaxSites)
	}
	d := &Directory{hosts: make(map[string]*Site), bases: make(map[string]*Site), all: slices.Clone(all)}
	slices.SortFunc(d.all, func(a, b *Site) int { return strings.Compare(a.Host, b.Host) })
	for _, s := range d.all {
		d.bases[s.Base] = s
		for _, name := range append([]string{s.Host}, s.Aliases...) {
			if other := d.hosts[name]; other != nil {
				return nil, fmt.Errorf("host %q belongs to site %q and to site %q", name, other.Host, s.Host)
			}
			d.hosts[name] = s
		}
	}
	return d, nil
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
