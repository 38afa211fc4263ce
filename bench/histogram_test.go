package main

import (
	"testing"
	"time"
)

func TestHistogram(t *testing.T) {
	var h histogram
	for i := range 100_000 {
		h.add(time.Duration(i) * time.Microsecond)
	}
	for _, q := range []float64{0.001, 0.01, 0.5, 0.99, 0.999} {
		want := float64(100_000*time.Microsecond) * q
		if got := float64(h.quantile(q)); got < want*0.93 || got > want*1.001 {
			t.Errorf("quantile %v is %v, want about %v", q, time.Duration(got), time.Duration(want))
		}
	}
}
