package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"zombiezen.com/go/sqlite"

	"precount/internal/counters"
)

// lockPatience is how long a writer waits for other processes' transactions before it gives up with an error.
const lockPatience = 10 * time.Second

// A conn is one connection. It belongs to one goroutine at a time.
type conn struct {
	*sqlite.Conn
	path string
	info fs.FileInfo // of the file when it was opened, to notice that it was removed or replaced

	// What a writer knows about the schema, valid while schema_version is version; see refresh.
	version int64
	tables  map[counters.Collection]bool
	adders  map[shape]adder
}

// Memory of a connection is bounded by its page cache, in KiB. A writer's holds the hot pages of a few collections;
// when a transaction changes more, SQLite spills into the log.
//
// The log is merged into the file every 1,000 pages (SQLite's default, 4 MB), and cut to journal_size_limit when it
// starts again from its beginning; trimLog sees to what readers prevent. FULL: a commit is on disk when it returns,
// because the caller then recycles the journal segment it came from.
var (
	writerPragmas = []string{
		"PRAGMA auto_vacuum = INCREMENTAL", // before the first table, later it does nothing
		"PRAGMA journal_mode = WAL",
		"PRAGMA synchronous = FULL",
		"PRAGMA cache_size = -16384",
		"PRAGMA journal_size_limit = 4194304",
	}
	readerPragmas = []string{"PRAGMA cache_size = -4096"}
)

// openWriter opens or creates a file with its directory. For a year's file the caller holds the lock of precount.db.
func openWriter(path string) (*conn, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, &fileError{fmt.Sprintf("%s: cannot create its directory (%v)", path, cause(err)), err}
	}
	_, err := os.Stat(path)
	created := errors.Is(err, fs.ErrNotExist)
	if created {
		removeLogs(path) // of a file that was removed by hand: they may still be open in other processes
	}
	c, err := openConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate, created)
	if err == nil {
		err = c.pragmas(writerPragmas)
	}
	if err == nil {
		err = c.wantLog()
	}
	return c.opened(err, path)
}

// openReader opens an existing file read-only; the error is fs.ErrNotExist if there is none.
func openReader(path string) (*conn, error) {
	before, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fs.ErrNotExist
	}
	if err != nil {
		return nil, &fileError{fmt.Sprintf("%s: cannot read it (%v)", path, cause(err)), err}
	}
	c, err := openConn(path, sqlite.OpenReadOnly, false)
	if err == nil {
		err = c.pragmas(readerPragmas)
	}
	if err == nil && !os.SameFile(before, c.info) {
		err = errors.New("was replaced while it was opened: try again")
	}
	return c.opened(err, path)
}

// opened passes on a connection that could be opened, or closes what there is of it.
func (c *conn) opened(err error, path string) (*conn, error) {
	if err != nil {
		if c != nil {
			c.shut()
		}
		return nil, explain(context.Background(), path, err)
	}
	return c, nil
}

func openConn(path string, flags sqlite.OpenFlags, private bool) (*conn, error) {
	raw, err := sqlite.OpenConn(path, flags)
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: raw, path: path, version: -1}
	c.SetBusyTimeout(lockPatience)
	if private {
		// While the file is still empty. SQLite gives the log the mode of the file. Not by creating the file ourselves:
		// closing our descriptor would release the POSIX locks that other connections of this process hold on it.
		if err := os.Chmod(path, 0o600); err != nil {
			return c, err
		}
	}
	c.info, err = os.Stat(path)
	return c, err
}

func (c *conn) pragmas(list []string) error {
	for _, pragma := range list {
		if err := c.exec(pragma); err != nil {
			return err
		}
	}
	c.SetBlockOnBusy() // from here on a context ends the waiting, see patiently
	return nil
}

// wantLog checks that the file has a write-ahead log now. A reader does not: it may come between the creation of a file
// and that of its log.
func (c *conn) wantLog() error {
	mode, err := c.text("PRAGMA journal_mode")
	if err == nil && mode != "wal" {
		err = fmt.Errorf("journal mode is %q, not wal: network file systems are not supported", mode)
	}
	return err
}

// stale reports whether the file's name stands for another file now, or for none.
func (c *conn) stale() bool {
	now, err := os.Stat(c.path)
	return err != nil || !os.SameFile(now, c.info)
}

// shut closes the connection. If the file was replaced, SQLite leaves the log alone, which is the new file's.
func (c *conn) shut() error {
	c.forget()
	return c.Close()
}

func removeLogs(path string) {
	os.Remove(path + "-wal")
	os.Remove(path + "-shm")
}

// cause returns the system's error without the path, which our text names already.
func cause(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}
