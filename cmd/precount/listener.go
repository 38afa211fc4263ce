package main

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

const (
	// exchangeTimeout bounds how long each writePiece of an answer may take to be sent, and from the begin of the last one on
	// how long until the client has sent its next request whole, idling included; for the first request it counts from
	// the connection's begin. How long the answer takes to be made is not bounded here.
	exchangeTimeout = 20 * time.Second
	// writePiece lets a client at the end of a slow line have a large answer, as the script that draws the charts.
	writePiece = 64 << 10
	// deadlineGrain is how much earlier than that a connection may be cut.
	deadlineGrain = time.Second
)

// maxConnections is how many are served at a time if the process may have that many files open; see connections. One that
// sends nothing costs a goroutine and a read buffer, so that even all of them stay within about 300 MB.
const maxConnections = 20_000

// connections returns how many connections may be open at a time, given how many files may: a quarter of them is for the
// journal and the store, and at least ownFiles.
func connections(files uint64) int {
	own := max(files/4, ownFiles)
	return int(min(maxConnections, max(files, own+1)-own))
}

// ownFiles is twice what a process on SQLite was seen to have open beside its connections, with eight reports at a time.
const ownFiles = 64

// listen opens the address, with an error that says what to do.
func listen(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w; is another program using the port? choose another with --listen", address, err)
	}
	return l, nil
}

// newBoundedListener makes a boundedListener of l.
func newBoundedListener(l net.Listener, log zerolog.Logger) *boundedListener {
	return &boundedListener{Listener: l, log: log, silent: make(map[*boundedConn]struct{})}
}

// A boundedListener's connections have deadlines of their own. The server could set them, but would do so three times for each
// request and look at the clock for each: that was 6 % of all requests a second (bench/RESULTS.md, 2026-11-21).
type boundedListener struct {
	net.Listener
	log    zerolog.Logger
	remind reminder

	mu     sync.Mutex
	silent map[*boundedConn]struct{} // connections on which nothing came yet
}

// Pauses between tries to accept.
const (
	firstAcceptPause   = 5 * time.Millisecond
	longestAcceptPause = time.Second
)

// Accept waits out what keeps connections from being accepted, such as a limit of open files: the server would take it
// for the end. It fails only when the listener is closed; nothing else is known that breaks an open one for good.
func (l *boundedListener) Accept() (net.Conn, error) {
	for pause := firstAcceptPause; ; pause = min(2*pause, longestAcceptPause) {
		conn, err := l.Listener.Accept()
		if err == nil {
			if pause > firstAcceptPause {
				l.log.Info().Msg("recovered: can accept connections again")
			}
			now := time.Now()
			_ = conn.SetDeadline(now.Add(exchangeTimeout)) // fails only if the connection is closed already
			c := &boundedConn{Conn: conn, listener: l, renewed: now}
			l.mu.Lock()
			l.silent[c] = struct{}{}
			l.mu.Unlock()
			return c, nil
		}
		if errors.Is(err, net.ErrClosed) {
			return nil, err
		}
		if l.remind.due() {
			l.log.Error().Err(err).Msg("cannot accept connections, trying again; if too many files are open, raise the limit (ulimit -n)")
		}
		time.Sleep(pause)
	}
}

// Close ends accepting, and the connections on which nothing came yet: browsers open such ones ahead, and the server would wait
// for their first request.
func (l *boundedListener) Close() error {
	err := l.Listener.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.silent {
		_ = c.Conn.Close()
	}
	return err
}

func (l *boundedListener) heard(c *boundedConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.silent, c)
}

// A boundedConn is read by one goroutine at a time, and written to, as the server does.
type boundedConn struct {
	net.Conn
	listener *boundedListener
	heard    bool      // a Read returned
	renewed  time.Time // when the deadline was set
}

func (c *boundedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if !c.heard {
		c.heard = true
		c.listener.heard(c)
	}
	return n, err
}

func (c *boundedConn) Close() error {
	c.listener.heard(c)
	return c.Conn.Close()
}

// Write renews the deadline, for each piece that it writes and for what the client sends after it.
func (c *boundedConn) Write(b []byte) (written int, err error) {
	for {
		if since := time.Since(c.renewed); since >= deadlineGrain {
			c.renewed = c.renewed.Add(since)
			if err := c.Conn.SetDeadline(c.renewed.Add(exchangeTimeout)); err != nil {
				return written, err
			}
		}
		n, err := c.Conn.Write(b[:min(len(b), writePiece)])
		written += n
		b = b[n:]
		if err != nil || len(b) == 0 {
			return written, err
		}
	}
}
