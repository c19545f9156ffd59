package readstate

import (
	"testing"

	"github.com/stoachat/stoa/domain/message"
)

// The number of windows in which 4500 messages are found hardly depends on the number of messages in between.
func TestWindows(t *testing.T) {
	const own, limit = 4500, 20_000
	for total, want := range map[message.ID]int{10_000: 1, 100_000: 2, 1_000_000: 3, 3_000_000: 5} {
		for _, down := range []bool{false, true} {
			found, n, covered := 0, 0, message.ID(0)
			for w := newWindow(0, total, 1<<14, down); w.next(found, limit); n++ {
				found += int(own * (w.to - w.after) / total)
				covered += w.to - w.after
				if w.size > maxWindow {
					t.Fatalf("a window of %d IDs", w.size)
				}
			}
			if n > want || covered != total {
				t.Errorf("%d messages: %d windows with %d IDs, want %d", total, n, covered, want)
			}
		}
	}
	w := newWindow(0, 1_000_000, 1<<14, false)
	w.next(0, limit)
	if w.next(1<<14, limit); w.to-w.after != 1<<14 {
		t.Errorf("%d IDs after a window full of messages", w.to-w.after)
	}
}
