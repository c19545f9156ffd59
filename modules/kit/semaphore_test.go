package kit

import (
	"context"
	"testing"
)

func TestTurns(t *testing.T) {
	turns := NewSemaphore[string](2)
	take := func(key string) func() {
		t.Helper()
		done, err := turns.Acquire(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	first, second := take("a"), take("a")
	other := take("b")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := turns.Acquire(gone, "a"); err == nil {
		t.Error("a third caller got a turn")
	}
	waited := make(chan func())
	go func() {
		done, _ := turns.Acquire(context.Background(), "a")
		waited <- done
	}()
	first()
	(<-waited)()
	second()
	other()
	if len(turns.slots) != 0 {
		t.Errorf("%d lines are left", len(turns.slots))
	}
}
