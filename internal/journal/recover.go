package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// candidate is a file that is a segment by its name.
type candidate struct {
	number uint64
	path   string
	size   int64
	head   []byte // the bytes before the first record
	header header
}

// recover takes stock of the directory: the id, the segments to deliver, the numbers that were given out.
func (j *Journal) recover() error {
	found, err := j.scan()
	if err != nil {
		return err
	}
	segments, err := j.readHeaders(found)
	if err != nil {
		return err
	}
	if segments, err = j.identify(segments); err != nil {
		return err
	}
	for _, c := range segments {
		if err := j.admit(c); err != nil {
			return err
		}
	}
	j.recovered = j.appended
	if err := j.dropEmpty(); err != nil {
		return err
	}
	if n := len(j.waiting); n > 0 {
		j.tail = j.waiting[n-1].number
	}
	return nil
}

// scan sorts the directory's files by what they are. Strange ones are put aside, other names' directories and dot files
// (of file systems, of editors) left alone. os.ReadDir sorts by name, and so by number.
func (j *Journal) scan() ([]candidate, error) {
	entries, err := os.ReadDir(j.opts.Dir)
	if err != nil {
		return nil, fmt.Errorf("list journal directory: %w", err)
	}
	var found []candidate
	var strange []string
	for _, e := range entries {
		path := filepath.Join(j.opts.Dir, e.Name())
		number, ext := parseName(e.Name())
		j.next = max(j.next, number)
		switch {
		case e.Name() == damagedDir || e.Name() == idName || e.Name() == lockName:
		case e.Name() == idName+".tmp":
			j.tell(os.Remove(path))
		case ext == segExt && e.Type().IsRegular():
			found = append(found, candidate{number: number, path: path})
		case ext == freeExt && e.Type().IsRegular():
			j.tell(j.keep(number, path, nil))
		case e.Type().IsRegular() && !strings.HasPrefix(e.Name(), "."):
			strange = append(strange, path)
		}
	}
	j.newest = j.next
	if err := j.putStrangeAside(strange); err != nil {
		return nil, err
	}
	return found, j.countDamaged()
}

func (j *Journal) putStrangeAside(paths []string) error {
	for _, path := range paths {
		if err := j.reject(0, path, errStrange); err != nil {
			return err
		}
	}
	return nil
}

// countDamaged counts what was put aside, and takes the numbers of those segments for used.
func (j *Journal) countDamaged() error {
	entries, err := os.ReadDir(filepath.Join(j.opts.Dir, damagedDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("list damaged journal files: %w; check that directory", err)
	}
	j.damaged = len(entries)
	for _, e := range entries {
		if name := e.Name(); len(name) >= len("0000000000000001.seg") {
			number, _ := parseName(name[:len("0000000000000001.seg")])
			j.next = max(j.next, number)
		}
	}
	j.next++
	return nil
}

// reject puts a file aside that cannot be a segment of this journal, and reports it.
func (j *Journal) reject(number uint64, path string, why error) error {
	if err := j.putAside(number, path); err != nil {
		return fmt.Errorf("put aside damaged journal file %s (%w): %w; check that directory", path, why, err)
	}
	j.opts.OnDamage(&CorruptionError{Segment: number, Path: path, Err: why})
	return nil
}

// parseName returns the number and the extension of a segment's or a free file's name, or zero.
func parseName(name string) (number uint64, ext string) {
	ext = filepath.Ext(name)
	digits := strings.TrimSuffix(name, ext)
	number, err := strconv.ParseUint(digits, 16, 63)
	if err != nil || fmt.Sprintf("%016x", number) != digits || ext != segExt && ext != freeExt {
		return 0, ""
	}
	return number, ext
}

// readHeaders reads the candidates' headers and puts aside what is no segment.
func (j *Journal) readHeaders(found []candidate) ([]candidate, error) {
	sound := found[:0]
	for _, c := range found {
		err := c.read()
		switch {
		case err == nil:
			sound = append(sound, c)
			continue
		case errors.Is(err, errVersion):
			return nil, fmt.Errorf("open journal segment %s: %w; use that version", c.path, err)
		case !errors.Is(err, errNoSegment):
			return nil, fmt.Errorf("open journal segment: %w; check the disk and the file's owner", err)
		}
		if err := j.reject(c.number, c.path, err); err != nil {
			return nil, err
		}
	}
	return sound, nil
}

// read fills in what stands before the records.
func (c *candidate) read() error {
	f, err := os.Open(c.path)
	if err != nil {
		return err
	}
	defer f.Close() // was only read
	info, err := f.Stat()
	if err != nil {
		return err
	}
	c.size = info.Size()
	c.head = make([]byte, min(c.size, dataAt+endMark))
	if _, err := f.ReadAt(c.head, 0); err != nil {
		return err
	}
	c.header, err = parseHeader(c.head)
	if err == nil && c.header.number != c.number {
		err = errNumber
	}
	return err
}

// identify finds the journal's id and puts aside the segments of another one.
func (j *Journal) identify(segments []candidate) ([]candidate, error) {
	known := ""
	if j.next == 1 {
		// Somebody removed all segments and left the id: numbers would begin again, and the store would take new batches
		// for old ones. A new id has no old ones. The journal itself never removes its newest file.
		if err := os.Remove(filepath.Join(j.opts.Dir, idName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("remove the id of an emptied journal: %w; check the directory's owner and mode", err)
		}
	}
	j.found = j.next - 1
	if n := len(segments); n > 0 {
		known = segments[n-1].header.id
	}
	id, err := readID(j.opts.Dir, known)
	if err != nil {
		return nil, err
	}
	j.id = id
	own := segments[:0]
	for _, c := range segments {
		if c.header.id == id {
			own = append(own, c)
		} else if err := j.reject(c.number, c.path, errForeign); err != nil {
			return nil, err
		}
	}
	return own, nil
}
