package preallocator

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"precount/internal/counters"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// ranges returns the weight of each range that splits make, and the heaviest single weight.
func ranges(t interface{ Fatalf(string, ...any) }, sample []Weight, splits []string) (sums []int64, heaviest int64) {
	if !slices.IsSorted(splits) || len(slices.Compact(slices.Clone(splits))) != len(splits) {
		t.Fatalf("splits %q are not sorted and distinct", splits)
	}
	if len(splits) > 0 && splits[0] <= sample[0].ID {
		t.Fatalf("nothing comes before the first split %q", splits[0])
	}
	sums = []int64{0}
	for _, w := range sample {
		if len(splits) > 0 && w.ID >= splits[0] {
			if w.ID != splits[0] {
				t.Fatalf("split %q is not in the sample", splits[0])
			}
			sums, splits = append(sums, 0), splits[1:]
		}
		sums[len(sums)-1] += w.N
		heaviest = max(heaviest, w.N)
	}
	if len(splits) > 0 {
		t.Fatalf("splits %q come after everything", splits)
	}
	return sums, heaviest
}

// TestSplits: on any distribution the ranges weigh at most their fair share and one stretch more.
func TestSplits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfNDistinct(rapid.StringN(1, 8, -1), 0, 60, rapid.ID[string]).Draw(t, "ids")
		slices.Sort(ids)
		var total int64
		sample := make([]Weight, len(ids))
		skew := rapid.SampledFrom([]int64{1, 10, 1_000_000_000_000}).Draw(t, "skew")
		for i, id := range ids {
			sample[i] = Weight{id, rapid.Int64Range(1, skew).Draw(t, "weight")}
			total += sample[i].N
		}
		pieces := rapid.IntRange(0, 70).Draw(t, "pieces")
		splits := Splits(sample, pieces)
		if len(splits) > max(pieces-1, 0) {
			t.Fatalf("%d splits for %d pieces", len(splits), pieces)
		}
		sums, heaviest := ranges(t, sample, splits)
		for _, sum := range sums {
			if pieces > 0 && sum > total/int64(pieces)+1+heaviest {
				t.Fatalf("a range weighs %d of %d in %d pieces, the heaviest stretch %d: %v", sum, total, pieces, heaviest, sums)
			}
		}
	})
}

// TestSplitsSkewed are distributions as they come: one site with nearly all pages, views by Zipf, one giant page.
func TestSplitsSkewed(t *testing.T) {
	var zipf, site, giant []Weight
	for i := range 100_000 {
		zipf = append(zipf, Weight{fmt.Sprintf("org.example/%06d", i), int64(1 + 1_000_000/(1+i*7919%100_000))})
		site = append(site, Weight{fmt.Sprintf("org.site%02d/%06d", min(i/100, 20), i), 10})
		giant = append(giant, Weight{fmt.Sprintf("org.example/%06d", i), 1})
	}
	giant[500].N = 100_000
	for name, c := range map[string]struct {
		sample  []Weight
		average float64 // the heaviest range may be so many times the average
	}{"zipf": {zipf, 2}, "one big site": {site, 1.01}, "one giant page": {giant, 8.1}} {
		t.Run(name, func(t *testing.T) {
			s := newSampler(1000)
			for _, w := range c.sample {
				s.add(w.ID, w.N)
			}
			if len(s.weights) > 1000 || len(s.weights) < 400 {
				t.Errorf("the sample has %d stretches", len(s.weights))
			}
			for _, sample := range [][]Weight{c.sample, s.weights} {
				sums, heaviest := ranges(t, sample, Splits(sample, 16))
				var total int64
				for _, sum := range sums {
					total += sum
				}
				fair := float64(total) / 16
				if len(sums) < 15 || float64(slices.Max(sums)) > max(fair*c.average, fair+float64(heaviest)) {
					t.Errorf("%d ranges, of a fair share: %.2f to %.2f", len(sums), float64(slices.Min(sums))/fair, float64(slices.Max(sums))/fair)
				}
			}
		})
	}
}

// TestShardCommands holds what a router is told: no cluster runs here.
func TestShardCommands(t *testing.T) {
	c := counters.Collection{Month: counters.Month{Year: 2026, Month: 12}, Kind: counters.Pages}
	commands := ShardCommands(c, []string{"com.example/ä\"<b>", "org.example/", "org.example/docs/"}, []string{"shard-a", "shard-b"})
	for _, command := range commands {
		if !json.Valid(command) || bytes.ContainsAny(command, "\n") {
			t.Errorf("%s", command)
		}
	}
	got := append(bytes.Join(commands, []byte("\n")), '\n')
	golden := filepath.Join("testdata", t.Name()+".golden")
	if *update {
		must(t, os.WriteFile(golden, got, 0o644))
	}
	want, err := os.ReadFile(golden)
	must(t, err)
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
