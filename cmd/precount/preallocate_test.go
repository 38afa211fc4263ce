package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"precount/internal/counters"
	"precount/internal/lease"
	"precount/internal/sqlitestore"
)

// The months that the commands under test see.
func thisMonth() counters.Month { return counters.MonthOf(time.Now().UTC()) }

// fill counts n pages of example.org in this month, 20 views each, in a store that no process serves.
func fill(t *testing.T, data string, n int) {
	t.Helper()
	mustDo(t, "site", "add", "example.org", "--data", data)
	withStoreOf(t, data, func(s *sqlitestore.Store) {
		batch := counters.Batch{Collector: "test", Token: 1}
		for i := range n {
			batch.Updates = append(batch.Updates, counters.Update{Key: counters.PageKey(thisMonth(), "org.example", fmt.Sprintf("/%d", i)),
				Inc: []counters.Delta{{Field: counters.Total, N: 20}, {Field: counters.Day(1), N: 20}}})
		}
		if err := s.Apply(context.Background(), batch); err != nil {
			t.Fatal(err)
		}
	})
}

func withStoreOf(t *testing.T, data string, do func(*sqlitestore.Store)) {
	t.Helper()
	s, err := sqlitestore.Open(sqlitestore.Options{Dir: data})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	do(s)
}

func mustDo(t *testing.T, args ...string) string {
	t.Helper()
	code, stdout, stderr := command(t, args...)
	if code != exitDone || stderr != "" {
		t.Fatalf("%v: exit %d\nstdout %s\nstderr %s", args, code, stdout, stderr)
	}
	return stdout
}

