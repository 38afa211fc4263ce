package retention

import (
	"math"

	"precount/internal/counters"
)

// estimate returns about how many different visitors set the registers, 0 for none: HyperLogLog with its correction for
// small numbers (Flajolet et al., "HyperLogLog", 2007, figure 3). With 64-bit hashes no correction for large ones is needed.
func estimate(registers []byte) int64 {
	const m = float64(counters.Registers)
	sum, empty := 0.0, 0.0
	for _, r := range registers {
		sum += math.Exp2(-float64(r))
		if r == 0 {
			empty++
		}
	}
	if len(registers) == 0 || empty == m {
		return 0
	}
	guess := 0.7213 / (1 + 1.079/m) * m * m / sum
	if guess <= 2.5*m && empty > 0 {
		guess = m * math.Log(m/empty)
	}
	return int64(math.Round(guess))
}
