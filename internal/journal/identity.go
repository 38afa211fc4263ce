package journal

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	idName   = "id"
	lockName = "lock"
)

// makeDir creates the directory and makes its name durable.
func makeDir(dir string) error {
	if _, err := os.Stat(dir); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return syncDir(filepath.Dir(filepath.Clean(dir)))
}

// takeLock guards the directory until the file is closed or the process ends.
func takeLock(dir string) (*os.File, error) {
	path := filepath.Join(dir, lockName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open journal lock: %w; check the directory's owner and mode", err)
	}
	if err := lockFile(f); err != nil {
		err = fmt.Errorf("lock journal directory %s: %w; stop that process, or use another directory", dir, err)
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// readID reads the journal's id, or makes one up for a new journal. known is the id found in the segments, "" if there
// are none: with another id, segments that were stored in part would be stored again under new tokens.
func readID(dir, known string) (string, error) {
	path := filepath.Join(dir, idName)
	data, err := os.ReadFile(path)
	switch id := strings.TrimSuffix(string(data), "\n"); {
	case err == nil && validID(id):
		return id, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("read journal id: %w; check the file's owner and mode", err)
	case known == "" && err == nil:
		return "", fmt.Errorf("journal id in %s is damaged and no segment tells it: restore the file, or remove it to begin anew", path)
	}
	id := known
	if id == "" {
		id = newID()
	}
	if err := writeWhole(dir, idName, []byte(id+"\n")); err != nil {
		return "", fmt.Errorf("write journal id: %w; check that disk", err)
	}
	return id, nil
}

// newID returns 60 random bits in hexadecimal behind a letter, so that a document's field of that name never looks
// like the index of an array.
func newID() string {
	var b [8]byte
	rand.Read(b[:]) // never fails, see its documentation
	return "c" + hex.EncodeToString(b[:])[1:]
}

func validID(id string) bool {
	if len(id) != idLength || id[0] < 'a' || id[0] > 'z' {
		return false
	}
	return strings.IndexFunc(id, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) < 0
}
