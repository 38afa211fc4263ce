package retention

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"precount/internal/counters"
)

// A Rollup is what stays of one site and month: a record of counters.RollupsRecords, with the id "org.mongodb|2025-10". Its
// fields are part of the public contract.
type Rollup struct {
	Base     string          `json:"base"`
	Month    string          `json:"month"`
	Total    int64           `json:"total"`
	Days     []int64         `json:"days"`               // 28 to 31, day 1 first
	Sections []RollupSection `json:"sections"`           // of depth 1, most views first, what is too much as "/(other)"
	Visitors int64           `json:"visitors,omitempty"` // estimate over the month; 0: not known
}

// A RollupSection is one section of depth 1.
type RollupSection struct {
	Path  string `json:"path"`
	Total int64  `json:"total"`
}

// Bounds of a rollup, so that it stays far under 100 KB whatever visitors sent.
const (
	maxRollupSections = 100
	maxRollupBytes    = 32 << 10 // of all its sections' paths
	otherSection      = "/(other)"
)

// RollupID returns the id of the record that holds what stays of a site's month.
func RollupID(base string, m counters.Month) string { return base + "|" + m.String() }

// A gathering is one site's rollup in the making.
type gathering struct {
	hours, pages []int64 // views per day, by the one and by the other
	sections     []RollupSection
	registers    []byte
}

// rollups reads a month and returns what stays of it, by base.
func rollups(ctx context.Context, store Reader, m counters.Month) ([]Rollup, error) {
	sites := map[string]*gathering{}
	for _, kind := range []counters.Kind{counters.Hours, counters.Pages, counters.Sections, counters.Visitors} {
		for doc, err := range store.Scan(ctx, counters.Collection{Month: m, Kind: kind}, "") {
			if err != nil {
				return nil, err
			}
			g := sites[doc.Key.Base]
			if g == nil {
				g = &gathering{hours: make([]int64, m.Days()), pages: make([]int64, m.Days())}
				sites[doc.Key.Base] = g
			}
			g.add(doc)
		}
	}
	var all []Rollup
	for _, base := range slices.Sorted(maps.Keys(sites)) {
		all = append(all, sites[base].rollup(base, m))
	}
	return all, nil
}

func (g *gathering) add(doc counters.Document) {
	switch doc.Key.Collection.Kind {
	case counters.Hours:
		if day := doc.Key.Day; day <= len(g.hours) {
			g.hours[day-1] += doc.Total
		}
	case counters.Pages:
		for i, n := range doc.Counts {
			g.pages[i] += n
		}
	case counters.Sections:
		if doc.Key.Depth == 1 && doc.Total > 0 {
			g.sections = append(g.sections, RollupSection{doc.Key.Path, doc.Total})
		}
	case counters.Visitors:
		if g.registers == nil {
			g.registers = make([]byte, counters.Registers)
		}
		for i, n := range doc.Registers {
			g.registers[i] = max(g.registers[i], n)
		}
	}
}

// rollup takes the site's own series, as the reports do. A month that lacks it has its pages summed up instead: a dropped
// month must never read as one without views.
func (g *gathering) rollup(base string, m counters.Month) Rollup {
	r := Rollup{Base: base, Month: m.String(), Days: g.hours, Sections: bounded(g.sections), Visitors: estimate(g.registers)}
	if sum(g.hours) == 0 {
		r.Days = g.pages
	}
	r.Total = sum(r.Days)
	return r
}

func sum(values []int64) (total int64) {
	for _, n := range values {
		total += n
	}
	return total
}

// bounded returns the sections with the most views, the rest added to "/(other)".
func bounded(sections []RollupSection) []RollupSection {
	slices.SortFunc(sections, func(a, b RollupSection) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), strings.Compare(a.Path, b.Path))
	})
	kept, other, size := []RollupSection{}, int64(0), 0
	for _, s := range sections {
		size += len(s.Path)
		if s.Path == otherSection || len(kept) == maxRollupSections || size > maxRollupBytes {
			other += s.Total
			continue
		}
		kept = append(kept, s)
	}
	if other > 0 {
		kept = append(kept, RollupSection{otherSection, other})
	}
	return kept
}

// putRollup stores the rollup in place of any other one of that site and month.
func putRollup(ctx context.Context, records Records, m counters.Month, r Rollup) error {
	body, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return put(ctx, records, counters.RollupsRecords, RollupID(r.Base, m), body)
}

// put stores a record, whatever is there.
func put(ctx context.Context, records Records, collection, id string, body []byte) error {
	for {
		record, err := records.Get(ctx, collection, id)
		if errors.Is(err, counters.ErrNotFound) {
			record, err = counters.Record{ID: id}, nil
		}
		if err == nil {
			record.Body = body
			_, err = records.Put(ctx, collection, record)
		}
		if !errors.Is(err, counters.ErrConflict) {
			return err
		}
	}
}

// rollupsOf returns the records of all sites of a month.
func rollupsOf(ctx context.Context, records Records, m counters.Month) ([]counters.Record, error) {
	all, err := records.List(ctx, counters.RollupsRecords)
	if err != nil {
		return nil, fmt.Errorf("read the rollups: %w", err)
	}
	return slices.DeleteFunc(all, func(r counters.Record) bool { return !strings.HasSuffix(r.ID, "|"+m.String()) }), nil
}

// Rollups is where rollups are read.
type Rollups interface {
	// Get returns a record, or counters.ErrNotFound.
	Get(ctx context.Context, collection, id string) (counters.Record, error)
}

// ReadRollup returns what stays of a site's month, if it was put away.
func ReadRollup(ctx context.Context, records Rollups, base string, m counters.Month) (r Rollup, ok bool, err error) {
	record, err := records.Get(ctx, counters.RollupsRecords, RollupID(base, m))
	if errors.Is(err, counters.ErrNotFound) {
		return r, false, nil
	}
	if err == nil {
		err = json.Unmarshal(record.Body, &r)
	}
	return r, err == nil, err
}
