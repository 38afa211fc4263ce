package retention

import (
	"bufio"
	"bytes"
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

const (
	// maxLine bounds a document in an archive; the largest possible one, registers with all their names, has about 70 KB.
	maxLine = 256 << 10
	// maxWindow bounds what reading a foreign file may allocate; our own files need 8 MB at the most.
	maxWindow = 64 << 20
)

// readFile reads one file of an archive from its first byte to its last, calls each for every document in it, and returns an
// error unless all is as the manifest says. each must not keep line.
func readFile(ctx context.Context, dir string, month counters.Month, e FileEntry, each func(doc counters.Document, line []byte) error) error {
	path := filepath.Join(dir, e.File)
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("cannot read the archive %s: %w; take it from another copy", path, cause(err))
	}
	defer f.Close()
	c, _ := e.collection(month)
	hash := sha256.New()
	got := FileEntry{Collection: e.Collection, File: e.File}
	size := &counted{}
	raw := io.TeeReader(f, io.MultiWriter(hash, size))
	err = readLines(raw, func(line []byte) error {
		if got.Documents%1024 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		doc, err := parseDocument(c, line)
		if err != nil {
			return &damage{err}
		}
		got.Documents, got.Total, got.Lines = got.Documents+1, got.Total+doc.Total, got.Lines+int64(len(line))+1
		return each(doc, line)
	})
	if err == nil {
		_, err = io.Copy(io.Discard, raw) // whatever stands behind the last frame
	}
	got.Bytes, got.SHA256 = size.n, hex.EncodeToString(hash.Sum(nil))
	if err == nil {
		err = e.compare(got)
	}
	var damaged *damage
	if errors.As(err, &damaged) {
		return fmt.Errorf("the archive %s is damaged: %w; take it from another copy, or archive the month again", path, damaged.err)
	}
	return err
}

// damage is what is wrong with an archive, as opposed to what goes wrong while it is read.
type damage struct{ err error }

func (d *damage) Error() string { return d.err.Error() }
func (d *damage) Unwrap() error { return d.err }

func readLines(from io.Reader, each func(line []byte) error) error {
	z, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxWindow), zstd.WithDecoderLowmem(true))
	if err != nil {
		return err
	}
	defer z.Close()
	lines := bufio.NewReaderSize(z, maxLine)
	for {
		line, err := lines.ReadSlice('\n')
		switch {
		case err == io.EOF && len(line) == 0:
			return nil
		case err == io.EOF:
			return &damage{errors.New("its last line has no end")}
		case err != nil:
			return &damage{err}
		}
		if err := each(bytes.TrimSuffix(line, []byte("\n"))); err != nil {
			return err
		}
	}
}

// compare returns what differs between what the manifest says of a file and what was found.
func (e FileEntry) compare(got FileEntry) error {
	for _, d := range []struct {
		what      string
		want, got any
	}{
		{"documents", e.Documents, got.Documents}, {"total", e.Total, got.Total}, {"bytes", e.Bytes, got.Bytes},
		{"bytes of JSON", e.Lines, got.Lines}, {"SHA-256", e.SHA256, got.SHA256},
	} {
		if d.want != d.got {
			return &damage{fmt.Errorf("%s: the manifest says %v, the file has %v", d.what, d.want, d.got)}
		}
	}
	return nil
}
