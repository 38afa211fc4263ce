package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestLogThatNobodyReads: with standard error full from the beginning, hits are counted and SIGTERM ends the process.
func TestLogThatNobodyReads(t *testing.T) {
	t.Parallel()
	reader, full, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	defer full.Close()
	if err := full.SetWriteDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := full.Write(make([]byte, 1<<21)); !os.IsTimeout(err) { // more than a pipe holds
		t.Fatalf("the pipe did not fill up: %v", err)
	}
	data := filepath.Join(t.TempDir(), "data") // a first start tells its address on standard output
	cmd := exec.Command(program, "serve", "--listen", "127.0.0.1:0", "--data", data, "--site", "example.org", "--flush-every", "50ms")
	cmd.Stderr = full
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }()
	lines := bufio.NewReader(out)
	address := ""
	for address == "" {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if _, found, ok := strings.Cut(line, "listens on"); ok {
			address = strings.TrimSpace(found)
		}
	}
	client := http.Client{Timeout: 10 * time.Second}
	for range 3 {
		answer, err := client.Get(address + "/pixel.gif?host=example.org&path=/")
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			t.Errorf("status %d", answer.StatusCode)
		}
	}
	client.CloseIdleConnections()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, _ = io.Copy(io.Discard, lines)
		ended <- cmd.Wait()
	}()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("still running 20 seconds after SIGTERM")
	}
	if code, stdout, stderr := command(t, "report", "--site", "example.org", "--data", data, "--format", "json"); code != exitDone ||
		!strings.Contains(stdout, `"total": 3`) {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
}
