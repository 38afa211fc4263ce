package mongotest

import (
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"
)

// A Fault is what a Proxy does to one answer of the server.
type Fault int

// The faults. With Cut and Swallow the server does what is asked, and the driver does not learn of it.
const (
	None    Fault = iota
	Delay         // the answer comes up to 20 ms late
	Cut           // the connection breaks in the middle of the answer
	Swallow       // the connection breaks instead of the answer
	Refuse        // the connection breaks in the middle of the request
)

// A Proxy stands between a driver and a server, and breaks what it is told to.
type Proxy struct {
	URI    string
	target string

	mu     sync.Mutex
	choose func() Fault // guarded by mu
}

// StartProxy returns a proxy to the server, without faults at first. It is stopped at the end of the test.
func StartProxy(t testing.TB, s *Server) *Proxy {
	t.Helper()
	target, err := url.Parse(s.URI)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{target: target.Host, choose: func() Fault { return None }}
	through := *target
	through.Host = listener.Addr().String()
	p.URI = through.String()
	t.Cleanup(func() { listener.Close() })
	go p.accept(listener)
	return p
}

// Set makes choose decide on each answer of more than a few bytes of every connection; it is called from many
// goroutines, one at a time.
func (p *Proxy) Set(choose func() Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.choose = choose
}

func (p *Proxy) fault() Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.choose()
}

func (p *Proxy) accept(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		go p.serve(client)
	}
}

// serve copies message by message, so that a fault hits a known place: each begins with its length, in 4 bytes.
func (p *Proxy) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer server.Close()
	for {
		request, err := readMessage(client)
		if err != nil {
			return
		}
		fault := p.fault()
		if fault == Refuse {
			server.Write(request[:len(request)/2])
			return
		}
		if _, err := server.Write(request); err != nil {
			return
		}
		answer, err := readMessage(server)
		if err != nil {
			return
		}
		switch fault {
		case Delay:
			time.Sleep(rand.N(20 * time.Millisecond)) // the fault itself, nobody waits for it to be over
		case Cut:
			client.Write(answer[:len(answer)/2])
			return
		case Swallow:
			return
		}
		if _, err := client.Write(answer); err != nil {
			return
		}
	}
}

func readMessage(r io.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	size := int(head[0]) | int(head[1])<<8 | int(head[2])<<16 | int(head[3])<<24
	if size < len(head) || size > 64<<20 {
		return nil, io.ErrUnexpectedEOF
	}
	message := make([]byte, size)
	copy(message, head[:])
	_, err := io.ReadFull(r, message[4:])
	return message, err
}
