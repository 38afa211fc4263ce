package sqlitestore

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"time"
)

// A file is the writing side of one SQLite file: at most one connection, used by one transaction at a time.
type file struct {
	path   string
	open   func(context.Context) (*conn, error)
	turn   chan struct{} // capacity 1; who has put something in owns conn and logLimit
	conn   *conn         // nil: not open, or closed after an error
	closed *atomic.Bool  // of the Store
	isOpen atomic.Bool   // conn != nil, for those who do not own it
	used   int64         // guarded by Store.mu

	maxLog   int64 // logSize; tests set less
	logLimit int64 // see trimLog
}

// logSize is the size of the write-ahead log from which on a writer waits for readers to get it emptied, and for how
// long: longer than our slowest read.
const (
	logSize     = 32 << 20
	logPatience = 2 * time.Second
)

func newFile(path string, closed *atomic.Bool) *file {
	return &file{path: path, turn: make(chan struct{}, 1), closed: closed, maxLog: logSize}
}

// update runs change in one transaction. If update returns nil, the changes are on disk, in the file that has the name
// now; otherwise nothing is changed. After an error the connection is opened anew, so that a file or a disk that came
// back is found again.
func (f *file) update(ctx context.Context, change func(*conn) error) error {
	if err := f.lock(ctx); err != nil {
		return explain(ctx, f.path, err)
	}
	defer f.unlock()
	err := f.begin(ctx)
	if err == nil {
		err = change(f.conn)
	}
	if err == nil {
		err = f.conn.exec("COMMIT")
	}
	if err == nil && f.conn.stale() {
		err = errors.New("was removed while it was written: try again")
	}
	if err != nil {
		f.rollback(err)
		return explain(ctx, f.path, err)
	}
	f.trimLog()
	return nil
}

func (f *file) lock(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case f.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if f.closed.Load() {
		<-f.turn
		return errClosed
	}
	return nil
}

func (f *file) unlock() {
	if f.conn != nil {
		f.conn.SetInterrupt(nil)
	}
	<-f.turn
}

// begin starts a transaction in the file that now has the name. Whether it is that file can only be known with the lock
// in hand, because DropDatabase deletes files under the same lock.
func (f *file) begin(ctx context.Context) (err error) {
	for range 3 {
		if f.conn != nil && f.conn.stale() {
			f.drop()
		}
		if f.conn == nil {
			if f.conn, err = f.open(ctx); err != nil {
				return err
			}
			f.isOpen.Store(true)
			f.logLimit = f.maxLog
		}
		if err := f.conn.patiently(ctx, lockPatience, "BEGIN IMMEDIATE"); err != nil {
			return err
		}
		if !f.conn.stale() {
			return f.conn.refresh()
		}
	}
	return errors.New("is removed again and again: end the program that does so")
}

// rollback ends the transaction after err, and with it the connection, unless err says nothing against that.
func (f *file) rollback(err error) {
	if f.conn == nil {
		return
	}
	f.conn.SetInterrupt(nil)
	f.conn.forget()
	if !f.conn.AutocommitEnabled() && f.conn.exec("ROLLBACK") != nil || !isHarmless(err) {
		f.drop()
	}
}

func (f *file) drop() {
	f.conn.shut()
	f.conn = nil
	f.isOpen.Store(false)
}

// trimLog empties the write-ahead log when it grew too large because there was always some reader in it. Waiting for
// them is short, as no reader of ours holds a transaction while its caller works. If a foreign reader does, the log has
// to grow, and is tried again after the same growth.
func (f *file) trimLog() {
	if f.logBytes() < f.logLimit {
		return
	}
	f.truncateLog()
	f.logLimit = f.logBytes() + f.maxLog
}

// truncateLog merges the log into the file and cuts it to nothing, unless a reader stays in it for too long.
func (f *file) truncateLog() {
	f.conn.patiently(context.Background(), logPatience, "PRAGMA wal_checkpoint(TRUNCATE)")
}

func (f *file) logBytes() int64 {
	info, err := os.Stat(f.path + "-wal")
	if err != nil {
		return 0
	}
	return info.Size()
}

// closeIfIdle closes the connection unless somebody uses it.
func (f *file) closeIfIdle() {
	select {
	case f.turn <- struct{}{}:
		if f.conn != nil {
			f.drop()
		}
		<-f.turn
	default:
	}
}

// close waits for the transaction that is under way, and closes the connection.
func (f *file) close() error {
	f.turn <- struct{}{}
	defer func() { <-f.turn }()
	if f.conn == nil {
		return nil
	}
	err := f.conn.shut()
	f.conn = nil
	return err
}
