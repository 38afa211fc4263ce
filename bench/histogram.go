package main

import (
	"math/bits"
	"time"
)

// A histogram counts durations in buckets 1/16 of their size wide, so that a quantile is exact to about 6 %.
type histogram struct {
	buckets [64 * 16]int64
	count   int64
}

func bucketOf(d time.Duration) int {
	n := uint64(max(d, 0))
	if n < 16 {
		return int(n)
	}
	exponent := bits.Len64(n) - 5
	return exponent*16 + int(n>>exponent)
}

func (h *histogram) add(d time.Duration) {
	h.buckets[bucketOf(d)]++
	h.count++
}

func (h *histogram) merge(o *histogram) {
	for i, n := range o.buckets {
		h.buckets[i] += n
	}
	h.count += o.count
}

// quantile returns the lower bound of the bucket that holds the q-th part, 0 < q < 1.
func (h *histogram) quantile(q float64) time.Duration {
	rank := int64(q * float64(h.count))
	for i, n := range h.buckets {
		if rank -= n; rank < 0 {
			if i < 32 {
				return time.Duration(i)
			}
			exponent := i/16 - 1
			return time.Duration(uint64(i-exponent*16) << exponent)
		}
	}
	return 0
}
