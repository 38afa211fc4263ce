package main

import (
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"precount/internal/mongotest"
)

// TestMongoAway: the process starts while the database is away, takes hits, and counts them when it comes; it says so once.
func TestMongoAway(t *testing.T) {
	server := mongotest.Start(t)
	server.NeedKills(t)
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	data, uri := t.TempDir(), server.URI+"?serverSelectionTimeoutMS=1000"
	args := []string{"--store", uri, "--site", "example.org", "--open-reports", "--flush-every", "50ms"}
	s := serve(t, data, args...)
	send := func(n int) {
		t.Helper()
		for range n {
			if status, header, _ := s.get("/pixel.gif?host=example.org&path=/"); status != http.StatusOK {
				t.Fatalf("%d %v\n%s", status, header, s.log)
			}
		}
	}
	send(100)
	if m := s.checkLedger(); m["precount_store_up"] != 0 || m["precount_hits_pending"] != 100 {
		t.Errorf("store_up %v, pending %v", m["precount_store_up"], m["precount_hits_pending"])
	}
	if status, _, _ := s.get("/readyz"); status != http.StatusOK {
		t.Errorf("readyz is %d", status)
	}
	if status, _, _ := s.get("/api/v1/sites/example.org/views"); status != http.StatusServiceUnavailable {
		t.Errorf("a report is %d while the store is away", status)
	}
	// A restart in the middle of it knows its sites, though nobody names them.
	s.kill()
	s = serve(t, data, args...)
	send(50)
	if err := server.Restart(); err != nil {
		t.Fatal(err)
	}
	s.waitCounted()
	waitFor(t, "the store is up", func() bool { return s.metrics()["precount_store_up"] == 1 })
	if n := s.pages("example.org")["/"]; n != 150 {
		t.Errorf("counted %d, acknowledged 150", n)
	}
	if log := s.log.String(); strings.Count(log, "recovered: the store answers") != 1 {
		t.Errorf("not said once that the store is back:\n%s", log)
	}
	if code := s.stop(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
	// The copy of the sites serves a start without --site.
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	s = serve(t, data, "--store", uri, "--flush-every", "50ms")
	send(10)
	if err := server.Restart(); err != nil {
		t.Fatal(err)
	}
	s.waitCounted()
}

// TestMongoKilled: three collectors count into one database. They and the database are killed with SIGKILL at random
// instants, round after round. For every page acknowledged <= counted <= sent, and what comes when nobody is killed
// counts exactly.
func TestMongoKilled(t *testing.T) {
	server := mongotest.Start(t)
	server.NeedKills(t)
	rounds := 20
	if testing.Short() {
		rounds = 3
	}
	args := []string{"--store", server.URI + "?serverSelectionTimeoutMS=2000&timeoutMS=10000", "--site", "example.org", "--open-reports",
		"--flush-every", "50ms"}
	var dirs [3]string
	for i := range dirs {
		dirs[i] = t.TempDir()
	}
	load := &tallied{}
	for round := range rounds {
		random := rand.New(rand.NewPCG(uint64(round), 3))
		mongoRound(t, server, dirs, args, load, random, uint64(round))
		var all [3]*serving
		for i, dir := range dirs {
			all[i] = serve(t, dir, args...)
		}
		for _, s := range all {
			s.waitCounted()
		}
		load.compare(t, round, all[0].pages("example.org"))
		for _, s := range all {
			s.checkLedger()
			s.kill()
		}
		if t.Failed() {
			t.Fatalf("logs:\n%s\n%s\n%s", all[0].log, all[1].log, all[2].log)
		}
	}
	// Now nobody is killed: every acknowledged hit counts once, and nothing else does.
	s := serve(t, dirs[0], args...)
	before := s.pages("example.org")["/calm"]
	for range 500 {
		if status, _, _ := s.get("/pixel.gif?host=example.org&path=/calm"); status != http.StatusOK {
			t.Fatal(status)
		}
	}
	s.waitCounted()
	if n := s.pages("example.org")["/calm"] - before; n != 500 {
		t.Errorf("counted %d of 500 with nothing in flight", n)
	}
	load.showed(t, rounds)
}

// mongoRound runs the collectors under load, kills each once and the database once, all at random instants, and starts again
// what was killed.
func mongoRound(t *testing.T, server *mongotest.Server, dirs [3]string, args []string, load *tallied, random *rand.Rand, seed uint64) {
	t.Helper()
	kills := []func() error{server.Kill, server.KillFront, server.KillBack}
	kill, pause := kills[random.IntN(len(kills))], time.Duration(random.IntN(400))*time.Millisecond
	var group sync.WaitGroup
	for i, dir := range dirs {
		lives := time.Duration(100+random.IntN(500)) * time.Millisecond
		first := serve(t, dir, args...)
		var visitors sync.WaitGroup
		for v := range 3 {
			random := rand.New(rand.NewPCG(seed, uint64(10*i+v)))
			visitors.Go(func() { load.visit(first.address, random) })
		}
		group.Go(func() {
			time.Sleep(lives) // the instant is what is random
			first.kill()
			visitors.Wait()
		})
	}
	group.Go(func() {
		time.Sleep(pause)
		if err := kill(); err != nil {
			t.Error(err)
		}
		time.Sleep(pause / 2)
		if err := server.Restart(); err != nil {
			t.Error(err)
		}
	})
	group.Wait()
}

// TestCopiedCollector: a second process with a copy of the first one's directory has the same collector id. It refuses to
// start, with exit code 3, before it counts anything; when the first one has gone in peace, it may.
func TestCopiedCollector(t *testing.T) {
	for _, engine := range []string{"sqlite", "mongodb"} {
		t.Run(engine, func(t *testing.T) {
			root := t.TempDir()
			store := "sqlite:" + filepath.Join(root, "store")
			if engine == "mongodb" {
				store = mongotest.Start(t).URI
			}
			first, second := filepath.Join(root, "first"), filepath.Join(root, "second")
			s := serve(t, first, "--store", store, "--site", "example.org")
			if err := os.CopyFS(second, os.DirFS(first)); err != nil {
				t.Fatal(err)
			}
			args := []string{"serve", "--store", store, "--data", second, "--listen", "127.0.0.1:0"}
			code, _, stderr := command(t, args...)
			if code != exitLeased || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "another process") {
				t.Errorf("exit %d, %s", code, stderr)
			}
			// A command that does not count is free to use the directory.
			if code, _, stderr := command(t, "site", "list", "--store", store, "--data", second); code != exitDone {
				t.Errorf("site list: exit %d, %s", code, stderr)
			}
			if code := s.stop(); code != exitDone {
				t.Errorf("first: exit %d\n%s", code, s.log)
			}
			again := serve(t, second, "--store", store)
			again.get("/pixel.gif?host=example.org&path=/")
		})
	}
}

// TestMongoBadAddress: what cannot work is one line with the address, never the password.
func TestMongoBadAddress(t *testing.T) {
	for _, c := range []struct{ uri, want string }{
		{"mongodb://", ""},
		{"mongodb://me:secret@127.0.0.1:1/?w=maybe&colour=red", ""},
		{"mongodb://me:secret@127.0.0.1:1/?serverSelectionTimeoutMS=300", "127.0.0.1:1"},
		{"mongodb://me:secret@nowhere.invalid:27017/?serverSelectionTimeoutMS=300", "nowhere.invalid:27017"},
	} {
		code, stdout, stderr := command(t, "site", "list", "--store", c.uri, "--data", t.TempDir())
		if code != exitFailed || stdout != "" || strings.Count(stderr, "\n") != 1 || strings.Contains(stderr, "secret") || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d, %s%s", c.uri, code, stdout, stderr)
		}
		t.Log(strings.TrimSpace(stderr))
	}
}
