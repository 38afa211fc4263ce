package retention

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"precount/internal/counters"
	"precount/internal/horizon"
)

// TestRoundTrip: archive, verify, drop and restore give the same bytes, in the store they came from and in another one.
func TestRoundTrip(t *testing.T) {
	s, archive := open(t, t.TempDir()), t.TempDir()
	apply(t, s, month(oct25, 400))
	apply(t, s, month(nov25, 20))
	apply(t, s, month(oct26, 20))
	apply(t, s, month(nov26, 20))
	before := export(t, s)
	if got := run(t, options(s, archive)); !slices.Equal(got, []string{"2025-10"}) {
		t.Fatalf("put away %v", got)
	}
	kept := maps.Clone(before)
	maps.DeleteFunc(kept, func(name, _ string) bool {
		return strings.HasPrefix(name, "stats-2025") && strings.HasSuffix(name, "oct")
	})
	same(t, "after retention", export(t, s), kept)
	if got := run(t, options(s, archive)); len(got) != 0 {
		t.Errorf("put away again: %v", got)
	}
	must(t, restore(t, s, filepath.Join(archive, "2025-10")))
	same(t, "restored", export(t, s), before)
	must(t, restore(t, s, filepath.Join(archive, "2025-10")))
	same(t, "restored twice", export(t, s), before)

	other := open(t, t.TempDir())
	must(t, restore(t, other, filepath.Join(archive, "2025-10")))
	got := export(t, other)
	for name := range got {
		if got[name] != before[name] {
			t.Errorf("in another store, %s differs", name)
		}
	}
	if len(got) != len(counters.Kinds()) {
		t.Errorf("in another store: %d collections", len(got))
	}
	if got := run(t, options(s, archive)); !slices.Equal(got, []string{"2025-10"}) {
		t.Fatalf("a restored month is put away again, with the archive that is there: %v", got)
	}
	same(t, "after the second retention", export(t, s), kept)
}

// TestEmptyMonth: collections without documents go and come back.
func TestEmptyMonth(t *testing.T) {
	s, archive := open(t, t.TempDir()), t.TempDir()
	for _, kind := range counters.Kinds() {
		_, err := s.Insert(t.Context(), counters.Collection{Month: oct25, Kind: kind}, nil, nil)
		must(t, err)
	}
	before := export(t, s)
	run(t, options(s, archive))
	same(t, "dropped", export(t, s), map[string]string{})
	must(t, restore(t, s, filepath.Join(archive, "2025-10")))
	same(t, "restored", export(t, s), before)
}

// TestTheYearGoes when it is empty and over, with its file.
func TestTheYearGoes(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	apply(t, s, month(oct25, 1))
	apply(t, s, month(nov25, 1))
	apply(t, s, month(jan26, 1))
	o := options(s, t.TempDir())
	run(t, o)
	if _, err := os.Stat(filepath.Join(dir, "stats-2025.db")); err != nil {
		t.Error("the year is gone, but a month of it is kept:", err)
	}
	o.Keep = 1
	run(t, o)
	if left, _ := filepath.Glob(filepath.Join(dir, "stats-2025*")); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	if _, err := os.Stat(filepath.Join(dir, "stats-2026.db")); err != nil {
		t.Error("this year is gone:", err)
	}
}

// TestHorizon: what is put away is refused from then on, and accepted again when it is restored.
func TestHorizon(t *testing.T) {
	s, archive := open(t, t.TempDir()), t.TempDir()
	apply(t, s, month(oct25, 1))
	h := horizon.New(s)
	check := func(m counters.Month, want bool) {
		t.Helper()
		must(t, h.Refresh(t.Context()))
		if h.Expired(m) != want {
			t.Errorf("%s expired: %v", m, !want)
		}
	}
	check(oct25, false)
	run(t, options(s, archive))
	check(oct25, true)
	check(oct25.Add(-5), true)
	check(nov25, false)
	if _, ok := rollupOf(t, s, base, oct25); !ok {
		t.Error("no rollup")
	}
	must(t, restore(t, s, filepath.Join(archive, "2025-10")))
	check(oct25, false)
	check(oct25.Add(-1), true)
	if _, ok := rollupOf(t, s, base, oct25); ok {
		t.Error("the rollup stays beside the restored month")
	}
	run(t, options(s, archive))
	check(oct25, true)
}

