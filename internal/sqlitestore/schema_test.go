package sqlitestore

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"

	"precount/internal/counters"
	"precount/internal/storetest"
	"precount/internal/testenv"
)

var updateGolden = flag.Bool("update", false, "rewrite the golden files")

// fill makes a collection of each kind in two months, and a record.
func fill(t *testing.T, s *Store) {
	t.Helper()
	for _, m := range []counters.Month{nov26, feb28} {
		for _, kind := range counters.Kinds() {
			if _, err := s.Insert(ctx, counters.Collection{Month: m, Kind: kind}, nil, nil); err != nil {
				t.Fatal(err)
			}
		}
		apply(t, s, batch("a", 1, storetest.PageUpdates(m, 20, 3)))
	}
	site := counters.Record{ID: base, Body: []byte(`{"host":"mongodb.org"}`)}
	if _, err := s.Put(ctx, counters.SitesRecords, site); err != nil {
		t.Fatal(err)
	}
}

// The tables are a public contract: people read them with their own tools.
func TestSchema(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	fill(t, s)
	var got strings.Builder
	for _, name := range []string{"precount.db", "stats-2026.db", "stats-2028.db"} {
		c, err := openReader(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer c.shut()
		fmt.Fprintf(&got, "-- %s\n", name)
		err = c.query("SELECT sql FROM sqlite_master ORDER BY name", nil, func(row *sqlite.Stmt) error {
			fmt.Fprintln(&got, row.ColumnText(0)+";")
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	golden := filepath.Join("testdata", t.Name()+".sql")
	if *updateGolden {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || got.String() != string(want) {
		t.Errorf("schema is\n%s\nwant that of %s (rewrite with -update); error %v", got.String(), golden, err)
	}
}

// The example of INTERFACE, and every other table, read by Debian's sqlite3 while the store is open.
func TestShellReads(t *testing.T) {
	shell, err := exec.LookPath("sqlite3")
	if err != nil {
		testenv.LeaveOut(t, "sqlite3 command", "have it by: apt-get install sqlite3")
	}
	dir := t.TempDir()
	s := open(t, dir)
	fill(t, s)
	apply(t, s, batch("a", 2, storetest.PageUpdates(nov26, 20, 1)))
	for query, want := range map[string]string{
		`select path, total, "days.20" from "sites-nov" order by total desc limit 1`: "/docs/section-0/page-0.html|2|2\n",
		`select sum("days.20"), sum("days.30") from "sites-nov"`:                     "4|0\n",
		`select * from applied`: "a|2\n",
		`select count(*) from "hours-nov", "attrs-nov", "sections-nov", "visitors-nov"`: "0\n",
		`pragma integrity_check`: "ok\n",
	} {
		out, err := exec.Command(shell, filepath.Join(dir, "stats-2026.db"), query).CombinedOutput()
		if err != nil || string(out) != want {
			t.Errorf("%s: %q, error %v, want %q", query, out, err, want)
		}
	}
	apply(t, s, batch("a", 3, storetest.PageUpdates(nov26, 20, 1)))
}

func TestFilesArePrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	fill(t, open(t, dir))
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) < 9 {
		t.Fatalf("%d files, error %v", len(entries), err)
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, error %v", entry.Name(), info.Mode(), err)
		}
	}
	if info, _ := os.Stat(dir); info.Mode().Perm() != 0o700 {
		t.Errorf("directory has mode %v", info.Mode())
	}
}

// bindIdentity writes by hand what Key.Identity returns with allocations; the two must agree.
func TestIdentity(t *testing.T) {
	s := open(t, t.TempDir())
	for _, key := range []counters.Key{
		counters.PageKey(nov26, base, "/docs/"), counters.HoursKey(nov26, base, 5),
		counters.SectionKey(nov26, base, 2, "/docs/a/"),
		counters.AttrKey(nov26, base, "browser", "Firefox"), counters.VisitorsKey(nov26, base, 30),
	} {
		apply(t, s, batch("a", int(key.Collection.Kind)+1, []counters.Update{{Key: key}}))
		c, err := openReader(filepath.Join(s.dir, "stats-2026.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.shut()
		err = c.query("SELECT * FROM "+quote(key.Collection.Name()), nil, func(row *sqlite.Stmt) error {
			if row.GetText("_id") != key.ID() {
				t.Errorf("%v: _id is %q", key, row.GetText("_id"))
			}
			for _, v := range key.Identity() {
				if row.GetText(string(v.Field)) != fmt.Sprint(v.V) {
					t.Errorf("%v: %s is %q", key, v.Field, row.GetText(string(v.Field)))
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
