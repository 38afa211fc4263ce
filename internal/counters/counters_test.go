package counters

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestMonth(t *testing.T) {
	for _, c := range []struct {
		text     string
		days     int
		database string
		pages    string
		next     string
	}{
		{"2026-11", 30, "stats-2026", "sites-nov", "2026-12"},
		{"2026-12", 31, "stats-2026", "sites-dec", "2027-01"},
		{"2027-02", 28, "stats-2027", "sites-feb", "2027-03"},
		{"2028-02", 29, "stats-2028", "sites-feb", "2028-03"},
		{"2100-02", 28, "stats-2100", "sites-feb", "2100-03"},
		{"2000-02", 29, "stats-2000", "sites-feb", "2000-03"},
	} {
		m, err := ParseMonth(c.text)
		if err != nil {
			t.Fatal(err)
		}
		pages := Collection{m, Pages}
		if m.String() != c.text || m.Days() != c.days || m.Database() != c.database || pages.Name() != c.pages || m.Add(1).String() != c.next {
			t.Errorf("%s: %v, %d days, %s, %s, then %v", c.text, m, m.Days(), m.Database(), pages.Name(), m.Add(1))
		}
		if !m.Before(m.Add(1)) || m.Before(m) || m.Add(1).Before(m) || m.Add(1).Add(-1) != m {
			t.Errorf("%v is not in order with its neighbours", m)
		}
		if got := len(pages.Counters()); got != c.days+1 {
			t.Errorf("%v: a page has %d counters, want total and %d days", m, got, c.days)
		}
	}
	for _, text := range []string{"", "2026", "2026-13", "2026-00", "26-11", "2026-11-01", "0000-01", "nov 2026", "2026-1"} {
		if m, err := ParseMonth(text); err == nil {
			t.Errorf("%q was read as %v", text, m)
		}
	}
}

// TestMonthStart: a month begins at the first instant of its first day, also where that day has no midnight.
func TestMonthStart(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	if start := (Month{2026, time.November}).Start(berlin).UTC(); start != time.Date(2026, 10, 31, 23, 0, 0, 0, time.UTC) {
		t.Errorf("November in Berlin starts at %v", start)
	}
}

func TestCollectionsReadBack(t *testing.T) {
	for year := 2024; year < 2027; year++ {
		for month := time.January; month <= time.December; month++ {
			for _, kind := range Kinds() {
				c := Collection{Month{year, month}, kind}
				if got, ok := ParseCollection(c.Database(), c.Name()); !ok || got != c {
					t.Errorf("%v was read back as %v, %v", c, got, ok)
				}
			}
		}
	}
	for _, c := range [][2]string{{"stats-2026", "applied"}, {"stats-2026", "sites-foo"}, {"stats-2026", "foo-nov"}, {"stats-26", "sites-nov"},
		{"precount", "sites"}, {"stats-0000", "sites-nov"}, {"stats-20x6", "sites-nov"}, {"stats-2026", "sites-nov-old"}} {
		if got, ok := ParseCollection(c[0], c[1]); ok {
			t.Errorf("%v was read as %v", c, got)
		}
	}
}

func drawKey(t *rapid.T) Key {
	m := Month{rapid.IntRange(1, 9999).Draw(t, "year"), time.Month(rapid.IntRange(1, 12).Draw(t, "month"))}
	base := rapid.StringMatching(`[a-z0-9.-]{1,20}`).Draw(t, "base")
	path := "/" + rapid.StringMatching(`[ -~é|/]{0,30}`).Draw(t, "path")
	day := rapid.IntRange(1, m.Days()).Draw(t, "day")
	switch rapid.SampledFrom(Kinds()).Draw(t, "kind") {
	case Pages:
		return PageKey(m, base, path)
	case Sections:
		return SectionKey(m, base, rapid.IntRange(0, MaxDepth).Draw(t, "depth"), path)
	case Attrs:
		return AttrKey(m, base, rapid.StringMatching(`[a-z]{1,10}`).Draw(t, "name"), rapid.StringMatching(`[ -~]{0,20}`).Draw(t, "value"))
	case Hours:
		return HoursKey(m, base, day)
	default:
		return VisitorsKey(m, base, day)
	}
}

