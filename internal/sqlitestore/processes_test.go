package sqlitestore

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"precount/internal/counters"
	"precount/internal/storetest"
)

// child is what a test starts as a process of its own: it applies batches, and says so after each.
func child(dir string) {
	s, err := Open(Options{Dir: dir})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	from, _ := strconv.Atoi(os.Getenv("SQLITESTORE_FROM"))
	to, _ := strconv.Atoi(os.Getenv("SQLITESTORE_TO"))
	for token := from; token <= to; token++ {
		if err := s.Apply(ctx, childBatch(os.Getenv("SQLITESTORE_COLLECTOR"), token)); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(token)
	}
	if err := s.Close(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// childBatch touches two years, so that a kill may fall between them.
func childBatch(collector string, token int) counters.Batch {
	return batch(collector, token, append(storetest.PageUpdates(nov26, 1+token%30, 300), storetest.PageUpdates(feb28, 1+token%29, 300)...))
}

func start(t *testing.T, dir, collector string, from, to int) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "SQLITESTORE_CHILD="+dir, "SQLITESTORE_COLLECTOR="+collector,
		fmt.Sprint("SQLITESTORE_FROM=", from), fmt.Sprint("SQLITESTORE_TO=", to))
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// Killed in the middle of applying, again and again, then the last batch tried again: every batch counted once.
func TestKilled(t *testing.T) {
	dir, done := t.TempDir(), 0
	for range 15 {
		cmd, lines := start(t, dir, "a", done+1, 1_000_000)
		for range 1 + rand.IntN(10) {
			if !lines.Scan() {
				break
			}
			token, err := strconv.Atoi(lines.Text())
			if err != nil {
				t.Fatal(lines.Text())
			}
			done = token
		}
		cmd.Process.Kill()
		for lines.Scan() { // what it acknowledged before it died
			if token, err := strconv.Atoi(lines.Text()); err == nil {
				done = token
			}
		}
		cmd.Wait()
	}
	s := open(t, dir)
	apply(t, s, childBatch("a", done))
	apply(t, s, childBatch("a", done+1)) // perhaps applied, in one year or both, but not acknowledged
	want := make(map[counters.Month]int64)
	want[nov26], want[feb28] = int64(300*(done+1)), int64(300*(done+1))
	for month, n := range want {
		if got := total(t, s, month); got != n {
			t.Errorf("%s: %d views, want %d after %d batches", month, got, n, done+1)
		}
	}
	t.Logf("%d batches, 15 kills", done+1)
}

// Processes, and two stores in one process, write and read the same files at once.
func TestManyProcesses(t *testing.T) {
	const batches = 30
	dir := t.TempDir()
	stores := []*Store{open(t, dir), open(t, dir)}
	var wg sync.WaitGroup
	for i := range 2 {
		cmd, lines := start(t, dir, fmt.Sprint("process", i), 1, batches)
		wg.Go(func() {
			last := ""
			for lines.Scan() {
				last = lines.Text()
			}
			if err := cmd.Wait(); err != nil || last != fmt.Sprint(batches) {
				t.Errorf("process %d: %v, last line %q", i, err, last)
			}
		})
		wg.Go(func() {
			for token := range batches {
				if err := stores[i].Apply(ctx, childBatch(fmt.Sprint("store", i), token+1)); err != nil {
					t.Error(err)
				}
				for _, err := range stores[1-i].Scan(ctx, counters.Collection{Month: nov26}, "") {
					if err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	for _, month := range []counters.Month{nov26, feb28} {
		if n := total(t, stores[0], month); n != 4*300*batches {
			t.Errorf("%s: %d views, want %d", month, n, 4*300*batches)
		}
	}
}

// One process deletes a year while another has it open for reading and writing.
func TestDroppedByAnother(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, dir), open(t, dir)
	c := counters.Collection{Month: nov26, Kind: counters.Pages}
	for token := range 10 {
		apply(t, a, batch("a", token+1, storetest.PageUpdates(nov26, 3, 100)))
		if n := total(t, a, nov26); n != 100 {
			t.Fatalf("%d views", n)
		}
		if err := b.Drop(ctx, c); err != nil {
			t.Fatal(err)
		}
		if token%2 == 0 {
			if err := b.DropDatabase(ctx, 2026); err != nil {
				t.Fatal(err)
			}
		}
		if n := total(t, a, nov26); n != 0 {
			t.Fatalf("%d views after the drop", n)
		}
	}
	if n := size(t, filepath.Join(dir, "stats-2026.db-wal")); n > logSize {
		t.Errorf("log has %d bytes", n)
	}
}
