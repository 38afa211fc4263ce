package main

import (
	"net"
	"time"
)

// A lazyListener's connections move a deadline only if the new one is at least deadlineGrain later than the one that holds.
// The server asks for new deadlines with every request; each costs the runtime a timer's change under a lock, which was
// 6 % of all requests a second (bench/RESULTS.md, 2026-11-21).
type lazyListener struct{ net.Listener }

// deadlineGrain is how much earlier than asked a time-out may come.
const deadlineGrain = time.Second

func (l lazyListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &lazyConn{Conn: conn}, nil
}

// A lazyConn is used by one goroutine at a time, as the server does.
type lazyConn struct {
	net.Conn
	read, write time.Time // the deadlines that hold
}

func (c *lazyConn) SetReadDeadline(t time.Time) error {
	if !moves(c.read, t) {
		return nil
	}
	c.read = t
	return c.Conn.SetReadDeadline(t)
}

func (c *lazyConn) SetWriteDeadline(t time.Time) error {
	if !moves(c.write, t) {
		return nil
	}
	c.write = t
	return c.Conn.SetWriteDeadline(t)
}

func (c *lazyConn) SetDeadline(t time.Time) error {
	c.read, c.write = t, t
	return c.Conn.SetDeadline(t)
}

// moves reports whether a deadline must be moved: to none, from none, to an earlier time, or to one much later.
func moves(from, to time.Time) bool {
	if from.IsZero() || to.IsZero() {
		return from != to
	}
	later := to.Sub(from)
	return later < 0 || later >= deadlineGrain
}
