package reporter

import (
	"fmt"
	"math"
	"strconv"
)

// thousands returns n with a comma before every third digit: "1,234,567".
func thousands(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// share returns how much of the whole part is, in percent, to one decimal, 0 to 100; 0 of nothing.
func share(part, whole int64) float64 {
	if whole <= 0 || part <= 0 {
		return 0
	}
	return min(100, math.Round(1000*float64(part)/float64(whole))/10)
}

// percent returns "45.2 %".
func percent(part, whole int64) string {
	return strconv.FormatFloat(share(part, whole), 'f', 1, 64) + " %"
}

// counted returns "1 view", "2 views", "1,234 views".
func counted(n int64) string {
	if n == 1 {
		return "1 view"
	}
	return thousands(n) + " views"
}

func largest(points []Point) int64 {
	var most int64
	for _, p := range points {
		most = max(most, p.Views)
	}
	return most
}

// hourName returns "05" for the hour from 05:00 to 05:59.
func hourName(hour int) string { return fmt.Sprintf("%02d", hour) }
