package main

import (
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
)

// TestDeadlineIsRenewedByAnswers: what a client sends does not win it time, what it is answered does.
func TestDeadlineIsRenewedByAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, conn := accept(t)
		start := time.Now()
		go io.Copy(io.Discard, client)
		answer := func(at time.Duration) {
			t.Helper()
			time.Sleep(at - time.Since(start))
			if _, err := conn.Write([]byte("GIF")); err != nil {
				t.Fatalf("answer after %v: %v", at, err)
			}
		}
		answer(500 * time.Millisecond) // too early to move the deadline
		answer(10 * time.Second)
		answer(10*time.Second + deadlineGrain - 1)
		go func() {
			for err := error(nil); err == nil; _, err = client.Write([]byte("G")) { // a slow sender
				time.Sleep(time.Second)
			}
		}()
		_, err := io.Copy(io.Discard, conn)
		if after := time.Since(start); !errors.Is(err, os.ErrDeadlineExceeded) || after != 10*time.Second+exchangeTimeout {
			t.Errorf("cut after %v with %v, want after %v", after, err, 10*time.Second+exchangeTimeout)
		}
		conn.Close()
		time.Sleep(time.Minute) // until the others see it
	})
}

// TestSlowReaderGetsLargeAnswers: who takes a piece in time gets the next one, who stops taking is cut off.
func TestSlowReaderGetsLargeAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, conn := accept(t)
		start := time.Now()
		const pieces, stops = 10, 7
		go func() {
			for range stops * writePiece / 1024 {
				_, _ = io.ReadFull(client, make([]byte, 1024))
				time.Sleep(exchangeTimeout * 1024 / writePiece * 9 / 10)
			}
		}()
		n, err := conn.Write(make([]byte, pieces*writePiece))
		if n != stops*writePiece || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%d bytes sent, %v; want %d and a time-out", n, err, stops*writePiece)
		}
		if after, want := time.Since(start), (stops*9/10+1)*exchangeTimeout; after < want || after > want+exchangeTimeout {
			t.Errorf("cut after %v, want about %v", after, want)
		}
		time.Sleep(time.Minute) // until the reader is done
	})
}

// TestDeadlineBeginsWithTheConnection: a client that never sends anything is cut off.
func TestDeadlineBeginsWithTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, conn := accept(t)
		start := time.Now()
		_, err := conn.Read(make([]byte, 1))
		if after := time.Since(start); !errors.Is(err, os.ErrDeadlineExceeded) || after != exchangeTimeout {
			t.Errorf("cut after %v with %v", after, err)
		}
	})
}

// TestAcceptWaitsOutFailures: the listener goes on after errors that may pass, and ends when it is closed.
func TestAcceptWaitsOutFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &syncBuffer{}
		from := &script{answers: make(chan any, 200)}
		l := newBoundedListener(from, zerolog.New(log))
		for range 130 {
			from.answers <- &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", syscall.EMFILE)}
		}
		_, server := net.Pipe()
		from.answers <- server
		start := time.Now()
		if _, err := l.Accept(); err != nil {
			t.Fatal(err)
		}
		if passed := time.Since(start); passed < 2*time.Minute || passed > 130*longestAcceptPause {
			t.Errorf("130 failures took %v", passed)
		}
		if lines := strings.Count(log.String(), "\n"); lines != 4 {
			t.Errorf("%d lines about two minutes without connections, and their end:\n%s", lines, log)
		}
		from.answers <- net.ErrClosed
		if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("closed, but: %v", err)
		}
	})
}

func TestConnectionsLeaveFilesForTheRest(t *testing.T) {
	for files, want := range map[uint64]int{0: 1, 64: 1, 100: 36, 200: 136, 1024: 768, 1 << 20: maxConnections, 1<<64 - 1: maxConnections} {
		if got := connections(files); got != want {
			t.Errorf("%d connections of %d files, want %d", got, files, want)
		}
	}
}

// accept returns the two ends of a connection that was accepted just now.
func accept(t *testing.T) (client, server net.Conn) {
	t.Helper()
	client, server = net.Pipe()
	from := &script{answers: make(chan any, 1)}
	from.answers <- server
	conn, err := newBoundedListener(from, zerolog.Nop()).Accept()
	if err != nil {
		t.Fatal(err)
	}
	return client, conn
}

// A script is a listener that gives prepared answers.
type script struct {
	net.Listener
	answers chan any
}

func (s *script) Accept() (net.Conn, error) {
	switch a := (<-s.answers).(type) {
	case net.Conn:
		return a, nil
	case error:
		return nil, a
	}
	panic("no answer")
}
