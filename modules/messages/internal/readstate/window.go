package readstate

import "github.com/stoachat/stoa/domain/message"

// window divides a range of IDs into windows, so that messages of several conversations can be read in the order of
// their IDs without sorting all of them. Windows grow as long as they contain few messages: each costs a search in each
// conversation, so their number must hardly depend on how many messages others write in between.
type window struct {
	after, to message.ID // the current window: IDs in (after, to]
	low, high message.ID // the part of the range outside of the windows so far
	down      bool       // from the highest IDs to the lowest
	size      message.ID
	found     int // messages found before the current window
}

// newWindow returns a window before the first of (after, to], which has the given size.
func newWindow(after, to, size message.ID, down bool) *window {
	return &window{low: after, high: to, down: down, size: size}
}

// next moves to the next window and reports whether there was one left. found is the number of messages found so far,
// of limit.
func (w *window) next(found, limit int) bool {
	if w.low >= w.high {
		return false
	}
	if w.after != w.to { // not for the first
		w.grow(found-w.found, limit)
	}
	w.found = found
	size := min(w.size, w.high-w.low)
	if w.down {
		w.after, w.to = w.high-size, w.high
		w.high = w.after
	} else {
		w.after, w.to = w.low, w.low+size
		w.low = w.to
	}
	return true
}

// Limits of windows.
const (
	maxGrowth = 8
	maxWindow = 1 << 20 // IDs; they may all belong to the conversations
)

// grow enlarges the next window if it probably contains at most limit messages, as the current one contains found.
func (w *window) grow(found, limit int) {
	for n := 1; n < maxGrowth && 4*n*found <= limit && w.size < maxWindow; n *= 2 {
		w.size *= 2
	}
}
