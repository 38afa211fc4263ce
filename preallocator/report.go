package preallocator

import (
	"iter"

	"precount/internal/counters"
)

type (
	documents = iter.Seq2[counters.Document, error]
	ids       = iter.Seq2[string, error]
)

// A Report is what a preparation found and did.
type Report struct {
	Month       string       `json:"month"`
	Planned     int          `json:"planned"`  // documents that were missing
	Bytes       int          `json:"bytes"`    // they take, as an estimate
	Inserted    int          `json:"inserted"` // by this run; less than Planned if others were faster
	Collections []Collection `json:"collections"`
}

// A Collection is the part of a Report for one collection.
type Collection struct {
	Name      string `json:"name"` // with its database: "stats-2026.sites-dec"
	Documents int    `json:"documents"`
	Bytes     int    `json:"bytes"`
}

func newReport(m counters.Month) Report {
	r := Report{Month: m.String()}
	for _, kind := range preparedKinds {
		r.Collections = append(r.Collections, Collection{Name: counters.Collection{Month: m, Kind: kind}.String()})
	}
	return r
}

func (r *Report) plan(key counters.Key, bytes int) {
	for i, kind := range preparedKinds {
		if key.Collection.Kind == kind {
			r.Collections[i].Documents++
			r.Collections[i].Bytes += bytes
		}
	}
	r.Planned++
	r.Bytes += bytes
}

func (r *Report) insert(n int) { r.Inserted += n }

// byCollection yields the runs of keys that are of the same collection.
func byCollection(keys []counters.Key) iter.Seq2[counters.Collection, []counters.Key] {
	return func(yield func(counters.Collection, []counters.Key) bool) {
		for run := range chunkBy(keys, func(x, y counters.Key) bool { return x.Collection == y.Collection }) {
			if !yield(run[0].Collection, run) {
				return
			}
		}
	}
}

// chunkBy yields the runs of items of which each is alike the one before.
func chunkBy[T any](items []T, alike func(x, y T) bool) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		for from := 0; from < len(items); {
			to := from + 1
			for to < len(items) && alike(items[to-1], items[to]) {
				to++
			}
			if !yield(items[from:to:to]) {
				return
			}
			from = to
		}
	}
}
