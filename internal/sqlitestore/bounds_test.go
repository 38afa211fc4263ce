package sqlitestore

import (
	"context"
	"path/filepath"
	"testing"

	"precount/internal/counters"
	"precount/internal/storetest"
)

// lowLog is a limit for the log that is soon reached, but more than SQLite's own checkpoints allow.
const lowLog = 6 << 20

// The log stays bounded though there is always a reader in it.
func TestLogIsBounded(t *testing.T) {
	s := open(t, t.TempDir())
	s.year(2026).maxLog = lowLog
	stop, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	for range 2 {
		go func() {
			defer func() { done <- struct{}{} }()
			for stop.Err() == nil {
				total(t, s, nov26)
			}
		}()
	}
	largest := int64(0)
	for token := range 40 {
		apply(t, s, batch("a", token+1, storetest.PageUpdates(nov26, 3, 3000)))
		largest = max(largest, size(t, s.yearPath(2026)+"-wal"))
	}
	cancel()
	<-done
	<-done
	if largest > 2*lowLog {
		t.Errorf("log grew to %d bytes", largest)
	}
	t.Logf("log grew to %d bytes", largest)
}

// A reader that stays, of another program, makes the log grow, but not beyond its stay.
func TestLogAfterForeignReader(t *testing.T) {
	s := open(t, t.TempDir())
	s.year(2026).maxLog = lowLog
	apply(t, s, batch("a", 1, storetest.PageUpdates(nov26, 3, 3000)))
	foreign, err := openReader(s.yearPath(2026))
	if err != nil {
		t.Fatal(err)
	}
	defer foreign.shut()
	if err := foreign.exec("BEGIN"); err != nil {
		t.Fatal(err)
	}
	if n, err := foreign.int64(`SELECT count(*) FROM "sites-nov"`); n != 3000 || err != nil {
		t.Fatal(n, err)
	}
	token := 1
	for ; size(t, s.yearPath(2026)+"-wal") < lowLog+1<<20; token++ {
		apply(t, s, batch("a", token+1, storetest.PageUpdates(nov26, 3, 3000)))
	}
	if err := foreign.exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		apply(t, s, batch("a", token+2+i, storetest.PageUpdates(nov26, 3, 3000)))
	}
	if n := size(t, s.yearPath(2026)+"-wal"); n > lowLog {
		t.Errorf("log has %d bytes", n)
	}
}

func TestStatementsAreBounded(t *testing.T) {
	s := open(t, t.TempDir())
	token := 0
	for first := range 30 {
		for second := range first {
			token++
			apply(t, s, batch("a", token, []counters.Update{{Key: counters.PageKey(nov26, base, "/"), Inc: []counters.Delta{
				{Field: counters.Total, N: 2}, {Field: counters.Day(first + 1), N: 1}, {Field: counters.Day(second + 1), N: 1}}}}))
		}
	}
	if n := len(s.years[2026].conn.adders); n > maxAdders {
		t.Errorf("%d statements after %d shapes", n, token)
	}
}

func TestWritersAreBounded(t *testing.T) {
	s := open(t, t.TempDir())
	for year := range 12 {
		apply(t, s, batch("a", year+1, storetest.PageUpdates(nov26.Add(12*year), 3, 10)))
		if n := total(t, s, nov26.Add(12*year)); n != 10 {
			t.Errorf("%d views in year %d", n, year)
		}
	}
	writers := 0
	for _, f := range s.years {
		if f.isOpen.Load() {
			writers++
		}
	}
	if writers > maxWriters || len(s.readers.idle) > maxReads {
		t.Errorf("%d writers, %d readers are open", writers, len(s.readers.idle))
	}
}

// An update may allocate its _id and nothing else.
func TestApplyAllocations(t *testing.T) {
	s := open(t, t.TempDir())
	const n = 5000
	updates := storetest.PageUpdates(nov26, 3, n)
	token := 0
	allocs := testing.AllocsPerRun(5, func() {
		token++
		apply(t, s, batch("a", token, updates))
	})
	if allocs > n+300 {
		t.Errorf("%.0f allocations for %d updates", allocs, n)
	}
}

// What is dropped goes back to the file system, and the file can be read by what stays.
func TestDropGivesBack(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	apply(t, s, batch("a", 1, storetest.PageUpdates(nov26, 3, 20_000)))
	apply(t, s, batch("a", 2, storetest.PageUpdates(dec26, 3, 20_000)))
	path := filepath.Join(dir, "stats-2026.db")
	if err := s.Drop(ctx, counters.Collection{Month: nov26}); err != nil {
		t.Fatal(err)
	}
	smaller := size(t, path)
	if n := size(t, path+"-wal"); n != 0 {
		t.Errorf("log has %d bytes", n)
	}
	if n := total(t, s, dec26); n != 20_000 {
		t.Errorf("%d views are left", n)
	}
	if err := s.Drop(ctx, counters.Collection{Month: dec26}); err != nil {
		t.Fatal(err)
	}
	if empty := size(t, path); smaller < 1<<20 || empty > 64<<10 {
		t.Errorf("%d bytes after one drop, %d after all", smaller, empty)
	}
	if err := s.DropDatabase(ctx, 2026); err != nil {
		t.Fatal(err)
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "stats*")); len(names) != 0 {
		t.Errorf("left: %v", names)
	}
}

// A store that was closed has merged its logs, and what it held is there again.
func TestReopen(t *testing.T) {
	dir := t.TempDir()
	for token := range 5 {
		s, err := Open(Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		apply(t, s, batch("a", token+1, storetest.PageUpdates(nov26, 3, 10)))
		if n := total(t, s, nov26); n != int64(10*(token+1)) {
			t.Errorf("%d views after %d batches", n, token+1)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if logs, _ := filepath.Glob(filepath.Join(dir, "*-*.db-*")); len(logs) != 0 {
			t.Errorf("left: %v", logs)
		}
	}
}
