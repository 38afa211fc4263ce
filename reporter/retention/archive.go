package retention

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"precount/internal/counters"
)

// An archiver writes one month into a directory of its own.
type archiver struct {
	store    Reader
	dir      string                    // it exists
	wrap     func(io.Writer) io.Writer // tests make disks full with it
	progress func(c counters.Collection, documents int64)
}

// progressEvery is how many documents lie between two reports of progress.
const progressEvery = 10_000

// write writes the collections' files and the manifest. Whatever it returns, dir holds nothing that has the name of an
// archive: the caller gives it that name once all of it is proven.
func (a archiver) write(ctx context.Context, all []counters.Collection, m Manifest) (Manifest, error) {
	for _, c := range all {
		e, err := a.collection(ctx, c)
		if err != nil {
			return m, err
		}
		m.Collections = append(m.Collections, e)
	}
	data, err := m.encode()
	if err != nil {
		return m, err
	}
	err = a.whole(manifestName, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err == nil {
		err = syncDir(a.dir)
	}
	return m, err
}

func (a archiver) collection(ctx context.Context, c counters.Collection) (FileEntry, error) {
	e := FileEntry{Collection: c.Name(), File: c.Name() + fileEnd}
	hash, size := sha256.New(), &counted{}
	err := a.whole(e.File, func(w io.Writer) error {
		return a.lines(ctx, c, io.MultiWriter(w, hash, size), &e)
	})
	e.Bytes, e.SHA256 = size.n, hex.EncodeToString(hash.Sum(nil))
	return e, err
}

// lines compresses the documents of c into w and adds them up in e.
func (a archiver) lines(ctx context.Context, c counters.Collection, w io.Writer, e *FileEntry) (err error) {
	// One goroutine: the collector on this machine has work to do.
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, z.Close()) }()
	var line []byte
	for doc, err := range a.store.Scan(ctx, c, "") {
		if err != nil {
			return err
		}
		line = append(appendDocument(line[:0], &doc), '\n')
		if _, err := z.Write(line); err != nil {
			return err
		}
		e.Documents, e.Total, e.Lines = e.Documents+1, e.Total+doc.Total, e.Lines+int64(len(line))
		if a.progress != nil && e.Documents%progressEvery == 0 {
			a.progress(c, e.Documents)
		}
	}
	return nil
}

// whole writes a file under a temporary name, and gives it its own when all of it is on disk.
func (a archiver) whole(name string, content func(io.Writer) error) (err error) {
	path := filepath.Join(a.dir, name)
	temporary := path + ".tmp"
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return cannotWrite(path, err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temporary)
		}
	}()
	var to io.Writer = f
	if a.wrap != nil {
		to = a.wrap(f)
	}
	disk := &failing{w: to}
	buffer := bufio.NewWriterSize(disk, 256<<10)
	err = content(buffer)
	if err == nil {
		err = buffer.Flush()
	}
	if err == nil {
		err = disk.note(f.Sync())
	}
	if e := f.Close(); err == nil {
		err = disk.note(e)
	}
	if err == nil {
		err = disk.note(os.Rename(temporary, path))
	}
	if disk.err != nil {
		return cannotWrite(path, disk.err)
	}
	return err
}

func cannotWrite(path string, err error) error {
	return fmt.Errorf("cannot write the archive %s: %w; make room there or let this user write there, or name another directory with "+
		"--archive, and run it again", path, cause(err))
}

// failing remembers that it was the disk that failed, not the store.
type failing struct {
	w   io.Writer
	err error
}

func (f *failing) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	return n, f.note(err)
}

func (f *failing) note(err error) error {
	if f.err == nil {
		f.err = err
	}
	return err
}

// counted counts the bytes written to it.
type counted struct{ n int64 }

func (c *counted) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}

// syncDir makes the names in a directory durable.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return cannotWrite(dir, err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return cannotWrite(dir, err)
	}
	return nil
}
