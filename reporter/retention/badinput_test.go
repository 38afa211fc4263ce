package retention

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"precount/internal/counters"
	"precount/internal/horizon"
	"precount/internal/sqlitestore"
)

// stored is a store with one expired month, and what it holds.
func stored(t *testing.T) (s *sqlitestore.Store, archive string, want map[string]string) {
	t.Helper()
	s, archive = open(t, t.TempDir()), t.TempDir()
	apply(t, s, month(oct25, 20))
	return s, archive, export(t, s)
}

// TestArchiveDirectory: whatever is wrong with it, nothing is dropped, the error names it, and once it is right the month goes.
func TestArchiveDirectory(t *testing.T) {
	for _, test := range []struct {
		name  string
		spoil func(t *testing.T, archive string) (dir string, repair func())
		words []string
	}{
		{"missing", func(t *testing.T, archive string) (string, func()) {
			dir := filepath.Join(archive, "not-mounted")
			return dir, func() { must(t, os.Mkdir(dir, 0o700)) }
		}, []string{"not-mounted", "does not exist", "mount"}},
		{"a file", func(t *testing.T, archive string) (string, func()) {
			dir := filepath.Join(archive, "file")
			must(t, os.WriteFile(dir, nil, 0o600))
			return dir, func() { must(t, errors.Join(os.Remove(dir), os.Mkdir(dir, 0o700))) }
		}, []string{"file", "--archive"}},
		{"not writable", func(t *testing.T, archive string) (string, func()) {
			if os.Getuid() == 0 { // whom no mode stops
				return readOnlyForRoot, func() {}
			}
			must(t, os.Chmod(archive, 0o500))
			return archive, func() { must(t, os.Chmod(archive, 0o700)) }
		}, []string{"2025-10", "--archive"}},
		{"another archive", func(t *testing.T, archive string) (string, func()) {
			other := open(t, t.TempDir())
			apply(t, other, month(oct25, 3))
			run(t, options(other, archive))
			dir := filepath.Join(archive, "2025-10")
			return archive, func() { must(t, os.Rename(dir, dir+".old")) }
		}, []string{"2025-10", "another archive", "move"}},
		{"something else of that name", func(t *testing.T, archive string) (string, func()) {
			dir := filepath.Join(archive, "2025-10")
			must(t, os.Mkdir(dir, 0o700))
			return archive, func() { must(t, os.Remove(dir)) }
		}, []string{"2025-10", "manifest.json", "move"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, archive, want := stored(t)
			dir, repair := test.spoil(t, archive)
			_, err := retention(t, options(s, dir)).Run(t.Context())
			fails(t, err, append(test.words, "2025-10 is not put away")...)
			same(t, "after the failure", export(t, s), want)
			failedJob(t, s)
			repair()
			if dir == readOnlyForRoot {
				dir = archive
			}
			run(t, options(s, dir))
			must(t, restore(t, s, filepath.Join(dir, "2025-10")))
			same(t, "restored", export(t, s), want)
		})
	}
}

// readOnlyForRoot is a directory of the kernel's.
const readOnlyForRoot = "/sys/kernel"

func failedJob(t *testing.T, s Store) {
	t.Helper()
	record, err := s.Get(t.Context(), counters.JobsRecords, "retain-2025-10")
	must(t, err)
	var job struct{ State, Error string }
	must(t, json.Unmarshal(record.Body, &job))
	if job.State != "failed" || !strings.Contains(job.Error, "2025-10") {
		t.Errorf("the job is %+v", job)
	}
}

// TestFullDisk: at whatever byte the disk becomes full, nothing is dropped and nothing has the name of an archive.
func TestFullDisk(t *testing.T) {
	s, archive, want := stored(t)
	for _, room := range []int{0, 1, 100, 500, 1000} {
		r := retention(t, options(s, archive))
		r.wrap = func(w io.Writer) io.Writer { return &smallDisk{w, room} }
		_, err := r.Run(t.Context())
		fails(t, err, "no space left", "2025-10", "make room")
		if names := files(t, archive); len(names) != 0 {
			t.Errorf("room for %d bytes leaves %v", room, names)
		}
	}
	same(t, "after the failures", export(t, s), want)
	run(t, options(s, archive))
}

