package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
)

// mongoVariable names a MongoDB to measure; without it the test server is started, if it is installed.
const mongoVariable = "PRECOUNT_BENCH_MONGODB"

const mongoScript = "internal/mongotest/server.sh"

// mongoServer returns the address of a MongoDB-compatible server, and what ends it.
func mongoServer(dir string) (uri string, stop func(), err error) {
	if uri := os.Getenv(mongoVariable); uri != "" {
		return uri, func() {}, nil
	}
	data := filepath.Join(dir, "mongodb")
	script := func(verb string) (string, error) {
		cmd := exec.Command(mongoScript, verb, data)
		cmd.Env = append(os.Environ(), "PRECOUNT_TEST_PARENT="+strconv.Itoa(os.Getpid()))
		var text bytes.Buffer
		cmd.Stderr = &text
		out, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("%w (%w: %s)", errNoMongoDB, err, strings.TrimSpace(text.String()))
		}
		return strings.TrimSpace(string(out)), nil
	}
	uri, err = script("start")
	return uri, func() { _, _ = script("stop") }, err
}

// A meter stands between a collector and a MongoDB, and counts the bytes that go to it.
type meter struct {
	uri      string
	listener net.Listener
	sent     atomic.Int64
}

func newMeter(uri string) (*meter, error) {
	target, err := url.Parse(uri)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	through := *target
	through.Host = listener.Addr().String()
	m := &meter{uri: through.String(), listener: listener}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go m.carry(client, target.Host)
		}
	}()
	return m, nil
}

func (m *meter) carry(client net.Conn, host string) {
	defer client.Close()
	server, err := net.Dial("tcp", host)
	if err != nil {
		return
	}
	defer server.Close()
	go func() { _, _ = io.Copy(client, server) }()
	_, _ = io.Copy(io.MultiWriter(server, counter{&m.sent}), client)
}

// A counter counts what is written to it.
type counter struct{ n *atomic.Int64 }

func (c counter) Write(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	return len(p), nil
}
