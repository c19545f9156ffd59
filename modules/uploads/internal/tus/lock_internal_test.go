package tus

import "testing"

// TestInterrupt checks that only a later request interrupts the one that holds the lock.
func TestInterrupt(t *testing.T) {
	for arrival, want := range map[int64]bool{1: false, 3: true} {
		interrupted := false
		s := New(Needs{})
		s.held["a"] = &holder{arrival: 2, interrupt: func() { interrupted = true }, reading: true}
		l, err := (&request{Service: s, arrival: arrival}).NewLock("a")
		if err != nil {
			t.Fatal(err)
		}
		if ok, err := l.(*lock).try(t.Context(), nil); ok || err != nil || interrupted != want {
			t.Errorf("request %d: %v %v, interrupted: %v", arrival, ok, err, interrupted)
		}
	}
}
