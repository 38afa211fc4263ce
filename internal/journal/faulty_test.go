package journal

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// faultyDisk fails on demand. Its zero value works.
type faultyDisk struct {
	osDisk
	heap bool // files as on systems without mappings

	mu                           sync.Mutex
	createErr, syncErr, flushErr error
	syncs                        int
	syncTime                     time.Duration // how long each sync takes, in a test with fake time
}

func (d *faultyDisk) fail(create, sync, flush error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.createErr, d.syncErr, d.flushErr = create, sync, flush
}

func (d *faultyDisk) create(path string, size int64) (file, error) {
	d.mu.Lock()
	err := d.createErr
	d.mu.Unlock()
	if err != nil {
		return nil, &os.PathError{Op: "fallocate", Path: path, Err: err}
	}
	f, err := d.osDisk.create(path, size)
	if err != nil {
		return nil, err
	}
	return d.wrap(f, path, size)
}

func (d *faultyDisk) open(path string) (file, error) {
	f, err := d.osDisk.open(path)
	if err != nil {
		return nil, err
	}
	return d.wrap(f, path, int64(len(f.bytes())))
}

func (d *faultyDisk) wrap(f file, path string, size int64) (file, error) {
	if d.heap {
		if err := f.close(); err != nil {
			return nil, err
		}
		g, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return nil, err
		}
		if f, err = newWritten(g, size); err != nil {
			return nil, err
		}
	}
	return &faultyFile{file: f, disk: d}, nil
}

type faultyFile struct {
	file
	disk *faultyDisk
}

func (f *faultyFile) sync() error {
	f.disk.mu.Lock()
	f.disk.syncs++
	err, took := f.disk.syncErr, f.disk.syncTime
	f.disk.mu.Unlock()
	time.Sleep(took)
	if err != nil {
		return err
	}
	return f.file.sync()
}

func (f *faultyFile) flush(from, to int64) error {
	f.disk.mu.Lock()
	err := f.disk.flushErr
	f.disk.mu.Unlock()
	if err != nil {
		return errors.Join(f.file.flush(from, (from+to)/2), err) // half way
	}
	return f.file.flush(from, to)
}

// The whole journal works the same on systems that cannot map files.
func TestWrittenFiles(t *testing.T) {
	o := small(t.TempDir())
	o.disk = &faultyDisk{heap: true}
	j := mustOpen(t, o)
	want := numbered("some longer record", 5000)
	mustAppend(t, j, want...)
	crash(t, j)
	if got := drain(t, mustOpen(t, o)); !slices.Equal(got, want) {
		t.Errorf("got %d records of %d", len(got), len(want))
	}
}

// A write that fails half way is an error of that append; no half record is ever delivered.
func TestShortWrite(t *testing.T) {
	for _, cause := range []error{io.ErrShortWrite, syscall.ENOSPC, syscall.EIO} {
		t.Run(cause.Error(), func(t *testing.T) {
			d := &faultyDisk{heap: true}
			o := small(t.TempDir())
			o.disk = d
			j := mustOpen(t, o)
			mustAppend(t, j, "before")
			d.fail(nil, nil, cause)
			if _, err := j.Append([]byte("half of this is written")); !errors.Is(err, cause) {
				t.Errorf("append: %v", err)
			}
			d.fail(nil, nil, nil)
			await(t, "accepting", func() bool { _, err := j.Append([]byte("after")); return err == nil })
			crash(t, j)
			if got := drain(t, mustOpen(t, o)); !slices.Equal(got, []string{"before", "after"}) {
				t.Errorf("got %q", got)
			}
		})
	}
}

// After a failed fsync nobody is told that his record is safe, the segment is given up, and the records are read still.
func TestSyncFails(t *testing.T) {
	d := &faultyDisk{}
	var trouble []error
	var mu sync.Mutex
	o := small(t.TempDir())
	o.disk = d
	o.OnTrouble = func(err error) { mu.Lock(); trouble = append(trouble, err); mu.Unlock() }
	j, err := Open(o)
	must(t, err)
	safe := mustAppend(t, j, "safe")
	must(t, j.WaitSynced(safe))
	d.fail(nil, syscall.EIO, nil)
	p := mustAppend(t, j, "unsafe")
	if err := j.WaitSynced(p); !errors.Is(err, syscall.EIO) || strings.Contains(err.Error(), "\n") {
		t.Fatalf("WaitSynced: %v", err)
	}
	await(t, "refusal", func() bool { return !j.Stats().Accepting })
	if _, err := j.Append([]byte("refused")); !errors.Is(err, syscall.EIO) {
		t.Errorf("append on a broken disk: %v", err)
	}
	d.fail(nil, nil, nil)
	if err := j.WaitSynced(p); !errors.Is(err, syscall.EIO) {
		t.Errorf("a later sync made it good: %v", err)
	}
	must(t, j.WaitSynced(safe))
	await(t, "accepting", func() bool { return j.Stats().Accepting })
	must(t, j.WaitSynced(mustAppend(t, j, "new")))
	if got := drain(t, j); !slices.Equal(got, []string{"safe", "unsafe", "new"}) {
		t.Errorf("got %q", got)
	}
	must(t, j.Close())
	mu.Lock()
	defer mu.Unlock()
	if n := len(trouble); n != 3 || trouble[2] != nil {
		t.Errorf("trouble: %v, want the sync, the refusal, and its end", trouble)
	}
}

func TestCloseTellsFailedSync(t *testing.T) {
	d := &faultyDisk{}
	o := small(t.TempDir())
	o.disk = d
	j, err := Open(o)
	must(t, err)
	mustAppend(t, j, "r")
	d.fail(nil, syscall.EIO, nil)
	if err := j.Close(); !errors.Is(err, syscall.EIO) {
		t.Errorf("close: %v", err)
	}
	if err := j.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
}

