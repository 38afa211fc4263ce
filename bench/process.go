package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A process is a server under test.
type process struct {
	cmd     *exec.Cmd
	address string // host:port
	gentle  bool   // end it with SIGTERM: it has children of its own
}

// start runs a command that listens on the address, and waits until it does.
func start(address string, name string, args ...string) (*process, error) {
	p := &process{cmd: exec.Command(name, args...), address: address}
	var log bytes.Buffer
	p.cmd.Stderr = &log
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		conn, err := net.Dial("tcp", p.address)
		if err == nil {
			return p, conn.Close()
		}
		if time.Now().After(deadline) {
			p.kill()
			return nil, fmt.Errorf("%s does not answer: %w\n%s", name, err, log.String())
		}
	}
}

// kill ends the process as a power failure would, unless it is to be ended gently.
func (p *process) kill() {
	signal := syscall.SIGKILL
	if p.gentle {
		signal = syscall.SIGTERM
	}
	_ = p.cmd.Process.Signal(signal)
	_ = p.cmd.Wait()
}

// resident returns the process's resident memory in bytes, now and at its peak.
func (p *process) resident() (now, peak int64) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, 0
	}
	field := func(name string) int64 {
		_, rest, _ := strings.Cut(string(status), name+":")
		kilobytes, _ := strconv.ParseInt(strings.Fields(rest + " 0")[0], 10, 64)
		return kilobytes << 10
	}
	return field("VmRSS"), field("VmHWM")
}

// cpu returns the processor time that the process and its children have used, 0 where the system does not tell.
func (p *process) cpu() time.Duration {
	own := fmt.Sprint(p.cmd.Process.Pid)
	children, _ := os.ReadFile(filepath.Join("/proc", own, "task", own, "children"))
	var ticks int64
	for _, pid := range append(strings.Fields(string(children)), own) {
		stat, _ := os.ReadFile(filepath.Join("/proc", pid, "stat"))
		rest := string(stat[bytes.LastIndexByte(stat, ')')+1:]) // the name in parentheses may hold anything
		if fields := strings.Fields(rest); len(fields) > 12 {
			user, _ := strconv.ParseInt(fields[11], 10, 64)
			system, _ := strconv.ParseInt(fields[12], 10, 64)
			ticks += user + system
		}
	}
	return time.Duration(ticks) * time.Second / 100 // USER_HZ is 100 on all of Linux' platforms that Go runs on
}

// metric reads one of a precount's metrics.
func (p *process) metric(name string) (float64, error) {
	answer, err := http.Get("http://" + p.address + "/metrics")
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			return strconv.ParseFloat(value, 64)
		}
	}
	return 0, fmt.Errorf("no metric %s", name)
}

func startBare() (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	return start(address, self, "bare", address)
}

func startPrecount(dir string, args ...string) (*process, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	args = append([]string{"serve", "--listen", address, "--data", dir, "--site", "example.org", "--log-level", "error"}, args...)
	return start(address, binary, args...)
}

var errNoNginx = errors.New("nginx is not installed")

func startNginx(dir string) (*process, error) {
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		if nginx, err = exec.LookPath("/usr/sbin/nginx"); err != nil {
			return nil, errNoNginx
		}
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	config := filepath.Join(dir, "nginx.conf")
	text := fmt.Sprintf(`daemon off;
worker_processes auto;
pid %[1]s/pid;
error_log %[1]s/error.log;
events { worker_connections 4096; }
http {
	access_log %[1]s/access.log combined buffer=64k;
	keepalive_requests 1000000000;
	client_body_temp_path %[1]s; proxy_temp_path %[1]s; fastcgi_temp_path %[1]s; uwsgi_temp_path %[1]s; scgi_temp_path %[1]s;
	server { listen %[2]s; location / { empty_gif; } }
}
`, dir, address)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return nil, err
	}
	p, err := start(address, nginx, "-e", filepath.Join(dir, "error.log"), "-p", dir, "-c", config)
	if err == nil {
		p.gentle = true // the workers would outlive their master
	}
	return p, err
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}
