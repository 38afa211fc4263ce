package sqlitestore

import (
	"context"
	"errors"
	"io/fs"
	"sync"
)

// maxReads is how many reads run at a time, others wait for them. Each has one connection per file it reads, and at
// most maxReads connections stay open when idle.
const maxReads = 4

// readers are the connections for reading. A writer never makes them wait, nor they a writer.
type readers struct {
	slots chan struct{} // capacity maxReads; a read puts one in

	mu   sync.Mutex
	idle []*conn // guarded by mu; the one used last stands last
}

func newReaders() *readers { return &readers{slots: make(chan struct{}, maxReads)} }

// A reading is one read: a slot, and a snapshot of each file that it looked at.
type reading struct {
	s     *Store
	ctx   context.Context
	conns map[string]*conn
}

// read runs f with a new reading, and returns its error in words.
func (s *Store) read(ctx context.Context, f func(*reading) error) (err error) {
	if err := s.usable(ctx); err != nil {
		return err
	}
	select {
	case s.readers.slots <- struct{}{}:
	case <-ctx.Done():
		return explain(ctx, s.dir, ctx.Err())
	}
	defer func() { <-s.readers.slots }()
	if s.closed.Load() {
		return explain(ctx, s.dir, errClosed)
	}
	r := &reading{s: s, ctx: ctx, conns: make(map[string]*conn)}
	defer func() { r.end(err == nil) }()
	return f(r)
}

// file returns a connection with an open snapshot of the file, or nil if there is no such file.
func (r *reading) file(path string) (*conn, error) {
	if c := r.conns[path]; c != nil {
		return c, nil
	}
	c, err := r.s.readers.take(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r.conns[path] = c
	c.SetInterrupt(r.ctx.Done())
	if err = c.exec("BEGIN"); err == nil {
		// The first read takes the snapshot. It waits only while another process recovers the log after a crash.
		err = c.patiently(r.ctx, lockPatience, "SELECT count(*) FROM sqlite_schema")
	}
	return c, explain(r.ctx, path, err)
}

// end gives the connections back; after an error they are closed, so that a file that came back is found again.
func (r *reading) end(ok bool) {
	for _, c := range r.conns {
		c.SetInterrupt(nil)
		if ok && c.exec("ROLLBACK") == nil {
			r.s.readers.put(c)
		} else {
			c.shut()
		}
	}
}

// take returns an idle connection to the file or a new one; those to files that are gone are closed on the way, so that
// the system gets their space back.
func (p *readers) take(path string) (*conn, error) {
	p.mu.Lock()
	var found *conn
	kept := p.idle[:0]
	for _, c := range p.idle {
		switch {
		case c.stale():
			c.shut()
		case found == nil && c.path == path:
			found = c
		default:
			kept = append(kept, c)
		}
	}
	clear(p.idle[len(kept):])
	p.idle = kept
	p.mu.Unlock()
	if found != nil {
		return found, nil
	}
	return openReader(path)
}

func (p *readers) put(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, c)
	if len(p.idle) > maxReads {
		p.idle[0].shut()
		p.idle = p.idle[1:]
	}
}

// close waits for the reads under way and closes the idle connections. New reads have been stopped by Store.closed.
func (p *readers) close() {
	for range maxReads {
		p.slots <- struct{}{}
	}
	for _, c := range p.idle {
		c.shut()
	}
	p.idle = nil
	for range maxReads {
		<-p.slots
	}
}