// A full disk refuses at once, and the journal accepts again by itself. The time is fake.
func TestDiskFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &faultyDisk{}
		o := small(t.TempDir())
		o.disk = d
		j := mustOpen(t, o)
		synctest.Wait()
		d.fail(syscall.ENOSPC, nil, nil)
		n, err := fill(j)
		if !errors.Is(err, ErrFull) || !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), o.Dir) {
			t.Errorf("append: %v", err)
		}
		if s := j.Stats(); s.Accepting || s.Refusal == nil {
			t.Errorf("stats %+v", s)
		}
		d.fail(nil, nil, nil)
		if _, err := j.Append(make([]byte, 5000)); err == nil {
			t.Error("the disk is asked for every append")
		}
		time.Sleep(retryEvery)
		synctest.Wait()
		mustAppend(t, j, string(make([]byte, 5000)))
		if got := drain(t, j); len(got) != n+1 {
			t.Errorf("got %d records, want %d", len(got), n+1)
		}
	})
}

// Closing in the middle of an outage is not its end.
func TestCloseInOutage(t *testing.T) {
	d := &faultyDisk{}
	var trouble []error
	o := small(t.TempDir())
	o.disk = d
	o.OnTrouble = func(err error) { trouble = append(trouble, err) }
	j := mustOpen(t, o)
	d.fail(syscall.ENOSPC, nil, nil)
	if _, err := fill(j); !errors.Is(err, ErrFull) {
		t.Errorf("append: %v", err)
	}
	j.Seal()
	must(t, j.Close())
	if len(trouble) != 1 || !errors.Is(trouble[0], ErrFull) {
		t.Errorf("trouble: %v", trouble)
	}
}

// fill appends until the journal refuses.
func fill(j *Journal) (int, error) {
	for n := 0; ; n++ {
		if _, err := j.Append(make([]byte, 5000)); err != nil {
			return n, err
		}
	}
}

// Open on a full disk works: what waits can be read and released.
func TestOpenOnFullDisk(t *testing.T) {
	o := small(t.TempDir())
	d := &faultyDisk{}
	o.disk = d
	j := mustOpen(t, o)
	last := mustAppend(t, j, "one", "two").Token()
	crash(t, j)
	d.fail(syscall.ENOSPC, nil, nil)
	for range 3 {
		j = mustOpen(t, o)
		if _, err := j.Append([]byte("r")); !errors.Is(err, ErrFull) {
			t.Errorf("append: %v", err)
		}
		crash(t, j)
	}
	j = mustOpen(t, o)
	if got := drain(t, j); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("got %q", got)
	}
	must(t, j.Close())
	d.fail(nil, nil, nil)
	if p := mustAppend(t, mustOpen(t, o), "three"); p.Token() <= last {
		t.Errorf("token %d after %d", p.Token(), last)
	}
}

// At the cap, appends are refused until something is released.
func TestCap(t *testing.T) {
	o := small(t.TempDir())
	o.MaxBytes = 5 * minSegmentBytes
	j := mustOpen(t, o)
	n, err := fill(j)
	if !errors.Is(err, ErrFull) || strings.Contains(err.Error(), "\n") {
		t.Fatalf("append: %v", err)
	}
	if s := j.Stats(); s.Bytes > o.MaxBytes || s.Bytes < o.MaxBytes-minSegmentBytes || s.Accepting {
		t.Errorf("stats %+v", s)
	}
	s, _ := j.Oldest()
	n -= len(read(t, s))
	must(t, j.Release(s))
	await(t, "accepting", func() bool { return j.Stats().Accepting })
	mustAppend(t, j, string(make([]byte, 5000)))
	if got := drain(t, j); len(got) != n+1 {
		t.Errorf("got %d records, want %d", len(got), n+1)
	}
	for range 50 { // recycling does not leak
		mustAppend(t, j, string(make([]byte, 5000)))
		drain(t, j)
	}
	if s := j.Stats(); s.Bytes > o.MaxBytes {
		t.Errorf("stats %+v", s)
	}
}

// A file that is cut beneath its mapping gives an error, no crash; what was not cut is delivered.
func TestFault(t *testing.T) {
	o := small(t.TempDir())
	var damages []error
	o.OnDamage = func(e *CorruptionError) { damages = append(damages, e) }
	j := mustOpen(t, o)
	want := numbered("r", 100)
	p := mustAppend(t, j, want...)
	mustAppend(t, j, string(make([]byte, 8192))) // reaches over the cut
	must(t, os.Truncate(j.path(p.Token(), segExt), 4096))
	if _, err := j.Append([]byte("too late")); err == nil || !strings.Contains(err.Error(), "mapped page") {
		t.Fatalf("append: %v", err)
	}
	if debug.SetPanicOnFault(false) {
		t.Error("faults of this goroutine panic from now on")
	}
	next := mustAppend(t, j, "new")
	if next.Token() == p.Token() {
		t.Error("a cut segment takes records")
	}
	if got := drain(t, j); !slices.Equal(got, append(want, "new")) {
		t.Errorf("got %q", got)
	}
	if s := j.Stats(); s.Lost != 1 || s.Damaged != 1 || len(damages) != 1 || !errors.Is(damages[0], errUnmapped) {
		t.Errorf("stats %+v, damages %v", s, damages)
	}
	if names := list(t, filepath.Join(o.Dir, damagedDir)); len(names) != 1 {
		t.Errorf("damaged/ has %q", names)
	}
}
