package storetest

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"precount/internal/counters"
)

var applySentences = []sentence{
	{"a new document has all the zeros of its template, an old one keeps its fields", templates},
	{"a batch that is applied five times counts once", replayWhole},
	{"a part of an applied batch, with its token, changes nothing", replayPart},
	{"an older token after a newer one changes nothing", olderToken},
	{"each collector has its own tokens", ownTokens},
	{"one batch may touch two years, and months of 28 to 31 days", yearsAndMonths},
	{"registers only rise, in whatever order and however often", registers},
	{"an update without changes inserts zeros", emptyUpdate},
	{"a batch with something impossible in it is refused as a whole", refused},
	{"a big batch is applied", bigBatch},
	{"ids may hold anything but a zero byte", oddIDs},
}

func templates(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	for token, month := range []counters.Month{nov26, dec26, feb27, feb28} {
		for _, day := range []int{1, month.Days()} {
			updates := everyKind(month)
			updates[0] = views(updates[0].Key, day, 1)
			apply(t, store, batch("a", uint64(2*token+1+day/28), updates...))
			m.apply(updates)
			m.check(t, store)
		}
	}
}

func replayWhole(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	for token := range uint64(3) {
		b := batch("a", token+1, slices.Concat(pages(nov26, 50), everyKind(dec26), everyKind(jan27))...)
		for range 5 {
			apply(t, store, b)
		}
		m.apply(b.Updates)
		m.check(t, store)
	}
}

func replayPart(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	b := batch("a", 7, append(pages(nov26, 50), everyKind(jan27)...)...)
	apply(t, store, b)
	m.apply(b.Updates)
	for i := range b.Updates {
		apply(t, store, batch("a", 7, b.Updates[i:min(i+3, len(b.Updates))]...))
	}
	m.check(t, store)
}

func olderToken(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	for _, token := range []uint64{5, 4, 1, 5, 6, 5} {
		b := batch("a", token, pages(nov26, 20)...)
		apply(t, store, b)
		if token > 5 || len(m) == 0 {
			m.apply(b.Updates)
		}
		m.check(t, store)
	}
}

func ownTokens(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	for _, collector := range []string{"a", "b", "Ab'\"%$.", strings.Repeat("c", 64)} {
		b := batch(strings.ReplaceAll(strings.ReplaceAll(collector, ".", ""), "$", ""), 1, pages(nov26, 20)...)
		apply(t, store, b)
		apply(t, store, b)
		m.apply(b.Updates)
	}
	m.check(t, store)
}

func yearsAndMonths(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	var updates []counters.Update
	for _, month := range []counters.Month{jan27, dec26, feb28, nov26, feb27} {
		updates = append(updates, everyKind(month)...)
	}
	apply(t, store, batch("a", 1, updates...))
	apply(t, store, batch("a", 1, updates...))
	m.apply(updates)
	m.check(t, store)
}

func registers(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	key := counters.VisitorsKey(nov26, base, 30)
	for token := range uint64(30) {
		u := counters.Update{Key: key}
		for _, register := range rand.Perm(counters.Registers)[:100] {
			u.Max = append(u.Max, counters.Delta{Field: counters.Register(register), N: int64(rand.IntN(54))})
		}
		for _, collector := range []string{"a", "b"} {
			apply(t, store, batch(collector, token+1, u))
		}
		m.apply([]counters.Update{u})
	}
	m.check(t, store)
}

func emptyUpdate(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	for token, key := range keysOf(everyKind(feb28)) {
		u := counters.Update{Key: key}
		apply(t, store, batch("a", uint64(token)+1, u))
		m.apply([]counters.Update{u})
	}
	apply(t, store, batch("a", 99))
	m.check(t, store)
}

func refused(t *testing.T, s *suite) {
	store, ctx := s.open(t), context.Background()
	good := everyKind(nov26)
	page, visitors := good[0].Key, good[4].Key
	inc := func(k counters.Key, field counters.Field, n int64) counters.Batch {
		bad := counters.Update{Key: k, Inc: []counters.Delta{{Field: field, N: n}}}
		return batch("a", 1, append(everyKind(nov26)[:4:4], bad)...)
	}
	for name, b := range map[string]counters.Batch{
		"no collector":                  batch("", 1, good...),
		"token 0":                       batch("a", 0, good...),
		"unknown field":                 inc(page, "nonsense", 1),
		"field with a leading zero":     inc(page, "days.01", 1),
		"a day the month does not have": inc(page, counters.Day(31), 1),
		"an hour of a page":             inc(page, counters.Hour(3), 1),
		"a day of an hours document":    inc(good[1].Key, counters.Day(3), 1),
		"identity as a counter":         inc(page, "path", 1),
		"less than nothing":             inc(page, counters.Total, -1),
		"a register that is added to":   inc(visitors, counters.Register(3), 1),
		"a counter that is raised":      batch("a", 1, append(good[:4:4], raise(page, 1, 3))...),
		"a register over a byte":        batch("a", 1, append(good[:4:4], raise(visitors, 1, 256))...),
		"a field twice": batch("a", 1, counters.Update{Key: page,
			Inc: []counters.Delta{{Field: counters.Total, N: 1}, {Field: counters.Total, N: 1}}}),
		"no base":       inc(counters.PageKey(nov26, "", "/"), counters.Total, 1),
		"a zero byte":   inc(counters.PageKey(nov26, base, "/\x00"), counters.Total, 1),
		"not UTF-8":     inc(counters.PageKey(nov26, base, "/\xff"), counters.Total, 1),
		"no such month": inc(counters.PageKey(counters.Month{Year: 2026, Month: 13}, base, "/"), counters.Total, 1),
		"no slash":      inc(counters.PageKey(nov26, base, "docs"), counters.Total, 1),
		"no such day":   batch("a", 1, append(good[:4:4], raise(counters.VisitorsKey(nov26, base, 31), 1, 3))...),
	} {
		if err := store.Apply(ctx, b); err == nil || errors.Is(err, counters.ErrDamaged) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error is %v", name, err)
		}
		model{}.check(t, store)
	}
}

func bigBatch(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	b := batch("a", 1, pages(nov26, s.big)...)
	apply(t, store, b)
	apply(t, store, b)
	m.apply(b.Updates)
	m.check(t, store)
}

func oddIDs(t *testing.T, s *suite) {
	store, m := s.open(t), model{}
	var updates []counters.Update
	for _, odd := range oddTexts {
		updates = append(updates, views(counters.PageKey(nov26, base, "/"+odd), 5, 1),
			views(counters.SectionKey(nov26, base, 2, "/"+odd+"/"), 5, 2),
			views(counters.AttrKey(nov26, base, "campaign", odd), 5, 3))
	}
	apply(t, store, batch("a", 1, updates...))
	apply(t, store, batch("a", 2, updates...))
	m.apply(updates)
	m.apply(updates)
	m.check(t, store)
	for _, odd := range oddTexts {
		m.checkCollection(t, store, collection(nov26, counters.Pages), base+"/"+odd)
	}
}

var oddTexts = []string{
	"", "(other)", "'", `"`, "''", `a"b'c`, "%", "_", "%25", "a b", "a|b", "\\", "`", "$x", "a.b", "{}", "--", "; drop table x",
	"\x01", "\t", "\x7f", "ä", "a\u0308", "日本語", "🙂", "\u202e", "\ufeff", "\U0010ffff", strings.Repeat("x", 256),
	strings.Repeat("/long", 204), strings.Repeat("語", 341),
}
