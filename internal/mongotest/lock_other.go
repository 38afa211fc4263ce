//go:build !unix

package mongotest

import "testing"

// lock does nothing where there is no flock: there, run the packages' tests one after the other ("go test -p 1").
func lock(testing.TB, string) {}
