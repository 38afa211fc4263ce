package sites

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"precount/internal/counters"
	"precount/internal/wholefile"
)

// KeepCopy makes the registry write the sites to a file whenever they change, so that a process that starts while the
// store is away knows them. Call it before the first Refresh.
func (r *Registry) KeepCopy(file string) { r.copied = file }

func (r *Registry) writeCopy(records []counters.Record) error {
	if r.copied == "" {
		return nil
	}
	content, err := json.Marshal(records)
	if err == nil {
		err = wholefile.Write(r.copied, content, 0o600)
	}
	if err != nil {
		return fmt.Errorf("copy the sites to %s: %w", r.copied, err)
	}
	return nil
}

// LoadCopy takes the sites from the copy, as they were last seen by a process on this directory. Without a copy it does
// nothing.
func (r *Registry) LoadCopy() error {
	content, err := os.ReadFile(r.copied)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var records []counters.Record
	if err == nil {
		err = json.Unmarshal(content, &records)
	}
	if err != nil {
		return fmt.Errorf("copy of the sites in %s: %w; it is made anew once the store answers, so you may remove it", r.copied, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.adopt(records)
}

// Expect makes sites known that are not in the store yet, until the next Refresh: a first start while the store is away
// must not refuse their hits.
func (r *Registry) Expect(expected []*Site) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := append([]*Site{}, r.current.Load().all...)
	for _, s := range expected {
		if r.current.Load().hosts[s.Host] == nil {
			all = append(all, s)
		}
	}
	next, err := NewDirectory(all)
	if err == nil {
		r.current.Store(next)
	}
	return err
}