type smallDisk struct {
	w    io.Writer
	room int
}

func (d *smallDisk) Write(p []byte) (int, error) {
	if len(p) > d.room {
		return 0, &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	}
	d.room -= len(p)
	return d.w.Write(p)
}

// TestDamagedWhileVerified: an archive that the disk changed before it is read back drops nothing, and the next run heals it.
func TestDamagedWhileVerified(t *testing.T) {
	s, archive, want := stored(t)
	partial := filepath.Join(archive, "2025-10"+partialEnd)
	for _, name := range []string{"sites-oct.jsonl.zst", "hours-oct.jsonl.zst", manifestName} {
		r := retention(t, options(s, archive))
		r.reached = func(point string) {
			if point == "archived" {
				flip(t, filepath.Join(partial, name), -20)
			}
		}
		_, err := r.Run(t.Context())
		fails(t, err, name, "nothing is dropped", "damaged")
		same(t, "after the failure", export(t, s), want)
		failedJob(t, s)
	}
	run(t, options(s, archive))
}

// flip changes one byte of a file; a negative place counts from its end.
func flip(t *testing.T, path string, at int) {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	if at < 0 {
		at += len(data)
	}
	data[at] ^= 1
	must(t, os.WriteFile(path, data, 0o600))
}

// TestCountedWhileVerified: a hit that is counted after the archive was written is not lost; the error says what differs.
func TestCountedWhileVerified(t *testing.T) {
	for _, point := range []string{"archived", "archived, saved"} {
		s, archive, _ := stored(t)
		r := retention(t, options(s, archive))
		late := counters.Update{Key: counters.PageKey(oct25, base, "/docs/"), Inc: []counters.Delta{{Field: counters.Total, N: 1}, {Field: counters.Day(2), N: 1}}}
		r.reached = func(at string) {
			if at == point {
				apply(t, s, []counters.Update{late})
			}
		}
		_, err := r.Run(t.Context())
		fails(t, err, "2025-10", "differ", "org.mongodb/docs/", "nothing is dropped")
		want := export(t, s)
		r.reached = func(string) {}
		run(t, options(s, archive))
		must(t, restore(t, s, filepath.Join(archive, "2025-10")))
		same(t, "restored", export(t, s), want)
	}
}

// TestLeftovers: what a dead process left beside a good archive of the same month is no obstacle.
func TestLeftovers(t *testing.T) {
	s, archive, want := stored(t)
	run(t, options(s, archive))
	dir := filepath.Join(archive, "2025-10")
	must(t, restore(t, s, dir))
	must(t, os.Mkdir(dir+partialEnd, 0o700))
	must(t, os.WriteFile(filepath.Join(dir+partialEnd, "sites-oct.jsonl.zst.tmp"), []byte("half"), 0o600))
	run(t, options(s, archive))
	if names, _ := filepath.Glob(dir + "*"); len(names) != 1 {
		t.Errorf("left: %v", names)
	}
	must(t, restore(t, s, dir))
	same(t, "restored", export(t, s), want)
}

// TestBacklog: a month that a collector may still write stays, and hits of it are still taken.
func TestBacklog(t *testing.T) {
	s, archive, want := stored(t)
	h := horizon.New(s)
	_, err := h.Announce(t.Context(), "c1", oct25)
	must(t, err)
	r := retention(t, options(s, archive))
	_, err = r.Run(t.Context())
	fails(t, err, "2025-10", "c1", "--forget-collector c1")
	if !errors.Is(err, ErrBacklog) {
		t.Error(err)
	}
	same(t, "with a backlog", export(t, s), want)
	must(t, h.Refresh(t.Context()))
	if h.Expired(oct25) {
		t.Error("hits are refused, though the month stays")
	}
	_, err = h.Announce(t.Context(), "c1", nov25)
	must(t, err)
	run(t, options(s, archive))

	apply(t, s, month(nov25, 1))
	o := options(s, archive)
	o.Keep = 12
	_, err = retention(t, o).Run(t.Context())
	fails(t, err, "c1")
	must(t, r.Forget(t.Context(), "c1"))
	run(t, o)
}

