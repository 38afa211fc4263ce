package mongostore

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"precount/internal/counters"
	"precount/internal/mongotest"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares text with testdata/<test's name>.json.
func golden(t *testing.T, text string) {
	t.Helper()
	name := filepath.Join("testdata", strings.ReplaceAll(t.Name(), "/", "-")+".json")
	if *update {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil || string(want) != text {
		t.Errorf("%s differs (error %v); now it is\n%s", name, err, text)
	}
}

func extended(t *testing.T, value any) string {
	t.Helper()
	text, err := bson.MarshalExtJSON(value, true, false)
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

// oneOfEach returns an update of a document of each kind, with what visitors may try in it.
func oneOfEach() []counters.Update {
	day := []counters.Delta{{Field: counters.Total, N: 3}, {Field: counters.Day(20), N: 3}}
	hour := []counters.Delta{{Field: counters.Total, N: 3}, {Field: counters.Hour(0), N: 3}}
	return []counters.Update{
		{Key: counters.PageKey(nov26, base, "/$where/$$ROOT"), Inc: day},
		{Key: counters.HoursKey(nov26, base, 20), Inc: hour},
		{Key: counters.SectionKey(nov26, base, 1, "/$where/"), Inc: day},
		{Key: counters.AttrKey(nov26, base, "browser", "$total"), Inc: day},
		{Key: counters.VisitorsKey(nov26, base, 20), Max: []counters.Delta{{Field: counters.Register(17), N: 4}, {Field: counters.Register(3), N: 1}}},
	}
}

func TestUpdatesAsSent(t *testing.T) {
	var text strings.Builder
	for _, u := range oneOfEach() {
		st := &step{update: &u, id: u.Key.ID()}
		model := updateOf(st, "c1", 7).(*mongo.UpdateOneModel)
		text.WriteString(extended(t, model.Filter) + extended(t, model.Update) + extended(t, documentOf(st, "c1", 7)))
	}
	golden(t, text.String())
}

// TestDocumentsAsStored: the same documents, in the same order of fields, whether a template or an update was first.
func TestDocumentsAsStored(t *testing.T) {
	server := mongotest.Start(t)
	for _, preallocated := range []bool{false, true} {
		server.Empty(t)
		s := open(t, server.URI)
		var text strings.Builder
		for _, u := range oneOfEach() {
			c := u.Key.Collection
			if preallocated {
				if n, err := s.Insert(ctx, c, []counters.Key{u.Key}, []string{"c1", "c2"}); n != 1 || err != nil {
					t.Fatal(n, err)
				}
			}
			apply(t, s, batch("c1", 7, []counters.Update{u}))
			apply(t, s, batch("c2", 1, []counters.Update{u}))
			raw, err := s.monthly(c).FindOne(ctx, bson.D{{Key: fieldID, Value: u.Key.ID()}}).Raw()
			if err != nil {
				t.Fatal(err)
			}
			if c.Kind == counters.Visitors && preallocated {
				continue // registers stand in the order in which they came
			}
			text.WriteString(extended(t, raw))
		}
		if preallocated {
			text.WriteString(lastLine(t))
		}
		golden(t, text.String())
	}
}

// lastLine returns the golden line of the visitors.
func lastLine(t *testing.T) string {
	t.Helper()
	all, err := os.ReadFile(filepath.Join("testdata", t.Name()+".json"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSpace(string(all)), "\n")
	return lines[len(lines)-1] + "\n"
}
