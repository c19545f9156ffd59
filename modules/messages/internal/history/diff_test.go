package history

import (
	"testing"
	"time"
)

// Computing the diffs of a history takes about a second at most, however many edits it has.
func TestDiffTimeIsBounded(t *testing.T) {
	for n, want := range map[int]time.Duration{
		0: 100 * time.Millisecond, 1: 100 * time.Millisecond, 10: 100 * time.Millisecond, 20: 50 * time.Millisecond,
		1000: time.Millisecond, 10_000_000: time.Microsecond,
	} {
		if got := diffTime(n); got != want {
			t.Errorf("time for each of %d: %v, want %v", n, got, want)
		}
	}
}
