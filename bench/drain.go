package main

import (
	"fmt"
	"path/filepath"
	"time"
)

const million = 1_000_000

// drain journals a million hits with a process that does not flush, kills it, and measures how long the next process takes
// to count them all.
func drain(dir string) error {
	data := filepath.Join(dir, "drain")
	p, err := startPrecount(data, "--flush-every", "10m")
	if err != nil {
		return err
	}
	r, err := load{p.address, 64, pixelRequests(drawn, pages), 5 * time.Minute, million}.run()
	p.kill()
	if err != nil {
		return err
	}
	if r.answered != million {
		return fmt.Errorf("only %d hits were journaled", r.answered)
	}
	begin := time.Now()
	if p, err = startPrecount(data, "--flush-every", "10ms"); err != nil {
		return err
	}
	defer p.kill()
	for {
		pending, err := p.metric("precount_hits_pending")
		if err != nil {
			return err
		}
		if pending == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	took := time.Since(begin)
	counted, err := p.metric("precount_hits_counted_total")
	if err != nil {
		return err
	}
	if counted != million {
		return fmt.Errorf("%.0f of %d hits were counted", counted, million)
	}
	_, peak := p.resident()
	fmt.Printf("\nDrain: %d journaled hits over %d pages, from the start of the process until all are in SQLite: %v (%.0f hits/s), resident peak %d MB.\n",
		million, pages, took.Round(10*time.Millisecond), million/took.Seconds(), peak>>20)
	return nil
}
