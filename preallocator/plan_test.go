package preallocator

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"precount/internal/counters"
)

var (
	jan27 = counters.Month{Year: 2027, Month: 1}
	feb27 = counters.Month{Year: 2027, Month: 2}
	feb28 = counters.Month{Year: 2028, Month: 2}
)

const base = "org.example"

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func page(path string, views int64) counters.Document {
	return counters.Document{Key: counters.PageKey(jan27, base, path), Total: views}
}

func section(depth int, path string, views int64) counters.Document {
	return counters.Document{Key: counters.SectionKey(jan27, base, depth, path), Total: views}
}

func attr(name, value string, views int64) counters.Document {
	return counters.Document{Key: counters.AttrKey(jan27, base, name, value), Total: views}
}

// sourceOf is a site with these documents, in a month that has these _ids.
func sourceOf(m counters.Month, docs []counters.Document, there ...string) siteSource {
	return siteSource{base: base, month: m,
		documents: func(kind counters.Kind) documents {
			return yield(slices.DeleteFunc(slices.Clone(docs), func(d counters.Document) bool { return d.Key.Collection.Kind != kind }))
		},
		existing: func(kind counters.Kind) ids {
			return yield(slices.DeleteFunc(slices.Clone(there), func(id string) bool {
				_, err := counters.ParseID(counters.Collection{Month: m, Kind: kind}, id)
				return err != nil
			}))
		},
	}
}

func yield[T any](all []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, one := range all {
			if !yield(one, nil) {
				return
			}
		}
	}
}

// idsOf returns the _ids of keys but those of hours, and how many hours there are.
func idsOf(keys []counters.Key) (ids []string, hours int) {
	for _, k := range keys {
		if k.Collection.Kind == counters.Hours {
			hours++
		} else {
			ids = append(ids, k.ID())
		}
	}
	return ids, hours
}

func TestPlan(t *testing.T) {
	root := []string{"org.example/", "org.example|0|/"}
	small := Caps{Pages: 3, Sections: 2, Values: 2}
	for _, c := range []struct {
		name   string
		month  counters.Month
		docs   []counters.Document
		there  []string
		wishes []string
		caps   Caps
		want   []string
		hours  int
	}{
		{"a new site", feb27, nil, nil, nil, small, root, 28},
		{"a leap February", feb28, nil, nil, nil, small, root, 29},
		{"busy pages only", feb27, []counters.Document{page("/a", 10), page("/b", 9), page("/c", 11)}, nil, nil, small,
			[]string{"org.example/", "org.example/c", "org.example/a", "org.example|0|/"}, 28},
		{"what is there stays", feb27, []counters.Document{page("/a", 10)}, []string{"org.example/", "org.example/a", "org.example|02"}, nil, small,
			[]string{"org.example|0|/"}, 27},
		{"the busiest under the cap", feb27, []counters.Document{page("/a", 10), page("/b", 11), page("/c", 12), page("/d", 13)}, nil, nil, small,
			[]string{"org.example/", "org.example/d", "org.example/c", "org.example|0|/"}, 28},
		{"what is there counts against the cap", feb27, []counters.Document{page("/a", 10), page("/b", 11)},
			[]string{"org.example/x", "org.example/y"}, nil, small, []string{"org.example/", "org.example|0|/"}, 28},
		{"a full month gets none, but other", feb27, []counters.Document{page("/a", 10), page("/(other)", 1)},
			[]string{"org.example/x", "org.example/y", "org.example/z"}, nil, small, []string{"org.example/(other)", "org.example|0|/"}, 28},
		{"wishes come first, with their sections", feb27, []counters.Document{page("/a", 10), page("/b", 11), page("/w/x?q=/", 99)}, nil,
			[]string{"/w/x?q=/"}, small, []string{"org.example/", "org.example/w/x?q=/", "org.example/b", "org.example|0|/", "org.example|1|/w/"}, 28},
		{"deep wishes", feb27, nil, nil, []string{"/1/2/3/4/5/6"}, Caps{Pages: 9, Sections: 9, Values: 9},
			[]string{"org.example/", "org.example/1/2/3/4/5/6", "org.example|0|/", "org.example|1|/1/", "org.example|2|/1/2/",
				"org.example|3|/1/2/3/", "org.example|4|/1/2/3/4/"}, 28},
		{"sections", feb27, []counters.Document{section(0, "/", 100), section(1, "/a/", 10), section(1, "/b/", 20), section(1, "/(other)", 3)}, nil, nil,
			small, []string{"org.example/", "org.example|0|/", "org.example|1|/(other)", "org.example|1|/b/"}, 28},
		{"a cap for each attribute", feb27, []counters.Document{attr("a", "1", 10), attr("a", "2", 20), attr("a", "3", 30), attr("b", "1", 10),
			attr("a", "(other)", 1), attr("b", "2", 1)}, nil, nil, small,
			append(slices.Clone(root), "org.example|a|(other)", "org.example|a|3", "org.example|a|2", "org.example|b|1"), 28},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := sourceOf(c.month, c.docs, c.there...)
			s.wishes = c.wishes
			p, err := plan(s, 10, c.caps)
			must(t, err)
			ids, hours := idsOf(p.missing)
			if !slices.Equal(ids, c.want) || hours != c.hours || p.existing > len(c.there) {
				t.Errorf("missing are\n%s\nand %d hours, %d there; want\n%s\nand %d hours", strings.Join(ids, "\n"), hours, p.existing,
					strings.Join(c.want, "\n"), c.hours)
			}
			last := p.missing[len(p.missing)-1]
			if last != counters.HoursKey(c.month, base, c.month.Days()) {
				t.Errorf("the last one is %v", last)
			}
		})
	}
}