// TestNoArchive drops months without a copy, but with their totals.
func TestNoArchive(t *testing.T) {
	s := open(t, t.TempDir())
	apply(t, s, month(oct25, 10))
	o := options(s, "")
	if _, err := New(o); err == nil {
		t.Error("no archive, and not said so")
	}
	o.NoArchive = true
	run(t, o)
	same(t, "dropped", export(t, s), map[string]string{})
	if r, ok := rollupOf(t, s, base, oct25); !ok || r.Total == 0 {
		t.Errorf("rollup %+v", r)
	}
}

// TestRollup: totals, days, sections of depth 1 and visitors are those of the documents.
func TestRollup(t *testing.T) {
	s := open(t, t.TempDir())
	updates := month(oct25, 30)
	apply(t, s, updates)
	run(t, options(s, t.TempDir()))
	want := make([]int64, 31)
	for _, u := range updates {
		if u.Key.Collection.Kind == counters.Hours && u.Key.Base == base {
			want[u.Key.Day-1] = u.Inc[0].N
		}
	}
	r, _ := rollupOf(t, s, base, oct25)
	if !slices.Equal(r.Days, want) || r.Total != sum(want) || r.Base != base || r.Month != "2025-10" {
		t.Errorf("rollup %+v, want days %v", r, want)
	}
	if !slices.Equal(r.Sections, []RollupSection{{"/docs/", 70}, {"/(other)", 7}}) {
		t.Errorf("sections %v", r.Sections)
	}
	if r.Visitors < 150 || r.Visitors > 2_000_000_000_000 {
		t.Errorf("visitors %d", r.Visitors)
	}
}

func TestRollupOfPagesAlone(t *testing.T) {
	s := open(t, t.TempDir())
	apply(t, s, []counters.Update{{Key: counters.PageKey(oct25, base, "/"), Inc: []counters.Delta{{Field: counters.Total, N: 5}, {Field: counters.Day(3), N: 5}}}})
	run(t, options(s, t.TempDir()))
	if r, _ := rollupOf(t, s, base, oct25); r.Total != 5 || r.Days[2] != 5 {
		t.Errorf("a month without hours is rolled up as %+v", r)
	}
}

func TestBounded(t *testing.T) {
	var many []RollupSection
	for i := range 5000 {
		many = append(many, RollupSection{"/" + strings.Repeat("x", i%900) + "/", int64(i)})
	}
	kept, total, size := bounded(many), int64(0), 0
	for _, s := range kept {
		total, size = total+s.Total, size+len(s.Path)
	}
	if total != 4999*5000/2 || len(kept) > maxRollupSections+1 || size > maxRollupBytes+1024 || kept[len(kept)-1].Path != otherSection {
		t.Errorf("%d sections, %d bytes, total %d", len(kept), size, total)
	}
}

func TestEstimate(t *testing.T) {
	for _, n := range []int{0, 1, 10, 1000, 20_000, 500_000} {
		registers := make([]byte, counters.Registers)
		x := uint64(1)
		for range n {
			x += 0x9e3779b97f4a7c15 // SplitMix64
			z := (x ^ x>>30) * 0xbf58476d1ce4e5b9
			z = (z ^ z>>27) * 0x94d049bb133111eb
			z ^= z >> 31
			rank := byte(1)
			for w := z >> 11; w&1 == 0 && rank < 53; w >>= 1 {
				rank++
			}
			i := z & (counters.Registers - 1)
			registers[i] = max(registers[i], rank)
		}
		if got := estimate(registers); float64(got) < 0.92*float64(n)-1 || float64(got) > 1.08*float64(n)+1 {
			t.Errorf("%d visitors are estimated as %d", n, got)
		}
	}
}
