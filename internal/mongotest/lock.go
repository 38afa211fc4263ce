//go:build unix

package mongotest

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// lock waits until no other test, of this process or another, has the server that the URI names: the databases' names
// are fixed, and "go test ./..." runs packages side by side.
func lock(t testing.TB, uri string) {
	t.Helper()
	hash := fnv.New64a()
	hash.Write([]byte(uri))
	name := filepath.Join(os.TempDir(), fmt.Sprintf("precount-mongotest-%x.lock", hash.Sum64()))
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
}
