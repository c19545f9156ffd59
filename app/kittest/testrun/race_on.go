//go:build race

package testrun

// race reports whether the race detector watches the tests.
const race = true
