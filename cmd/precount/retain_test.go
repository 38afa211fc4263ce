package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"precount/internal/counters"
	"precount/internal/lease"
	"precount/internal/sqlitestore"
)

// withOldMonths makes a data directory with a site and views in each of the last months, and returns the oldest month.
func withOldMonths(t *testing.T, months int) (data string, oldest counters.Month) {
	t.Helper()
	data = t.TempDir()
	if code, _, stderr := command(t, "site", "add", "example.org", "public=true", "--data", data); code != exitDone {
		t.Fatal(stderr)
	}
	s, err := sqlitestore.Open(sqlitestore.Options{Dir: data})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	running := counters.MonthOf(time.Now().UTC())
	for i := range months {
		m := running.Add(-i)
		day := func(n int64) []counters.Delta {
			return []counters.Delta{{Field: counters.Total, N: n}, {Field: counters.Day(1), N: n}}
		}
		if err := s.Apply(context.Background(), counters.Batch{Collector: "test", Token: uint64(i) + 1, Updates: []counters.Update{
			{Key: counters.PageKey(m, "org.example", "/docs/"), Inc: day(5)},
			{Key: counters.SectionKey(m, "org.example", 1, "/docs/"), Inc: day(5)},
			{Key: counters.HoursKey(m, "org.example", 1), Inc: []counters.Delta{{Field: counters.Total, N: 5}, {Field: counters.Hour(3), N: 5}}},
		}}); err != nil {
			t.Fatal(err)
		}
		oldest = m
	}
	return data, oldest
}

func TestRetainUsage(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	for _, args := range [][]string{{"retain"}, {"retain", "--keep", "0"}, {"retain", "--keep", "-1"}, {"retain", "--keep", "many"},
		{"retain", "--keep", "13", "--archive", "x", "--no-archive"}, {"restore"}, {"serve", "--keep", "0", "--archive", "x"}, {"serve", "--no-archive"}} {
		if code, _, stderr := command(t, append(args, "--data", data)...); code != exitUsage || !strings.Contains(stderr, "Usage:") {
			t.Errorf("%v: exit %d, %s", args, code, stderr)
		}
	}
	if _, err := os.Stat(data); err == nil {
		t.Error("the data directory was made")
	}
}

// TestRetainAndRestore: dry run, retain, report, restore, with the real binary and its exit codes.
func TestRetainAndRestore(t *testing.T) {
	data, oldest := withOldMonths(t, 4)
	does := func(want int, args ...string) (stdout, stderr string) {
		t.Helper()
		code, stdout, stderr := command(t, append(args, "--data", data)...)
		if code != want {
			t.Fatalf("%v: exit %d\n%s\n%s", args, code, stdout, stderr)
		}
		return stdout, stderr
	}
	if out, _ := does(exitDone, "retain", "--keep", "3", "--dry-run"); !strings.Contains(out, oldest.String()) || strings.Contains(out, oldest.Add(1).String()) {
		t.Errorf("dry run:\n%s", out)
	}
	out, _ := does(exitDone, "retain", "--keep", "3", "--dry-run", "--json")
	var plan struct{ Months []struct{ Month string } }
	if err := json.Unmarshal([]byte(out), &plan); err != nil || len(plan.Months) != 1 {
		t.Errorf("dry run as JSON: %v\n%s", err, out)
	}
	if _, stderr := does(exitFailed, "retain", "--keep", "3", "--archive", filepath.Join(data, "nowhere")); !strings.Contains(stderr, "nowhere does not exist") {
		t.Error(stderr)
	}
	if out, _ := does(exitDone, "retain", "--keep", "3"); !strings.Contains(out, "put away "+oldest.String()+": 3 collections, 3 documents") {
		t.Error(out)
	}
	if out, _ := does(exitDone, "retain", "--keep", "3"); !strings.Contains(out, "nothing is put away") {
		t.Error(out)
	}
	if out, _ := does(exitDone, "report", "--site", "example.org", "--from", oldest.String()); !strings.Contains(out, "20 views") || !strings.Contains(out, "Detail is gone for "+oldest.String()) {
		t.Error(out)
	}
	archive := filepath.Join(data, "archive", oldest.String())
	if out, _ := does(exitDone, "restore", archive); !strings.Contains(out, "restored "+oldest.String()) {
		t.Error(out)
	}
	if out, _ := does(exitDone, "report", "--site", "example.org", "--from", oldest.String()); !strings.Contains(out, "20 views") || strings.Contains(out, "gone") {
		t.Error(out)
	}
	_, stderr := does(exitFailed, "restore", data)
	if !strings.Contains(stderr, "manifest.json") {
		t.Error(stderr)
	}
}

// TestRetainIsLeased: exit 3 while another process is at it.
func TestRetainIsLeased(t *testing.T) {
	data, oldest := withOldMonths(t, 2)
	s, err := sqlitestore.Open(sqlitestore.Options{Dir: data})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, err = lease.Acquire(t.Context(), lease.Options{Records: s, Collection: counters.JobsRecords, ID: "retain-" + oldest.String(), Owner: "other process"})
	if err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := command(t, "retain", "--keep", "1", "--data", data); code != exitLeased || !strings.Contains(stderr, "other process") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// TestServeRetains: a serving process with --keep puts old months away by itself, and goes on counting.
func TestServeRetains(t *testing.T) {
	data, oldest := withOldMonths(t, 3)
	s := serve(t, data, "--keep", "2", "--flush-every", "20ms")
	waitFor(t, "the month is put away", func() bool { return strings.Contains(s.log.String(), `"message":"put away"`) })
	if _, err := os.Stat(filepath.Join(data, "archive", oldest.String(), "manifest.json")); err != nil {
		t.Error(err)
	}
	if status, _, _ := s.get("/pixel.gif?host=example.org&path=/docs/"); status != 200 {
		t.Error(status)
	}
	s.waitCounted()
	var views struct {
		Total    int64
		RolledUp []string `json:"rolled_up"`
	}
	s.getJSON("/api/v1/sites/example.org/views?from="+oldest.String(), &views)
	if views.Total != 16 || len(views.RolledUp) != 1 {
		t.Errorf("%+v", views)
	}
	if code := s.stop(); code != exitDone {
		t.Errorf("exit %d\n%s", code, s.log)
	}
	if code, _, stderr := command(t, "retain", "--keep", "1", "--data", data); code != exitDone {
		t.Errorf("a stopped collector is in the way: exit %d, %s", code, stderr)
	}
}