// TestBacklogRace: a collector that announces at the very moment sees the closed month, or retention sees the collector.
func TestBacklogRace(t *testing.T) {
	s, archive, want := stored(t)
	h := horizon.New(s)
	r := retention(t, options(s, archive))
	r.reached = func(point string) {
		if point == "closed" {
			expired, err := h.Announce(t.Context(), "c1", oct25)
			must(t, err)
			if !expired(oct25) {
				t.Error("announced after the month was closed, and told that it is open")
			}
		}
	}
	_, err := r.Run(t.Context())
	must(t, err)
	must(t, restore(t, s, filepath.Join(archive, "2025-10")))
	same(t, "restored", export(t, s), want)
}

// TestComesBack: collections of a month that was put away are not rolled up over its totals.
func TestComesBack(t *testing.T) {
	s, archive, _ := stored(t)
	run(t, options(s, archive))
	before, _ := rollupOf(t, s, base, oct25)
	apply(t, s, month(oct25, 1)[:3])
	for range 2 {
		_, err := retention(t, options(s, archive)).Run(t.Context())
		fails(t, err, "2025-10", "put away before", "precount restore")
	}
	if after, _ := rollupOf(t, s, base, oct25); after.Total != before.Total {
		t.Errorf("total is %d, was %d", after.Total, before.Total)
	}
}

// TestRestoreRefuses: a broken archive, and documents with other counts, change nothing.
func TestRestoreRefuses(t *testing.T) {
	s, archive, want := stored(t)
	run(t, options(s, archive))
	dir := filepath.Join(archive, "2025-10")
	pages := filepath.Join(dir, "sites-oct.jsonl.zst")
	manifest, err := os.ReadFile(filepath.Join(dir, manifestName))
	must(t, err)
	original, err := os.ReadFile(pages)
	must(t, err)
	refused := func(words ...string) {
		t.Helper()
		fails(t, restore(t, s, dir), words...)
		same(t, "after a refused restore", export(t, s), map[string]string{})
	}
	for i := range manifest {
		flip(t, filepath.Join(dir, manifestName), i)
		refused(manifestName)
		must(t, os.WriteFile(filepath.Join(dir, manifestName), manifest, 0o600))
	}
	for _, n := range []int{0, 1, 20, len(original) / 2, len(original) - 5, len(original) - 1} {
		must(t, os.WriteFile(pages, original[:n], 0o600))
		refused(pages, "damaged")
	}
	must(t, os.WriteFile(pages, append(bytes.Clone(original), 0), 0o600))
	refused(pages, "damaged")
	must(t, os.Remove(pages))
	refused(pages, "cannot read")
	must(t, os.WriteFile(pages, original, 0o600))
	fails(t, restore(t, s, pages), "as a whole", "hours-oct.jsonl.zst")
	fails(t, restore(t, s, filepath.Join(dir, "nothing")), "nothing")

	all, err := filepath.Glob(filepath.Join(dir, "*"))
	must(t, err)
	must(t, restore(t, s, all...))
	same(t, "restored by its files", export(t, s), want)
	apply(t, s, []counters.Update{{Key: counters.AttrKey(oct25, base, "campaign", "Firefox"), Inc: []counters.Delta{{Field: counters.Total, N: 1}, {Field: counters.Day(9), N: 1}}}})
	changed := export(t, s)
	must(t, s.Drop(t.Context(), counters.Collection{Month: oct25, Kind: counters.Pages}))
	delete(changed, "stats-2025.sites-oct")
	fails(t, restore(t, s, dir), "campaign|Firefox", "nothing is changed")
	same(t, "after a conflict", export(t, s), changed)
}
