package proof_test

import (
	"fmt"

	"github.com/stoachat/stoa/app/kittest"
)

// robot has alice's bot say something, as far as it may.
func robot(w *world) {
	params := []string{"type", "channel", "to", fmt.Sprint(one(w, w.channels)), "topic", one(w, []string{"a", "B"}), "content", one(w, []string{"beep", "@**all** beep"})}
	if w.rnd.IntN(3) == 0 {
		params = []string{"type", "direct", "to", w.some(w.users), "content", "beep"}
	}
	if a := w.do("bot", "POST /messages", params...); a.Status == 200 {
		w.messages = append(w.messages, a.Int("id"))
	}
}

// leaving deactivates somebody, with something of what is theirs, or takes them back.
func leaving(w *world) {
	id := one(w, append([]int64{int64(w.s.UserID("bot"))}, w.extras...))
	if w.rnd.IntN(3) == 0 {
		w.do(w.boss(), fmt.Sprintf("POST /users/%d/reactivate", id))
		return
	}
	actions := map[string]bool{}
	for _, name := range []string{"delete_profile", "delete_public_channel_messages", "delete_private_channel_messages", "delete_direct_messages"} {
		actions[name] = w.rnd.IntN(2) == 0
	}
	w.do(w.boss(), fmt.Sprintf("DELETE /users/%d", id), "actions", kittest.JSON(actions), "deactivation_notification_comment", "bye")
	w.do(w.boss(), fmt.Sprintf("POST /users/%d/reactivate", id))
}
