package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestFilesRemoved: somebody removes the journal's files while it is in use. What stood in them is delivered and released
// all the same, and what comes after the next release stands in files that are there.
func TestFilesRemoved(t *testing.T) {
	for name, sealed := range map[string]bool{"open": false, "sealed": true} {
		t.Run(name, func(t *testing.T) {
			o := small(t.TempDir())
			var mu sync.Mutex
			var told []string
			o.OnTrouble = func(err error) {
				mu.Lock()
				defer mu.Unlock()
				told = append(told, fmt.Sprint(err))
			}
			j := mustOpen(t, o)
			mustAppend(t, j, "first")
			drain(t, j) // there is one to be recycled, too
			mustAppend(t, j, "before")
			if sealed {
				j.Seal()
			}
			await(t, "a spare", func() bool {
				j.mu.Lock()
				defer j.mu.Unlock()
				return j.spare != nil
			})
			files, err := filepath.Glob(filepath.Join(o.Dir, "*.*"))
			must(t, err)
			for _, f := range files {
				must(t, os.Remove(f))
			}
			mustAppend(t, j, "between")
			if got := drain(t, j); strings.Join(got, " ") != "before between" {
				t.Errorf("delivered %q", got)
			}
			mustAppend(t, j, "after")
			if s := j.Stats(); s.Released != 3 || s.Lost != 0 || s.Pending != 1 || !s.Accepting {
				t.Errorf("books %+v", s)
			}
			crash(t, j)
			if got := drain(t, mustOpen(t, o)); strings.Join(got, " ") != "after" {
				t.Errorf("after a crash: %q", got)
			}
			mu.Lock()
			defer mu.Unlock()
			if !strings.Contains(strings.Join(told, "\n"), "was removed by somebody else") {
				t.Errorf("told %q", told)
			}
		})
	}
}
