package storetest

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"precount/internal/counters"
)

var propertySentences = []sentence{
	{"any interleaving of batches, replays, templates and drops gives the model's counts", interleavings},
}

func interleavings(t *testing.T, s *suite) {
	rapid.Check(t, func(rt *rapid.T) {
		p := &player{store: s.open(t), model: model{}, last: map[string]counters.Batch{}, tokens: map[string]uint64{}}
		defer p.store.Close()
		rt.Repeat(map[string]func(*rapid.T){
			"apply":       p.apply,
			"replay":      p.replay,
			"replay part": p.replayPart,
			"insert":      p.insert,
			"drop":        p.drop,
			"drop year":   p.dropYear,
			"ask":         p.ask,
			"check":       func(rt *rapid.T) { p.model.check(rt, p.store) },
		})
		p.model.check(rt, p.store)
	})
}

// A player does to a store and to a model the same.
type player struct {
	store  Store
	model  model
	tokens map[string]uint64         // the newest of each collector
	last   map[string]counters.Batch // what may be replayed: nothing of it was dropped since
}

var (
	months     = rapid.SampledFrom([]counters.Month{nov26, dec26, jan27, feb28})
	kinds      = rapid.SampledFrom(counters.Kinds())
	collectors = rapid.SampledFrom([]string{"a", "b", "c"})

	keys = rapid.Custom(func(t *rapid.T) counters.Key {
		m, b := months.Draw(t, "month"), rapid.SampledFrom([]string{"org.a", "org.ab"}).Draw(t, "base")
		name := rapid.SampledFrom([]string{"x", "y", "'", "é"}).Draw(t, "name")
		day := rapid.SampledFrom([]int{1, m.Days()}).Draw(t, "day")
		switch kinds.Draw(t, "kind") {
		case counters.Pages:
			return counters.PageKey(m, b, "/"+name)
		case counters.Hours:
			return counters.HoursKey(m, b, day)
		case counters.Sections:
			return counters.SectionKey(m, b, 1, "/"+name+"/")
		case counters.Attrs:
			return counters.AttrKey(m, b, name, name)
		default:
			return counters.VisitorsKey(m, b, day)
		}
	})

	updates = rapid.Custom(func(t *rapid.T) counters.Update {
		u := counters.Update{Key: keys.Draw(t, "key")}
		if u.Key.Collection.Kind == counters.Visitors {
			for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, 5), 0, 5, rapid.ID).Draw(t, "registers") {
				n := rapid.Int64Range(0, math.MaxUint8).Draw(t, "rank")
				u.Max = append(u.Max, counters.Delta{Field: counters.Register(i * 400), N: n})
			}
			return u
		}
		fields := u.Key.Collection.Counters()
		var total int64
		for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(1, len(fields)-1), 0, 3, rapid.ID).Draw(t, "fields") {
			n := rapid.Int64Range(0, 1<<40).Draw(t, "n")
			u.Inc, total = append(u.Inc, counters.Delta{Field: fields[i], N: n}), total+n
		}
		u.Inc = append(u.Inc, counters.Delta{Field: counters.Total, N: total})
		return u
	})
)

func (p *player) apply(t *rapid.T) {
	all := rapid.SliceOfNDistinct(updates, 0, 8, func(u counters.Update) counters.Key { return u.Key }).Draw(t, "updates")
	collector := collectors.Draw(t, "collector")
	p.tokens[collector] += rapid.Uint64Range(1, 3).Draw(t, "step")
	b := batch(collector, p.tokens[collector], all...)
	if rapid.Bool().Draw(t, "first in vain") {
		ctx, cancel := context.WithTimeout(context.Background(), 1)
		defer cancel()
		p.store.Apply(ctx, b)
	}
	p.send(t, b)
	p.model.apply(b.Updates)
	p.last[collector] = b
}

func (p *player) send(t *rapid.T, b counters.Batch) {
	if err := p.store.Apply(context.Background(), b); err != nil {
		t.Fatalf("Apply: %v", err)
	}
}

func (p *player) replay(t *rapid.T) {
	if b, ok := p.last[collectors.Draw(t, "collector")]; ok {
		p.send(t, b)
	}
}

func (p *player) replayPart(t *rapid.T) {
	b, ok := p.last[collectors.Draw(t, "collector")]
	if !ok || len(b.Updates) == 0 {
		return
	}
	from := rapid.IntRange(0, len(b.Updates)-1).Draw(t, "from")
	b.Updates = b.Updates[from:rapid.IntRange(from, len(b.Updates)).Draw(t, "to")]
	p.send(t, b)
}

func (p *player) insert(t *rapid.T) {
	key := keys.Draw(t, "key")
	want := 0
	if p.model[key.Collection] == nil || p.model[key.Collection][key] == nil {
		want = 1
	}
	n, err := p.store.Insert(context.Background(), key.Collection, []counters.Key{key, key}, nil)
	if err != nil || n != want {
		t.Fatalf("Insert: %d, error %v, want %d", n, err, want)
	}
	p.model.document(key)
}

func (p *player) drop(t *rapid.T) {
	p.dropCollection(t, counters.Collection{Month: months.Draw(t, "month"), Kind: kinds.Draw(t, "kind")})
}

func (p *player) dropCollection(t *rapid.T, c counters.Collection) {
	drop(t, p.store, c)
	delete(p.model, c)
	for collector, b := range p.last {
		if slices.ContainsFunc(b.Updates, func(u counters.Update) bool { return u.Key.Collection == c }) {
			delete(p.last, collector)
		}
	}
}

func (p *player) dropYear(t *rapid.T) {
	year := months.Draw(t, "month").Year
	for _, c := range p.model.collections() {
		if c.Month.Year == year {
			p.dropCollection(t, c)
		}
	}
	if err := p.store.DropDatabase(context.Background(), year); err != nil {
		t.Fatalf("DropDatabase: %v", err)
	}
}

func (p *player) ask(t *rapid.T) {
	m := months.Draw(t, "month")
	from := rapid.IntRange(1, m.Days()).Draw(t, "from")
	span := counters.Span{Month: m, From: from, To: rapid.IntRange(from, m.Days()).Draw(t, "to")}
	prefix := rapid.SampledFrom([]string{"", "org.a/", "org.ab|", "org.a"}).Draw(t, "prefix")
	checkSums(t, p.store, p.model, span, prefix)
	spans := []counters.Span{span}
	if other := months.Draw(t, "other"); other != m {
		spans = append(spans, counters.Span{Month: other, From: 1, To: other.Days()})
	}
	kind := rapid.SampledFrom([]counters.Kind{counters.Pages, counters.Sections, counters.Attrs}).Draw(t, "kind")
	checkTop(t, p.store, p.model, counters.TopQuery{Kind: kind, Spans: spans, Prefix: prefix,
		Limit: rapid.IntRange(0, 5).Draw(t, "limit")})
}