// TestKeysAndIDs: an _id reads back to its key, different keys of a collection have different _ids, and a site's prefix
// holds all of its documents and no other site's.
func TestKeysAndIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawKey(t), drawKey(t)
		if got, err := ParseID(a.Collection, a.ID()); err != nil || got != a {
			t.Fatalf("%q was read back as %+v, %v; want %+v", a.ID(), got, err, a)
		}
		if b.Collection = a.Collection; a != b && a.ID() == b.ID() {
			if _, err := ParseID(b.Collection, b.ID()); err == nil && a.Base != b.Base {
				t.Fatalf("%+v and %+v have the same _id %q", a, b, a.ID())
			}
		}
		prefix := IDPrefix(a.Collection.Kind, a.Base)
		if !strings.HasPrefix(a.ID(), prefix) || a.ID() >= PrefixEnd(prefix) {
			t.Fatalf("%q is not within its prefix %q", a.ID(), prefix)
		}
		for _, other := range []string{a.Base + "x", a.Base + ".x", "x" + a.Base} {
			c := a
			c.Base = other
			if strings.HasPrefix(c.ID(), prefix) {
				t.Fatalf("%q of another site begins with %q", c.ID(), prefix)
			}
		}
	})
}

func FuzzParseID(f *testing.F) {
	f.Add(uint8(Pages), "org.mongodb/docs/")
	f.Add(uint8(Hours), "org.mongodb|05")
	f.Add(uint8(Sections), "org.mongodb|1|/docs/")
	f.Add(uint8(Attrs), "org.mongodb|browser|Firefox")
	f.Fuzz(func(t *testing.T, kind uint8, id string) {
		c := Collection{Month{2026, time.November}, Kind(kind % 5)}
		if key, err := ParseID(c, id); err == nil && key.ID() != id {
			t.Errorf("%s: %q was read as %+v, which is %q", c, id, key, key.ID())
		}
	})
}

func TestPrefixEnd(t *testing.T) {
	for _, c := range [][2]string{{"org.mongodb/", "org.mongodb0"}, {"a", "b"}, {"a\xff", "b"}, {"\xff", ""}, {"", ""}} {
		if got := PrefixEnd(c[0]); got != c[1] {
			t.Errorf("%q ends before %q, want %q", c[0], got, c[1])
		}
	}
}

// TestTemplates: the fields of a document, in their order.
func TestTemplates(t *testing.T) {
	november := Month{2026, time.November}
	for _, c := range []struct {
		key      Key
		identity []Value
		first    []Field
		last     Field
		count    int
	}{
		{PageKey(november, "org.mongodb", "/"), []Value{{"base", "org.mongodb"}, {"path", "/"}}, []Field{"total", "days.1"}, "days.30", 31},
		{HoursKey(november, "org.mongodb", 5), []Value{{"base", "org.mongodb"}, {"day", int64(5)}}, []Field{"total", "hours.0"}, "hours.23", 25},
		{SectionKey(november, "org.mongodb", 1, "/a/"), []Value{{"base", "org.mongodb"}, {"depth", int64(1)}, {"path", "/a/"}}, []Field{"total", "days.1"}, "days.30", 31},
		{AttrKey(november, "org.mongodb", "browser", "Firefox"), []Value{{"base", "org.mongodb"}, {"n", "browser"}, {"v", "Firefox"}}, []Field{"total", "days.1"}, "days.30", 31},
	} {
		fields := c.key.Collection.Counters()
		if !slices.Equal(c.key.Identity(), c.identity) || len(fields) != c.count || !slices.Equal(fields[:2], c.first) || fields[len(fields)-1] != c.last {
			t.Errorf("%s: %v %v", c.key.Collection, c.key.Identity(), fields)
		}
	}
	if (Collection{november, Visitors}).Counters() != nil || Register(17) != "r.17" || Day(31) != "days.31" || Hour(0) != "hours.0" {
		t.Error("registers, days or hours have other names")
	}
}
