package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// binary is the precount under test.
var binary string

func main() {
	if len(os.Args) == 3 && os.Args[1] == "bare" {
		exit(bare(os.Args[2]))
	}
	flag.StringVar(&binary, "binary", "bin/precount", "the precount to measure")
	only := flag.String("only", "", "run only this part: endpoint, drain, engine, retention or rollover")
	flag.Parse()
	exit(run(*only))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func run(only string) error {
	dir, err := os.MkdirTemp("", "precount-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	header()
	for _, part := range []struct {
		name string
		run  func() error
	}{
		{"endpoint", func() error { return endpoint(dir, 64) }},
		{"endpoint", func() error { return endpoint(dir, 256) }},
		{"drain", func() error { return drain(dir) }},
		{"engine", func() error { return engineParts(dir) }},
		{"retention", func() error { return retention(dir) }},
		{"rollover", func() error { return rollover(dir) }},
	} {
		if only != "" && only != part.name {
			continue
		}
		if err := part.run(); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return nil
}

// header says when, what and on which kind of machine.
func header() {
	commit, err := exec.Command("git", "describe", "--always", "--dirty").Output()
	if err != nil {
		commit = []byte("unknown")
	}
	fmt.Printf("%s, commit %s, %s, %d cores (%s), load generator on the same machine\n",
		time.Now().Format("2006-01-02"), strings.TrimSpace(string(commit)), runtime.Version(), runtime.NumCPU(), processor())
}

func processor() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	_, rest, _ := strings.Cut(string(info), "model name\t: ")
	name, _, _ := strings.Cut(rest, "\n")
	return name
}
