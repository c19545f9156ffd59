package edit

import (
	"testing"
	"time"
)

// However often a message was edited, all of its history is compared for about a second at most.
func TestPatience(t *testing.T) {
	for n, want := range map[int]time.Duration{
		0: 100 * time.Millisecond, 1: 100 * time.Millisecond, 10: 100 * time.Millisecond, 20: 50 * time.Millisecond,
		1000: time.Millisecond, 10_000_000: time.Microsecond,
	} {
		if got := each(n); got != want {
			t.Errorf("each of %d: %v, want %v", n, got, want)
		}
	}
}
