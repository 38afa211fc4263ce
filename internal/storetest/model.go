package storetest

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"precount/internal/counters"
)

// A model is what a store should hold, as plainly as can be: for each collection that exists, its documents.
type model map[counters.Collection]map[counters.Key]fields

type fields map[counters.Field]int64

func (m model) document(k counters.Key) fields {
	m.create(k.Collection)
	if m[k.Collection][k] == nil {
		m[k.Collection][k] = fields{}
	}
	return m[k.Collection][k]
}

func (m model) create(c counters.Collection) {
	if m[c] == nil {
		m[c] = map[counters.Key]fields{}
	}
}

func (m model) apply(updates []counters.Update) {
	for _, u := range updates {
		doc := m.document(u.Key)
		for _, d := range u.Inc {
			doc[d.Field] += d.N
		}
		for _, d := range u.Max {
			doc[d.Field] = max(doc[d.Field], d.N)
		}
	}
}

// documents returns what Scan should.
func (m model) documents(c counters.Collection, prefix string) []counters.Document {
	var docs []counters.Document
	for key, values := range m[c] {
		if !strings.HasPrefix(key.ID(), prefix) {
			continue
		}
		doc := counters.Document{Key: key}
		if c.Kind == counters.Visitors {
			doc.Registers = make([]byte, counters.Registers)
			for i := range doc.Registers {
				doc.Registers[i] = byte(values[counters.Register(i)])
			}
		} else {
			doc.Total = values[counters.Total]
			for _, field := range c.Counters()[1:] {
				doc.Counts = append(doc.Counts, values[field])
			}
		}
		docs = append(docs, doc)
	}
	slices.SortFunc(docs, func(a, b counters.Document) int { return strings.Compare(a.Key.ID(), b.Key.ID()) })
	return docs
}

// top returns what Top should.
func (m model) top(q counters.TopQuery) counters.Top {
	views, keys := map[string]int64{}, map[string]counters.Key{}
	var top counters.Top
	for _, span := range q.Spans {
		for _, doc := range m.documents(counters.Collection{Month: span.Month, Kind: q.Kind}, q.Prefix) {
			for _, n := range doc.Counts[span.From-1 : span.To] {
				views[doc.Key.ID()] += n
				top.Total += n
			}
			keys[doc.Key.ID()] = doc.Key
		}
	}
	for id, n := range views {
		if n > 0 {
			top.Rows = append(top.Rows, counters.Row{Key: keys[id], Views: n})
		}
	}
	slices.SortFunc(top.Rows, func(a, b counters.Row) int {
		return cmp.Or(cmp.Compare(b.Views, a.Views), strings.Compare(a.Key.ID(), b.Key.ID()))
	})
	top.Rows = top.Rows[:min(q.Limit, len(top.Rows))]
	return top
}

// collections returns what Collections should.
func (m model) collections() []counters.Collection {
	return slices.SortedFunc(maps.Keys(m), func(a, b counters.Collection) int {
		return cmp.Or(cmp.Compare(a.Month.Year, b.Month.Year), cmp.Compare(a.Month.Month, b.Month.Month),
			cmp.Compare(a.Kind, b.Kind))
	})
}

// A failer is a *testing.T or a *rapid.T.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// check compares all of a store with the model.
func (m model) check(t failer, s Store) {
	t.Helper()
	got, err := s.Collections(context.Background())
	if err != nil {
		t.Fatalf("Collections: %v", err)
	}
	if want := m.collections(); !slices.Equal(got, want) {
		t.Fatalf("collections are %v, want %v", got, want)
	}
	for _, c := range got {
		m.checkCollection(t, s, c, "")
	}
}

func (m model) checkCollection(t failer, s Store, c counters.Collection, prefix string) {
	t.Helper()
	got, want := all(t, s.Scan(context.Background(), c, prefix)), m.documents(c, prefix)
	if len(got) != len(want) {
		t.Fatalf("%s, prefix %q: %d documents, want %d", c, prefix, len(got), len(want))
	}
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Fatalf("%s, document %d is\n%+v, want\n%+v", c, i, got[i], want[i])
		}
	}
}

// all collects a sequence that must not fail.
func all[T any](t failer, seq iter.Seq2[T, error]) []T {
	t.Helper()
	var values []T
	for value, err := range seq {
		if err != nil {
			t.Fatalf("%v", err)
		}
		values = append(values, value)
	}
	return values
}

func apply(t testing.TB, s Store, b counters.Batch) {
	t.Helper()
	if err := s.Apply(context.Background(), b); err != nil {
		t.Fatalf("Apply: %v", err)
	}
}
