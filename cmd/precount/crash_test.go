package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// crashPages is how many pages the load of the crash test visits; few, so that each is in every batch.
const crashPages = 20

// A tallied load counts, for each page, requests sent and answers of 200 received.
type tallied struct{ sent, acknowledged [crashPages]atomic.Int64 }

// visit sends hits one after the other on one connection until it breaks.
func (l *tallied) visit(address string, random *rand.Rand) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		return
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	in := bufio.NewReader(conn)
	for {
		page := random.IntN(crashPages)
		l.sent[page].Add(1)
		if _, err := fmt.Fprintf(conn, "GET /pixel.gif?host=example.org&path=/d/%d HTTP/1.1\r\nHost: x\r\n\r\n", page); err != nil {
			return
		}
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			return
		}
		if _, err := in.Discard(int(answer.ContentLength)); err != nil {
			return
		}
		if answer.StatusCode == http.StatusOK {
			l.acknowledged[page].Add(1)
		}
	}
}

// TestKilled: the process is killed with SIGKILL under load at a random instant and started again, round after round. For
// every page, and in every round, what was acknowledged is counted, and nothing is counted that was not sent.
func TestKilled(t *testing.T) {
	for _, ack := range []string{"written", "synced"} {
		t.Run(ack, func(t *testing.T) {
			t.Parallel()
			rounds := 30
			if testing.Short() {
				rounds = 5
			}
			data, load := t.TempDir(), &tallied{}
			args := []string{"--site", "example.org", "--open-reports", "--flush-every", "50ms", "--ack", ack}
			for round := range rounds {
				s := serve(t, data, args...)
				var group sync.WaitGroup
				for i := range 6 {
					random := rand.New(rand.NewPCG(uint64(round), uint64(i)))
					group.Go(func() { load.visit(s.address, random) })
				}
				time.Sleep(time.Duration(rand.IntN(300)) * time.Millisecond) // the instant is what is random
				s.kill()
				group.Wait()
				again := serve(t, data, args...)
				again.waitCounted()
				load.compare(t, round, again.pages("example.org"))
				again.checkLedger()
				if t.Failed() {
					t.Fatalf("log of the process after the kill:\n%s", again.log)
				}
				again.kill() // with nothing in flight: nothing may change
			}
			load.showed(t, rounds)
		})
	}
}

// showed fails the test if nothing was acknowledged in all its rounds.
func (l *tallied) showed(t *testing.T, rounds int) {
	t.Helper()
	var sum int64
	for page := range crashPages {
		sum += l.acknowledged[page].Load()
	}
	t.Logf("%d rounds, %d hits acknowledged", rounds, sum)
	if sum == 0 {
		t.Error("no hit was acknowledged: the test showed nothing")
	}
}

func (l *tallied) compare(t *testing.T, round int, counted map[string]int64) {
	t.Helper()
	for page := range crashPages {
		sent, acknowledged, n := l.sent[page].Load(), l.acknowledged[page].Load(), counted[fmt.Sprintf("/d/%d", page)]
		if n < acknowledged || n > sent {
			t.Errorf("round %d, page %d: acknowledged %d <= counted %d <= sent %d does not hold", round, page, acknowledged, n, sent)
		}
	}
}
