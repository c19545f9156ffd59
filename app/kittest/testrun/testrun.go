// Package testrun says how the tests are run, and waits for what happens concurrently. It imports only the standard
// library, so that tests of all layers can use it.
//
// Without any setting, a random test runs as many rounds as find a mutation of the code within seconds. With
// STOA_TEST_LONG=1, as in make test-long, it runs all of them.
package testrun

import (
	"os"
	"testing"
)

// Long reports whether random tests run all their rounds.
func Long() bool { return os.Getenv("STOA_TEST_LONG") == "1" }

// Unraced skips a test under the race detector, which would make it several times slower without finding anything.
func Unraced(t testing.TB, why string) {
	t.Helper()
	if race {
		t.Skip("not for the race detector: " + why)
	}
}