// TestPlanPassesErrorsOn: half a plan is no plan.
func TestPlanPassesErrorsOn(t *testing.T) {
	away := errors.New("the store is away")
	for _, kind := range preparedKinds {
		s := sourceOf(feb27, []counters.Document{page("/a", 10), attr("a", "1", 10)})
		docs, there := s.documents, s.existing
		s.documents = func(k counters.Kind) documents {
			if k != kind || kind == counters.Hours {
				return docs(k)
			}
			return func(yield func(counters.Document, error) bool) { yield(counters.Document{}, away) }
		}
		if _, err := plan(s, 10, Caps{9, 9, 9}); kind != counters.Hours && !errors.Is(err, away) {
			t.Errorf("%s: documents: %v", kind, err)
		}
		s.documents = docs
		s.existing = func(k counters.Kind) ids {
			if k != kind {
				return there(k)
			}
			return func(yield func(string, error) bool) { yield("", away) }
		}
		if _, err := plan(s, 10, Caps{9, 9, 9}); !errors.Is(err, away) {
			t.Errorf("%s: _ids: %v", kind, err)
		}
	}
}

// TestPlanProperty: of any documents, nothing is planned that is there, or twice, or beyond a cap; steps with growing
// shares insert the plan exactly once, whatever hits insert in between.
func TestPlanProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var docs []counters.Document
		for i := range rapid.IntRange(0, 40).Draw(t, "documents") {
			views := rapid.Int64Range(0, 30).Draw(t, "views")
			docs = append(docs, page(fmt.Sprint("/", i), views), section(1+i%4, fmt.Sprint("/", i, "/"), views), attr(fmt.Sprint("n", i%3), fmt.Sprint(i), views))
		}
		caps := Caps{Pages: rapid.IntRange(1, 50).Draw(t, "pages"), Sections: rapid.IntRange(1, 50).Draw(t, "sections"), Values: rapid.IntRange(1, 20).Draw(t, "values")}
		there := map[string]bool{}
		for step := 1; step <= steps; step++ {
			if rapid.Bool().Draw(t, "hit") {
				there[base+"/"+fmt.Sprint(rapid.IntRange(0, 60).Draw(t, "path"))] = true
			}
			list := slices.Sorted(maps.Keys(there))
			p, err := plan(sourceOf(feb27, docs, list...), 10, caps)
			if err != nil {
				t.Fatal(err)
			}
			for _, key := range p.due(shareAt(step)) {
				if there[key.ID()] {
					t.Fatalf("%q is inserted twice", key.ID())
				}
				there[key.ID()] = true
			}
			if step > steps-lastSteps && !there["org.example|28"] {
				t.Fatalf("step %d: the site is not done", step)
			}
		}
		count := map[string]int{}
		for id := range there {
			if _, err := counters.ParseID(counters.Collection{Month: feb27, Kind: counters.Pages}, id); err == nil && !strings.Contains(id, "|") {
				count["pages"]++
			} else if strings.Contains(id, "|/") {
				count["sections"]++
			}
		}
		if count["pages"] > caps.Pages+steps || count["sections"] > max(caps.Sections, 1) {
			t.Fatalf("%v beyond %v", count, caps)
		}
	})
}

// TestBusiest: the busiest of any number, in bounded memory.
func TestBusiest(t *testing.T) {
	b := busiest{n: 100}
	for i := range 100_000 {
		b.add(counters.PageKey(feb27, base, fmt.Sprint("/", i)), int64(i*7919%100_003))
		if len(b.items) > 2*b.n+2 {
			t.Fatalf("%d are in memory", len(b.items))
		}
	}
	b.trim()
	for i := 1; i < len(b.items); i++ {
		if b.items[i-1].views < b.items[i].views {
			t.Fatal("not in order")
		}
	}
	if len(b.items) != 100 || b.items[0].views < 100_000 || b.items[99].views < 99_800 {
		t.Errorf("%d kept, %d to %d views", len(b.items), b.items[0].views, b.items[99].views)
	}
}

func TestReadWishes(t *testing.T) {
	find := func(address string) (Wish, error) {
		if strings.Contains(address, "bad") {
			return Wish{}, errors.New("unknown site")
		}
		return Wish{"b", address}, nil
	}
	got, err := ReadWishes(strings.NewReader("\ufeffhttps://a.org/x\n\n# comment\r\n  a.org/y  \r\nHTTP://a.org\n"), find)
	if err != nil || fmt.Sprint(got) != "[{b https://a.org/x} {b https://a.org/y} {b HTTP://a.org}]" {
		t.Errorf("%v, %v", got, err)
	}
	for in, want := range map[string]string{"a.org/\nbad.org/\n": "line 2", strings.Repeat("x", 100_000): "too long",
		strings.Repeat("a.org/\n", maxWishes+1): "more than"} {
		if _, err := ReadWishes(strings.NewReader(in), find); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %q", in, err, want)
		}
	}
}
