package main

import (
	"net"
	"testing"
	"time"
)

// A recorder notes the deadlines that reach the real connection.
type recorder struct {
	net.Conn
	read []time.Time
}

func (r *recorder) SetReadDeadline(t time.Time) error {
	r.read = append(r.read, t)
	return nil
}

func TestLazyDeadlines(t *testing.T) {
	start := time.Now()
	at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
	r := &recorder{}
	c := &lazyConn{Conn: r}
	for _, d := range []time.Time{at(0), at(10), at(999), at(1000), at(1500), at(500), {}, {}, at(600)} {
		if err := c.SetReadDeadline(d); err != nil {
			t.Fatal(err)
		}
	}
	want := []time.Time{at(0), at(1000), at(500), {}, at(600)}
	if len(r.read) != len(want) {
		t.Fatalf("%d deadlines were set, want %d", len(r.read), len(want))
	}
	for i := range want {
		if !r.read[i].Equal(want[i]) {
			t.Errorf("deadline %d is %v, want %v", i, r.read[i].Sub(start), want[i].Sub(start))
		}
	}
}
