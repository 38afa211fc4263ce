package journal

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// disk makes and finds segment files. The tests put one in its place that fails half way.
type disk interface {
	// create makes a new file of size zero bytes and reserves its blocks: what is stored in it later cannot run out of
	// disk. On error no file stays behind.
	create(path string, size int64) (file, error)
	// open opens an existing file, all of it.
	open(path string) (file, error)
}

// file is an open segment file whose bytes stand in memory. It is not safe for concurrent use, but for sync.
type file interface {
	// bytes is the file's content, to be read and changed in place until close. Access may fault; see catchFault.
	bytes() []byte
	// flush hands bytes()[from:to] to the operating system, so that they survive the death of this process.
	flush(from, to int64) error
	// sync returns when everything flushed before is on the disk.
	sync() error
	// shrink cuts the file; bytes() beyond size must not be touched any more.
	shrink(size int64) error
	close() error
}

// osDisk is the real one: files mapped into memory, or written where they cannot be mapped.
type osDisk struct{}

func (osDisk) create(path string, size int64) (file, error) {
	f, err := openShared(path, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, err
	}
	m, err := reserveAndMap(f, size)
	if err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	return m, nil
}

func reserveAndMap(f *os.File, size int64) (file, error) {
	if err := reserve(f, size); err != nil {
		return nil, err
	}
	if err := writeZeros(f, size); err != nil {
		return nil, err
	}
	return mapFile(f, size)
}

func (osDisk) open(path string) (file, error) {
	f, err := openShared(path, os.O_RDWR)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() < dataAt+endMark {
		err = errShort
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	m, err := mapFile(f, info.Size())
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return m, nil
}

// writeZeros writes every block once. Reserved blocks are marked "unwritten" by the file system; clearing that mark
// later would make each first fdatasync of a page a journal commit as well.
func writeZeros(f *os.File, size int64) error {
	zeros := make([]byte, 256<<10)
	for at := int64(0); at < size; at += int64(len(zeros)) {
		if _, err := f.WriteAt(zeros[:min(int64(len(zeros)), size-at)], at); err != nil {
			return err
		}
	}
	return nil
}

// writeWhole writes a small file so that it is there whole or not at all.
func writeWhole(dir, name string, data []byte) error {
	path := dir + string(os.PathSeparator) + name
	f, err := os.OpenFile(path+".tmp", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(path+".tmp", path); err != nil {
		return err
	}
	return syncDir(dir)
}

// diskFull tells the errors that go away when somebody makes room.
func diskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, io.ErrShortWrite)
}

// gone takes "it is not there" for success, for removals.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
