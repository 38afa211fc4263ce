package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// A load is one run of the client: so many connections, each sending its next request when the last was answered.
type load struct {
	address     string
	connections int
	requests    [][]byte // drawn from at random
	duration    time.Duration
	count       int64 // stop after so many requests; 0: only by duration
}

// A result is what one run measured.
type result struct {
	answered int64 // with status 200
	refused  int64
	elapsed  time.Duration
	latency  *histogram
}

func (r result) rate() float64 { return float64(r.answered) / r.elapsed.Seconds() }

// run sends the load; an error of any connection ends it.
func (l load) run() (result, error) {
	var (
		group   sync.WaitGroup
		left    atomic.Int64
		mu      sync.Mutex
		total   = result{latency: &histogram{}}
		failure error
	)
	left.Store(l.count)
	start := time.Now()
	for i := range l.connections {
		group.Go(func() {
			r, err := l.connection(uint64(i), start.Add(l.duration), &left)
			mu.Lock()
			defer mu.Unlock()
			failure = errors.Join(failure, err)
			total.answered += r.answered
			total.refused += r.refused
			total.latency.merge(r.latency)
		})
	}
	group.Wait()
	total.elapsed = time.Since(start)
	return total, failure
}

func (l load) connection(seed uint64, deadline time.Time, left *atomic.Int64) (result, error) {
	r := result{latency: &histogram{}}
	conn, err := net.Dial("tcp", l.address)
	if err != nil {
		return r, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(deadline.Add(30 * time.Second)); err != nil {
		return r, err
	}
	in, random := bufio.NewReader(conn), rand.New(rand.NewPCG(seed, 1))
	for begin := time.Now(); begin.Before(deadline); {
		if l.count > 0 && left.Add(-1) < 0 {
			break
		}
		if _, err := conn.Write(l.requests[random.IntN(len(l.requests))]); err != nil {
			return r, err
		}
		status, err := readAnswer(in)
		if err != nil {
			return r, err
		}
		end := time.Now()
		r.latency.add(end.Sub(begin))
		begin = end
		if status == 200 {
			r.answered++
		} else {
			r.refused++
		}
	}
	return r, nil
}

// readAnswer reads one answer with a Content-Length and returns its status.
func readAnswer(in *bufio.Reader) (status int, err error) {
	length := -1
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		if status == 0 {
			if len(line) < 12 {
				return 0, fmt.Errorf("status line %q", line)
			}
			if status, err = strconv.Atoi(string(line[9:12])); err != nil {
				return 0, err
			}
			continue
		}
		if len(line) <= 2 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		if bytes.EqualFold(name, []byte("Content-Length")) {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return 0, err
			}
		}
	}
	if length < 0 {
		return 0, errors.New("answer without a Content-Length")
	}
	_, err = in.Discard(length)
	return status, err
}

// pixelRequests returns n requests for pages of a site, drawn from so many pages with a Zipf distribution (s = 1.1): a few
// pages get most of the views, as on real sites.
func pixelRequests(n, pages int) [][]byte {
	random := rand.New(rand.NewPCG(7, 7))
	zipf := rand.NewZipf(random, 1.1, 1, uint64(pages-1))
	requests := make([][]byte, n)
	for i := range requests {
		page := zipf.Uint64()
		requests[i] = fmt.Appendf(nil, "GET /pixel.gif?host=example.org&path=%%2Fsection-%d%%2Fpage-%d%%2F HTTP/1.1\r\n"+
			"Host: stats.example.org\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0\r\n"+
			"Accept: image/avif,image/webp,*/*\r\nAccept-Language: en-US,en;q=0.5\r\nReferer: https://example.org/\r\n\r\n", page%97, page)
	}
	return requests
}
