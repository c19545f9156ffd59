package kittest

import (
	"testing"
	"time"
)

// patience is how long Await waits. It is far longer than anything takes on a busy machine, so that Await fails only if
// the condition never holds.
const patience = 2 * time.Minute

// Await waits until the condition holds. Use it only for concurrent effects, such as changes in another node's view.
func Await(t testing.TB, condition func() bool) {
	t.Helper()
	end := time.After(patience)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("the condition was not met within %v", patience)
		}
	}
}
