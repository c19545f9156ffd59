package testrun

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Patience is how long tests wait for what must happen. It is far longer than anything takes on a busy machine, so that
// a test fails only if it never happens.
const Patience = 5 * time.Minute

// Await waits until the condition holds. Use it only for what nothing signals. A failure says what was awaited, and
// prints the details as they are then, such as a server's log.
func Await(t testing.TB, what string, condition func() bool, details ...fmt.Stringer) {
	t.Helper()
	end := time.After(Patience)
	for pause := time.Millisecond; !condition(); pause = min(2*pause, 20*time.Millisecond) {
		select {
		case <-time.After(pause):
		case <-end:
			var b strings.Builder
			for _, d := range details {
				b.WriteString("\n" + d.String())
			}
			t.Fatalf("waited %v in vain: %s%s", Patience, what, &b)
		}
	}
}

// Receive returns the next value of a channel, or the zero value if the channel is closed.
func Receive[T any](t testing.TB, c <-chan T, what string) (got T) {
	t.Helper()
	select {
	case got = <-c:
	case <-time.After(Patience):
		t.Fatalf("waited %v in vain: %s", Patience, what)
	}
	return got
}
