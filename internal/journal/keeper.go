package journal

import (
	"errors"
	"os"
)

// keeper is an empty file that keeps the highest number while no segment does.
type keeper struct {
	number uint64
	path   string // "" if there is none
}

// keep empties the file at path and leaves it to keep its number, if no file keeps a higher one; a lower one goes. It
// closes f, which may be nil.
func (j *Journal) keep(number uint64, path string, f file) error {
	errs := []error{os.Truncate(path, 0)}
	if f != nil {
		errs = append(errs, f.close())
	}
	j.mu.Lock()
	surplus := path
	switch {
	case j.keeper.path == path:
		surplus = ""
	case number >= j.keeper.number:
		surplus = j.keeper.path
		j.keeper = keeper{number: number, path: path}
	}
	j.mu.Unlock()
	if surplus != "" {
		errs = append(errs, gone(os.Remove(surplus)))
	}
	return errors.Join(errs...)
}

// dropKeeper removes the number's keeper once a segment with a higher number is on disk.
func (j *Journal) dropKeeper() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.keeper.path != "" && j.keeper.number < j.newest && gone(os.Remove(j.keeper.path)) == nil {
		j.keeper = keeper{} // otherwise the next spare, or the next Open, tries again
	}
}
