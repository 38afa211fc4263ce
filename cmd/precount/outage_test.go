package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// TestStoreAway: while another process keeps the store locked, hits are accepted and wait; the ledger balances before, during
// and after; then every one is counted.
func TestStoreAway(t *testing.T) {
	data := t.TempDir()
	s := serve(t, data, "--site", "example.org", "--open-reports", "--flush-every", "50ms")
	want := map[string]int64{}
	send := func(n int) {
		t.Helper()
		for i := range n {
			path := fmt.Sprintf("/%d", i%500)
			if status, _, _ := s.get("/pixel.gif?host=example.org&path=" + path); status != http.StatusOK {
				t.Fatalf("status %d", status)
			}
			want[path]++
		}
		s.checkLedger()
	}
	send(500)
	s.waitCounted()
	unlock := lockStore(t, data)
	send(3000)
	waitFor(t, "the store is known to be away", func() bool { return s.metrics()["precount_store_up"] == 0 })
	send(3000)
	m := s.checkLedger()
	if m["precount_hits_pending"] != 6000 {
		t.Errorf("%v hits are pending, want 6000", m["precount_hits_pending"])
	}
	if status, _, _ := s.get("/readyz"); status != http.StatusOK {
		t.Errorf("readyz is %d, but hits are accepted", status)
	}
	if memory := s.resident(); memory > 150<<20 {
		t.Errorf("%d MB resident", memory>>20)
	}
	unlock()
	s.waitCounted()
	if m := s.checkLedger(); m["precount_store_up"] != 1 {
		t.Error("precount_store_up is not 1 again")
	}
	got := s.pages("example.org")
	for path, n := range want {
		if got[path] != n {
			t.Errorf("%s: counted %d, acknowledged %d", path, got[path], n)
		}
	}
	if log := s.log.String(); strings.Count(log, "cannot write to the store") != 1 || strings.Count(log, "recovered: can write to the store") != 1 {
		t.Errorf("the outage is not logged once at its beginning and once at its end:\n%s", log)
	}
}

// lockStore keeps the running year's file from all others until unlock, as another process may.
func lockStore(t *testing.T, data string) (unlock func()) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(data, "stats-*.db"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	conn, err := sqlite.OpenConn(files[0], sqlite.OpenReadWrite)
	if err == nil {
		t.Cleanup(func() { _ = conn.Close() })
		err = sqlitex.Execute(conn, "BEGIN EXCLUSIVE", nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if err := sqlitex.Execute(conn, "ROLLBACK", nil); err != nil {
			t.Fatal(err)
		}
	}
}

// TestJournalFull: at the byte cap hits are refused and told to come again; when the store is back, hits are accepted
// without a restart, and all that was acknowledged is counted.
func TestJournalFull(t *testing.T) {
	data := t.TempDir()
	s := serve(t, data, "--site", "example.org", "--open-reports", "--flush-every", "50ms", "--journal-max", "512KiB")
	s.get("/pixel.gif?host=example.org&path=/first")
	s.waitCounted()
	unlock := lockStore(t, data)
	acknowledged := fillUp(t, s)
	unlock()
	comesBack(t, s, acknowledged)
}

// fillUp sends hits until one is refused for a full journal, and returns how many were acknowledged.
func fillUp(t *testing.T, s *serving) (acknowledged int64) {
	t.Helper()
	for range 200_000 {
		status, header, _ := s.get("/pixel.gif?host=example.org&path=/full")
		if status == http.StatusOK {
			acknowledged++
			continue
		}
		if status != http.StatusServiceUnavailable || header.Get("X-Precount") != "journal-full" || header.Get("Retry-After") == "" {
			t.Fatalf("status %d %v", status, header)
		}
		break
	}
	m := s.checkLedger()
	if m[`precount_hits_refused_total{reason="journal-full"}`] != 1 {
		t.Error("the refusal is not in the metrics")
	}
	waitFor(t, "readyz is false", func() bool { status, _, _ := s.get("/readyz"); return status == http.StatusServiceUnavailable })
	return acknowledged
}

func comesBack(t *testing.T, s *serving, acknowledged int64) {
	t.Helper()
	waitFor(t, "readyz is true again", func() bool { status, _, _ := s.get("/readyz"); return status == http.StatusOK })
	if status, _, _ := s.get("/pixel.gif?host=example.org&path=/full"); status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	s.waitCounted()
	if n := s.pages("example.org")["/full"]; n != acknowledged+1 {
		t.Errorf("counted %d, acknowledged %d", n, acknowledged+1)
	}
	s.checkLedger()
}

// TestDamagedSegment: a byte of a journal that was left by a killed process is flipped. The hits around it count, the file is
// kept aside, the log names it and the metrics show it.
func TestDamagedSegment(t *testing.T) {
	data := t.TempDir()
	s := serve(t, data, "--site", "example.org", "--open-reports", "--flush-every", "1h")
	for range 100 {
		s.get("/pixel.gif?host=example.org&path=/page")
	}
	s.kill()
	file := segmentWith(t, filepath.Join(data, "journal"), "example")
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(content), "/page")
	for range 50 { // in the middle
		at += 1 + strings.Index(string(content[at+1:]), "/page")
	}
	content[at] ^= 1
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	s = serve(t, data, "--open-reports", "--flush-every", "50ms")
	s.waitCounted()
	if n := s.pages("example.org")["/page"]; n != 99 {
		t.Errorf("%d hits counted, want the 99 sound ones", n)
	}
	waitFor(t, "the metrics show the file", func() bool { return s.metrics()["precount_journal_damaged_files"] == 1 })
	kept, err := filepath.Glob(filepath.Join(data, "journal", "damaged", "*"))
	if err != nil || len(kept) != 1 {
		t.Errorf("kept aside: %v, %v", kept, err)
	}
	if log := s.log.String(); !strings.Contains(log, filepath.Base(file)) {
		t.Errorf("the log does not name %s:\n%s", file, log)
	}
}

func segmentWith(t *testing.T, dir, text string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.seg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(content), text) {
			return file
		}
	}
	t.Fatalf("no segment in %v holds %q", files, text)
	return ""
}

// TestSitesTakenAway: who removes precount.db under a serving process is told why all hits are refused from then on.
func TestSitesTakenAway(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := serve(t, data, "--site", "example.org")
	files, err := filepath.Glob(filepath.Join(data, "precount.db*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	waitFor(t, "line about the sites", func() bool { return strings.Contains(s.log.String(), "no site is registered any more") })
}