// pagesOf returns how many pages example.org has in a month.
func pagesOf(t *testing.T, data string, m counters.Month) (n int) {
	t.Helper()
	withStoreOf(t, data, func(s *sqlitestore.Store) {
		for _, err := range s.IDs(context.Background(), counters.Collection{Month: m, Kind: counters.Pages}, "org.example/") {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
	})
	return n
}

// TestPreallocateCommand: a dry run changes nothing, a run says one line, the next one nothing.
func TestPreallocateCommand(t *testing.T) {
	data, next := t.TempDir(), thisMonth().Add(1)
	if out := mustDo(t, "preallocate", "--data", data); out != "" {
		t.Errorf("without a site: %q", out)
	}
	fill(t, data, 3000)
	if out := mustDo(t, "preallocate", "--data", data, "--min-views", "21", "--dry-run"); !strings.Contains(out, fmt.Sprintf("stats-%d.sites-", next.Year)) {
		t.Errorf("dry run: %s", out)
	}
	if n := pagesOf(t, data, next); n != 0 {
		t.Errorf("the dry run inserted %d pages", n)
	}
	var dry, real struct {
		Months []struct {
			Month                    string
			Planned, Inserted, Bytes int
		}
	}
	want := 3000 + 2 + next.Days()
	decode(t, mustDo(t, "preallocate", "--data", data, "--dry-run", "--json"), &dry)
	if len(dry.Months) != 1 || dry.Months[0].Planned != want || dry.Months[0].Inserted != 0 {
		t.Errorf("dry run: %+v", dry)
	}
	if out := mustDo(t, "preallocate", "--data", data); strings.Count(out, "\n") != 1 || !strings.Contains(out, fmt.Sprintf("prepared %s: %d documents", next, want)) {
		t.Errorf("said %q", out)
	}
	if out := mustDo(t, "preallocate", "--data", data); out != "" {
		t.Errorf("again: %q", out)
	}
	decode(t, mustDo(t, "preallocate", "--data", data, "--month", next.String(), "--json"), &real)
	if len(real.Months) != 1 || real.Months[0].Planned != 0 {
		t.Errorf("again: %+v", real)
	}
	wishes := filepath.Join(t.TempDir(), "wishes")
	write(t, wishes, "https://www.example.org/campaign/\nexample.org/0\n")
	if out := mustDo(t, "preallocate", "--data", data, "--wish", wishes); !strings.Contains(out, ": 2 documents") {
		t.Errorf("wishes: %q", out) // the page and its section
	}
	if n := pagesOf(t, data, next); n != 3002 {
		t.Errorf("%d pages are there", n)
	}
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

// TestPreallocateRefuses is the exit code of every call that cannot be done.
func TestPreallocateRefuses(t *testing.T) {
	data, month := t.TempDir(), thisMonth()
	fill(t, data, 10)
	withStoreOf(t, data, func(s *sqlitestore.Store) {
		_, err := lease.Acquire(context.Background(), lease.Options{Records: s, Collection: counters.JobsRecords,
			ID: "preallocate-" + month.Add(2).String(), Owner: "another process", TTL: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
	})
	bad := filepath.Join(t.TempDir(), "wishes")
	write(t, bad, "example.org/\nnobody.example/\n")
	damaged := t.TempDir()
	write(t, filepath.Join(damaged, "precount.db"), strings.Repeat("this is no database ", 1000))
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--month", month.Add(-2).String()}, exitUsage, "is over"},
		{[]string{"--month", month.Add(14).String()}, exitUsage, "12 months ahead"},
		{[]string{"--month", "2026-13"}, exitUsage, "YYYY-MM"},
		{[]string{"--month", "next"}, exitUsage, "YYYY-MM"},
		{[]string{"--min-views", "0"}, exitUsage, "--min-views"},
		{[]string{"--min-views", "many"}, exitUsage, "--min-views"},
		{[]string{"--store", "postgres:x"}, exitUsage, "--store"},
		{[]string{"surplus"}, exitUsage, "surplus"},
		{[]string{"--month", month.Add(2).String()}, exitLeased, "another process"},
		{[]string{"--month", month.Add(2).String(), "--dry-run"}, exitDone, ""},
		{[]string{"--wish", bad}, exitFailed, "line 2"},
		{[]string{"--wish", bad + "-missing"}, exitFailed, "no such file"},
		{[]string{"--data", damaged}, exitFailed, "precount.db"},
	} {
		code, stdout, stderr := command(t, append([]string{"preallocate", "--data", data}, c.args...)...)
		if code != c.code || !strings.Contains(stderr, c.want) || code != exitDone && stdout != "" {
			t.Errorf("%v: exit %d, want %d\nstdout %s\nstderr %s", c.args, code, c.code, stdout, stderr)
		}
	}
}

// TestPreallocateKilled: a process that is killed with SIGKILL in the middle leaves whole documents; the next one, after the
// lease ran out, finishes.
func TestPreallocateKilled(t *testing.T) {
	data, next := t.TempDir(), thisMonth().Add(1)
	fill(t, data, 49_000)
	cmd := exec.Command(program, "preallocate", "--data", data)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	withStoreOf(t, data, func(s *sqlitestore.Store) { // one that is open already sees the first chunk at once
		waitFor(t, "the first chunk is there", func() bool {
			for _, err := range s.IDs(context.Background(), counters.Collection{Month: next, Kind: counters.Pages}, "") {
				return err == nil
			}
			return false
		})
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	left := pagesOf(t, data, next)
	if left >= 49_001 {
		t.Fatal("it was faster than the kill: the test showed nothing")
	}
	t.Logf("killed after %d of 49001 pages", left)
	if code, _, stderr := command(t, "preallocate", "--data", data); code != exitLeased || !strings.Contains(stderr, "lease is held") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	withStoreOf(t, data, func(s *sqlitestore.Store) { // a minute goes by
		id := "preallocate-" + next.String()
		r, err := s.Get(context.Background(), counters.JobsRecords, id)
		var fields map[string]any
		if err == nil {
			err = json.Unmarshal(r.Body, &fields)
		}
		if err != nil {
			t.Fatal(err)
		}
		fields["lease_until"] = time.Now().Add(-time.Second)
		r.Body, _ = json.Marshal(fields)
		if _, err := s.Put(context.Background(), counters.JobsRecords, r); err != nil {
			t.Fatal(err)
		}
	})
	want := fmt.Sprintf(": %d documents", 49_001-left+1+next.Days())
	if out := mustDo(t, "preallocate", "--data", data); !strings.Contains(out, want) {
		t.Errorf("after the kill at %d pages: %q, want %q", left, out, want)
	}
}

// TestServePreallocates: a serving process prepares the running month for its sites, also for one that is added, and
// --preallocate-days 0 switches that off.
func TestServePreallocates(t *testing.T) {
	data := t.TempDir()
	s := serve(t, data, "--site", "example.org")
	waitFor(t, "the month is prepared", func() bool { return pagesOf(t, data, thisMonth()) == 1 })
	s.stop()
	off := t.TempDir()
	s = serve(t, off, "--site", "example.org", "--preallocate-days", "0", "--flush-every", "50ms")
	s.get("/pixel.gif?host=example.org&path=/x")
	s.waitCounted()
	if n := pagesOf(t, off, thisMonth()); n != 1 { // no template of "/"
		t.Errorf("%d pages", n)
	}
}
