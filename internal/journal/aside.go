package journal

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

const (
	damagedDir = "damaged"
	// maxDamaged bounds what is kept aside; the oldest goes.
	maxDamaged = 64
)

// putAside moves a file to damaged/. If it had the highest number of all, an empty file keeps that number.
func (j *Journal) putAside(number uint64, path string) error {
	dir := filepath.Join(j.opts.Dir, damagedDir)
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if number > 0 && number >= j.newestNumber() {
		free := j.path(number, freeExt)
		if err := os.WriteFile(free, nil, 0o600); err != nil {
			return err
		}
		j.tell(j.keep(number, free, nil))
	}
	if err := gone(os.Rename(path, unusedName(dir, filepath.Base(path)))); err != nil {
		return err
	}
	count, err := boundDamaged(dir)
	j.mu.Lock()
	j.damaged = count
	j.mu.Unlock()
	j.tell(err)
	return nil
}

func (j *Journal) newestNumber() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.newest
}

// unusedName appends .1, .2 … if a file of that name was put aside before. boundDamaged keeps the search short.
func unusedName(dir, name string) string {
	path := filepath.Join(dir, name)
	for i := 1; i <= maxDamaged+1; i++ {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			break
		}
		path = filepath.Join(dir, fmt.Sprintf("%s.%d", name, i))
	}
	return path
}

// boundDamaged removes the files that were changed longest ago, until maxDamaged are left, and counts those.
func boundDamaged(dir string) (int, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if len(entries) <= maxDamaged || err != nil {
		return len(entries), err
	}
	changed := func(e os.DirEntry) int64 {
		info, err := e.Info()
		if err != nil {
			return 0
		}
		return info.ModTime().UnixNano()
	}
	slices.SortStableFunc(entries, func(a, b os.DirEntry) int { return cmp.Compare(changed(a), changed(b)) })
	var errs []error
	for _, e := range entries[:len(entries)-maxDamaged] {
		errs = append(errs, os.Remove(filepath.Join(dir, e.Name())))
	}
	return maxDamaged, errors.Join(errs...)
}
