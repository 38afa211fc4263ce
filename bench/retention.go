package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"precount/internal/counters"
	"precount/internal/sqlitestore"
)

const (
	retentionRounds = 5
	retentionKept   = 30_000 // documents of another month, which stay
)

var keptMonth = benchMonth.Add(1)

// retention measures how long a month takes to go: dropped, as precount does it, and deleted by a query, as others do it, with
// and without giving the space back. Each round fills a store anew; the file is that of a year with another month in it.
func retention(dir string) error {
	fmt.Printf("\nA month goes, medians of %d rounds; %d documents of another month stay:\n\n", retentionRounds, retentionKept)
	fmt.Println("| engine | documents | drop | bytes given back | delete by query | given back | and then vacuum | given back |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	for _, n := range []int{1_000, 10_000, 100_000} {
		if err := retentionOf(dir, n); err != nil {
			return err
		}
	}
	return mongoRetention(dir)
}

// A removal is one way to get rid of a month in the SQLite files of dir.
type removal func(dir string) (time.Duration, error)

func retentionOf(dir string, n int) error {
	fmt.Printf("| SQLite | %d |", n)
	for _, remove := range []removal{dropMonth, deleteMonth(""), deleteMonth("PRAGMA incremental_vacuum;")} {
		var times, bytes []float64
		for round := range retentionRounds {
			own := filepath.Join(dir, fmt.Sprintf("retention-%d-%d", n, round))
			took, gave, err := removeOnce(own, n, remove)
			if errors.Is(err, exec.ErrNotFound) {
				break
			}
			if err != nil {
				return err
			}
			times, bytes = append(times, 1000*took.Seconds()), append(bytes, gave)
		}
		if len(times) == 0 {
			fmt.Print(" no sqlite3 | – |")
			continue
		}
		fmt.Printf(" %.0f ms | %.1f MB |", median(times), median(bytes)/1e6)
	}
	fmt.Println()
	return nil
}

// removeOnce returns how long it took, and by how many bytes the files became smaller.
func removeOnce(dir string, n int, remove removal) (took time.Duration, gave float64, err error) {
	defer os.RemoveAll(dir)
	s, err := sqlitestore.Open(sqlitestore.Options{Dir: dir})
	if err != nil {
		return 0, 0, err
	}
	if err := errors.Join(fillMonths(s, n), s.Close()); err != nil {
		return 0, 0, err
	}
	before, err := yearBytes(dir)
	if err != nil {
		return 0, 0, err
	}
	if took, err = remove(dir); err != nil {
		return 0, 0, err
	}
	after, err := yearBytes(dir)
	return took, float64(before - after), err
}

// fillMonths counts n pages in the month that goes, and others in one that stays, taking turns, so that their pages in the file do.
func fillMonths(s store, n int) error {
	const part = 10_000
	token := uint64(0)
	for first := 0; first < max(n, retentionKept); first += part {
		for _, m := range []struct {
			month counters.Month
			n     int
		}{{benchMonth, n}, {keptMonth, retentionKept}} {
			keys := make([]counters.Key, 0, part)
			for i := first; i < min(first+part, m.n); i++ {
				keys = append(keys, counters.PageKey(m.month, benchBase, fmt.Sprintf("/section-%d/page-%06d", i%97, i)))
			}
			token++
			batch := counters.Batch{Collector: fmt.Sprintf("bench%d", os.Getpid()), Token: token, Updates: viewsOf(keys, 1)}
			if err := s.Apply(context.Background(), batch); err != nil {
				return err
			}
		}
	}
	return nil
}

func dropMonth(dir string) (took time.Duration, err error) {
	s, err := sqlitestore.Open(sqlitestore.Options{Dir: dir})
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	err = s.Drop(context.Background(), counters.Collection{Month: benchMonth, Kind: counters.Pages})
	return time.Since(begin), errors.Join(err, s.Close())
}

// deleteMonth lets the sqlite3 program do it, with the settings that precount uses. It times itself, so that the start of the
// process does not count.
func deleteMonth(after string) removal {
	return func(dir string) (time.Duration, error) {
		// With a condition: without one SQLite drops the pages of the table as a whole, which no program can use that has
		// other rows in it.
		script := fmt.Sprintf(".timer on\nPRAGMA synchronous=FULL;\nDELETE FROM \"%s\" WHERE \"_id\" >= '%s/';\n%s\nPRAGMA wal_checkpoint(TRUNCATE);\n",
			counters.Collection{Month: benchMonth, Kind: counters.Pages}.Name(), benchBase, after)
		cmd := exec.Command("sqlite3", "-batch", filepath.Join(dir, benchMonth.Database()+".db"))
		cmd.Stdin = strings.NewReader(script)
		out, err := cmd.CombinedOutput()
		if err != nil {
			return 0, fmt.Errorf("sqlite3: %w: %s", err, out)
		}
		total := 0.0
		for line := range strings.Lines(string(out)) {
			var real float64
			if _, err := fmt.Sscanf(line, "Run Time: real %f", &real); err == nil {
				total += real
			}
		}
		return time.Duration(total * float64(time.Second)), nil
	}
}

func yearBytes(dir string) (total int64, err error) {
	names, err := filepath.Glob(filepath.Join(dir, benchMonth.Database()+".db*"))
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			return 0, err
		}
		total += info.Size()
	}
	return total, err
}

// mongoRetention drops the same months from a server, if there is one. Deleting by query is left to others: only
// internal/mongostore may import the driver, and it has no such method.
func mongoRetention(dir string) error {
	all, stop := engines(dir)
	defer stop()
	for _, e := range all[1:] {
		s, err := e.open()
		if err != nil {
			return err
		}
		for _, n := range []int{1_000, 10_000, 100_000} {
			var times []float64
			for range retentionRounds {
				c := counters.Collection{Month: benchMonth, Kind: counters.Pages}
				if err := errors.Join(s.Drop(context.Background(), c), fillMonths(s, n)); err != nil {
					return errors.Join(err, s.Close())
				}
				begin := time.Now()
				if err := s.Drop(context.Background(), c); err != nil {
					return errors.Join(err, s.Close())
				}
				times = append(times, 1000*time.Since(begin).Seconds())
			}
			fmt.Printf("| %s | %d | %.0f ms | – | – | – | – | – |\n", e.name, n, median(times))
		}
		if err := s.Close(); err != nil {
			return err
		}
	}
	return nil
}
