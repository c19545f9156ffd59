package proof_test

import (
	"fmt"
)

// robot has alice's bot say something, as far as it may.
func robot(w *world) {
	params := []string{"type", "channel", "to", fmt.Sprint(one(w, w.channels)), "topic", one(w, []string{"a", "b"}), "content", one(w, []string{"beep", "@**all** beep"})}
	if w.rnd.IntN(3) == 0 {
		params = []string{"type", "direct", "to", w.some(w.users), "content", "beep"}
	}
	if a := w.do("bot", "POST /messages", params...); a.Status == 200 {
		w.messages = append(w.messages, a.Int("id"))
	}
}
