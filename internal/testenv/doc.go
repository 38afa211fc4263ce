// Package testenv is what tests of several packages need of their surroundings: a way to leave something out visibly,
// and the programs and files that a machine may lack. Only tests import it.
//
//	machine has it ──────────────> the test runs
//	machine lacks it, CI=true ───> the test fails
//	machine lacks it, else ──────> the test is skipped, and `make test` ends with a line that names it
package testenv
