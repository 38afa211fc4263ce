package retention

import (
	"path/filepath"
	"testing"

	"precount/internal/counters"
	"precount/internal/mongostore"
	"precount/internal/mongotest"
)

// TestAcrossEngines: a month goes from SQLite through an archive into MongoDB, from there through another archive into another
// SQLite, and is the same to the byte in all of them.
func TestAcrossEngines(t *testing.T) {
	server := mongotest.Start(t)
	server.Empty(t)
	mongo, err := mongostore.Open(t.Context(), mongostore.Options{URI: server.URI})
	must(t, err)
	t.Cleanup(func() { must(t, mongo.Close()) })
	first, second := open(t, t.TempDir()), open(t, t.TempDir())
	fromSQLite, fromMongo := t.TempDir(), t.TempDir()
	apply(t, first, month(oct25, 50))
	_, err = first.Insert(t.Context(), counters.Collection{Month: nov25, Kind: counters.Pages}, nil, nil)
	must(t, err)
	want := export(t, first)

	o := options(first, fromSQLite)
	o.Keep = 12 // the empty month, too
	run(t, o)
	must(t, restore(t, mongo, filepath.Join(fromSQLite, "2025-10"), filepath.Join(fromSQLite, "2025-11")))
	same(t, "in MongoDB", export(t, mongo), want)

	o = options(mongo, fromMongo)
	o.Keep, o.Engine = 12, "mongodb"
	run(t, o)
	same(t, "dropped from MongoDB", export(t, mongo), map[string]string{})
	if r, ok := rollupOf(t, mongo, base, oct25); !ok || r.Total == 0 {
		t.Errorf("rollup %+v", r)
	}
	must(t, restore(t, second, filepath.Join(fromMongo, "2025-10"), filepath.Join(fromMongo, "2025-11")))
	same(t, "back in SQLite", export(t, second), want)
	must(t, restore(t, mongo, filepath.Join(fromMongo, "2025-10"), filepath.Join(fromMongo, "2025-11")))
	same(t, "back in MongoDB", export(t, mongo), want)

	for _, name := range []string{"sites-oct", "visitors-oct"} {
		a, _, err := readManifest(filepath.Join(fromSQLite, "2025-10"))
		must(t, err)
		b, _, err := readManifest(filepath.Join(fromMongo, "2025-10"))
		must(t, err)
		for i, e := range a.Collections {
			if e.Collection == name && e.SHA256 != b.Collections[i].SHA256 {
				t.Errorf("%s: the engines' archives differ", name)
			}
		}
	}
}
