package main

import (
	"bufio"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"precount/internal/mongotest"
	"precount/internal/testenv"
)

// A logLine is what a browser would have sent for one line of an access log.
type logLine struct{ path, referrer, agent string }

func readLog(t *testing.T, name string) (lines []logLine) {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for scanner := bufio.NewScanner(f); scanner.Scan(); {
		// host - - [time] "GET /path HTTP/1.1" status bytes "referrer" "agent"
		quoted := strings.Split(scanner.Text(), `"`)
		if len(quoted) < 6 {
			continue
		}
		request := strings.Fields(quoted[1])
		if len(request) == 3 {
			lines = append(lines, logLine{request[1], quoted[3], quoted[5]})
		}
	}
	return lines
}

// TestRealLog sends each line of a real access log as a hit to a real process, and counts the file independently. Both engines
// must count the same.
func TestRealLog(t *testing.T) {
	log := testenv.AccessLog(t)
	t.Run("sqlite", func(t *testing.T) { countLog(t, log, "--flush-every", "100ms") })
	t.Run("mongodb", func(t *testing.T) { countLog(t, log, "--flush-every", "100ms", "--store", mongotest.Start(t).URI) })
}

func countLog(t *testing.T, log string, args ...string) {
	lines := readLog(t, log)
	if len(lines) == 0 {
		t.Fatal("the log has no line that can be read")
	}
	s := serve(t, t.TempDir(), append(args, "--site", "semicomplete.com", "--open-reports")...)
	want, accepted := map[string]int64{}, int64(0)
	var mu sync.Mutex
	var group sync.WaitGroup
	todo := make(chan logLine)
	for range 16 {
		group.Go(func() {
			for line := range todo {
				status := sendLine(t, s.address, line)
				path, _, _ := strings.Cut(line.path, "?")
				mu.Lock()
				if status == http.StatusOK {
					accepted++
					want[path]++
				}
				mu.Unlock()
			}
		})
	}
	for _, line := range lines {
		todo <- line
	}
	close(todo)
	group.Wait()
	s.waitCounted()
	if accepted != int64(len(lines)) {
		t.Errorf("%d of %d lines were accepted", accepted, len(lines))
	}
	if got := s.pages("semicomplete.com"); !maps.Equal(got, want) {
		for path := range want {
			if got[path] != want[path] {
				t.Errorf("%s: counted %d, in the log %d", path, got[path], want[path])
			}
		}
		t.Errorf("%d pages counted, %d in the log", len(got), len(want))
	}
	var hours struct{ Total int64 }
	s.getJSON("/api/v1/sites/semicomplete.com/views?by=hour&from=7d", &hours)
	if hours.Total != accepted {
		t.Errorf("the hours sum up to %d, accepted were %d", hours.Total, accepted)
	}
	var sections struct{ Sections []struct{ Views int64 } }
	s.getJSON("/api/v1/sites/semicomplete.com/sections?from=7d", &sections)
	if len(sections.Sections) == 0 {
		t.Error("no sections")
	}
	s.checkLedger()
}

func sendLine(t *testing.T, address string, line logLine) int {
	query := url.Values{"host": {"semicomplete.com"}, "path": {line.path}, "ref": {line.referrer}}.Encode()
	request, err := http.NewRequest(http.MethodGet, address+"/pixel.gif?"+query, nil)
	if err != nil {
		t.Error(err)
		return 0
	}
	request.Header.Set("User-Agent", line.agent)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode
}
