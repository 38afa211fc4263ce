package journal

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"
)

const victimWriters = 4

// victim appends from several goroutines until it is killed, and writes down what was acknowledged: for each record
// the writer and its count, to standard output.
func victim(dir string) {
	j, err := Open(Options{Dir: dir, SegmentBytes: 256 << 10, MaxBytes: 256 << 20, SyncEvery: time.Millisecond})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var out sync.Mutex
	var wg sync.WaitGroup
	for w := range victimWriters {
		wg.Go(func() {
			record := make([]byte, 100+w)
			for n := uint64(1); ; n++ {
				binary.LittleEndian.PutUint64(record, uint64(w))
				binary.LittleEndian.PutUint64(record[8:], n)
				if _, err := j.Append(record); err != nil {
					return // full: whoever kills us was late
				}
				out.Lock()
				_, _ = os.Stdout.Write(record[:16]) // its reader is gone when we are about to be killed
				out.Unlock()
			}
		})
	}
	wg.Go(func() {
		for range time.Tick(3 * time.Millisecond) {
			j.Seal()
		}
	})
	wg.Wait()
}

// TestKill kills a real process. All that it acknowledged must be there, each once, in order; beyond that, at most one
// record of each writer whose answer was on its way.
func TestKill(t *testing.T) {
	for _, after := range []int{1, 1000, 12_345, 40_000} {
		t.Run(fmt.Sprint(after), func(t *testing.T) {
			dir := t.TempDir()
			acked := kill(t, dir, after)
			j := mustOpen(t, Options{Dir: dir, OnDamage: func(e *CorruptionError) { t.Error(e) }})
			var found [victimWriters]uint64
			total := 0
			for _, r := range drain(t, j) {
				w, n := le.Uint64([]byte(r)), le.Uint64([]byte(r[8:]))
				if n != found[w]+1 {
					t.Fatalf("writer %d: record %d after %d", w, n, found[w])
				}
				found[w] = n
				total++
			}
			for w := range acked {
				if found[w] < acked[w] || found[w] > acked[w]+1 {
					t.Errorf("writer %d: %d acknowledged, %d found", w, acked[w], found[w])
				}
			}
			t.Logf("acknowledged %v, found %v, %d in all", acked, found, total)
		})
	}
}

// kill starts a victim on dir, kills it after it acknowledged some records, and returns how many of each writer.
func kill(t *testing.T, dir string, after int) (acked [victimWriters]uint64) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "JOURNAL_VICTIM="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(out)
	ack := make([]byte, 16)
	for n := 0; ; n++ {
		if n == after {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := io.ReadFull(in, ack); err != nil {
			if n < after {
				t.Fatalf("victim ended after %d records: %v", n, err)
			}
			break
		}
		acked[le.Uint64(ack)] = le.Uint64(ack[8:])
	}
	_ = cmd.Wait() // it was killed, that is its error
	return acked
}
