package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

const (
	pages     = 10_000
	drawn     = 100_000 // requests to draw from
	roundTime = 4 * time.Second
	rounds    = 9
)

// A candidate is one server in the comparison, with what its rounds measured.
type candidate struct {
	name    string
	process *process
	rates   []float64
	hits    int64
	cpu     time.Duration // of the server
	latency histogram
}

// endpoint compares the servers with so many connections. Their rounds take turns, each of them after one of the bare
// handler's, and a ratio is the median of the ratios of such neighbours.
func endpoint(dir string, connections int) error {
	candidates, err := startAll(filepath.Join(dir, fmt.Sprint("endpoint-", connections)))
	defer func() {
		for _, c := range candidates {
			c.process.kill()
		}
	}()
	if err != nil {
		return err
	}
	requests := pixelRequests(drawn, pages)
	for round := range rounds + 1 {
		for _, c := range candidates {
			before := c.process.cpu()
			r, err := load{c.process.address, connections, requests, roundTime, 0}.run()
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			if r.refused > 0 {
				return fmt.Errorf("%s refused %d of %d requests", c.name, r.refused, r.refused+r.answered)
			}
			if round > 0 { // the first is for warming up
				c.rates = append(c.rates, r.rate())
				c.hits += r.answered
				c.cpu += c.process.cpu() - before
				c.latency.merge(r.latency)
			}
		}
	}
	fmt.Printf("\n%d connections, %d pages (Zipf), medians of %d rounds of %v taking turns:\n\n", connections, pages, rounds, roundTime)
	fmt.Println("| server | requests/s | ratio to (a) | p50 | p99 | p99.9 | CPU per hit | resident, peak | updates per hit |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	for _, c := range candidates {
		c.print(candidates[0])
	}
	return nil
}

func startAll(dir string) (all []*candidate, err error) {
	for _, s := range []struct {
		name  string
		start func(dir string) (*process, error)
	}{
		{"(a) bare fasthttp handler", func(string) (*process, error) { return startBare() }},
		{"(b) precount --ack written", func(dir string) (*process, error) { return startPrecount(dir) }},
		{"(c) precount --ack synced", func(dir string) (*process, error) { return startPrecount(dir, "--ack", "synced") }},
		{"(d) nginx empty_gif, access log", startNginx},
	} {
		own := filepath.Join(dir, fmt.Sprint(len(all)))
		if err := os.MkdirAll(own, 0o700); err != nil {
			return all, err
		}
		p, err := s.start(own)
		if errors.Is(err, errNoNginx) {
			fmt.Printf("\n%s: %v\n", s.name, err)
			continue
		}
		if err != nil {
			return all, err
		}
		all = append(all, &candidate{name: s.name, process: p})
	}
	return all, nil
}

func (c *candidate) print(base *candidate) {
	ratios := make([]float64, len(c.rates))
	for i := range c.rates {
		ratios[i] = c.rates[i] / base.rates[i]
	}
	_, peak := c.process.resident()
	updates := "–"
	if done, err := c.process.metric("precount_store_updates_total"); err == nil {
		if hits, err := c.process.metric("precount_hits_counted_total"); err == nil && hits > 0 {
			updates = fmt.Sprintf("%.3f", done/hits)
		}
	}
	fmt.Printf("| %s | %.0f | %.2f (%.2f to %.2f) | %v | %v | %v | %.1fµs | %d MB | %s |\n", c.name, median(c.rates), median(ratios),
		slices.Min(ratios), slices.Max(ratios), c.latency.quantile(0.5).Round(time.Microsecond),
		c.latency.quantile(0.99).Round(10*time.Microsecond), c.latency.quantile(0.999).Round(10*time.Microsecond),
		float64(c.cpu.Microseconds())/float64(c.hits), peak>>20, updates)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	if len(sorted) == 0 {
		return 0
	}
	return sorted[len(sorted)/2]
}
