package main

import (
	"fmt"
	"path/filepath"
	"time"
)

const million = 1_000_000

// drain journals a million hits with a process that does not flush, kills it, and measures how long the next process takes
// to count them all, with each engine.
func drain(dir string) error {
	all, stop := engines(dir)
	defer stop()
	for _, e := range all {
		if err := e.drain(filepath.Join(dir, "drain-"+e.name)); err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
	}
	return nil
}

func (e engine) drain(data string) error {
	flags, m := e.flags, (*meter)(nil)
	if len(flags) == 2 { // --store and its address: count what goes there
		var err error
		if m, err = newMeter(flags[1]); err != nil {
			return err
		}
		defer m.listener.Close()
		flags = []string{flags[0], m.uri}
	}
	p, err := startPrecount(data, append([]string{"--flush-every", "10m"}, flags...)...)
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
	if p, err = startPrecount(data, append([]string{"--flush-every", "10ms"}, flags...)...); err != nil {
		return err
	}
	defer p.kill()
	if err := waitDrained(p); err != nil {
		return err
	}
	took := time.Since(begin)
	counted, err := p.metric("precount_hits_counted_total")
	if err != nil {
		return err
	}
	updates, err := p.metric("precount_store_updates_total")
	if err != nil {
		return err
	}
	if counted != million {
		return fmt.Errorf("%.0f of %d hits were counted", counted, million)
	}
	_, peak := p.resident()
	fmt.Printf("\nDrain into %s: %d journaled hits over %d pages, from the start of the process until all are counted: %v (%.0f hits/s), "+
		"%.0f updates (%.3f per hit), resident peak %d MB.\n",
		e.name, million, pages, took.Round(10*time.Millisecond), million/took.Seconds(), updates, updates/million, peak>>20)
	if m != nil {
		fmt.Printf("%s saw %d bytes, %.0f per update.\n", e.name, m.sent.Load(), float64(m.sent.Load())/updates)
	}
	return nil
}

// waitDrained waits until no hit is pending, at most two minutes.
func waitDrained(p *process) error {
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		pending, err := p.metric("precount_hits_pending")
		if err != nil {
			return err
		}
		if pending == 0 {
			return nil
		}
	}
	return fmt.Errorf("hits are still pending after two minutes")
}
