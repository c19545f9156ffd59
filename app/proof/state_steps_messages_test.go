package proof_test

import (
	"fmt"

	"github.com/stoachat/stoa/app/kittest"
)

func send(w *world) {
	content := one(w, []string{"hello", "@**all** look", "alpha and beta", "@**topic** hi", fmt.Sprintf("@**Olga|%d**", w.s.UserID("olga"))})
	params := []string{"type", "channel", "to", fmt.Sprint(one(w, w.channels)), "topic", one(w, []string{"a", "b", "c", ""}), "content", content}
	if w.rnd.IntN(3) == 0 {
		params = []string{"type", "direct", "to", w.some(append([]int64{int64(w.s.UserID("guest"))}, w.users...)), "content", content}
	}
	if a := w.do(one(w, w.names), "POST /messages", params...); a.Status == 200 {
		w.messages = append(w.messages, a.Int("id"))
	}
}

func (w *world) message(call string, params ...string) {
	if len(w.messages) > 0 {
		w.do(w.boss(), fmt.Sprintf(call, one(w, w.messages[max(0, len(w.messages)-10):])), params...)
	}
}

func edit(w *world) {
	w.message("PATCH /messages/%d", "content", one(w, []string{"edited", "@**all** again", "gamma"}))
}

func move(w *world) {
	params := []string{"propagate_mode", one(w, []string{"change_one", "change_later", "change_all"}), "topic", one(w, []string{"a", "b", "d", "✔ a"})}
	if w.rnd.IntN(3) == 0 {
		params = append(params, "stream_id", fmt.Sprint(one(w, w.channels)))
	}
	w.message("PATCH /messages/%d", params...)
}

func remove(w *world) {
	if w.rnd.IntN(4) == 0 {
		w.do(w.boss(), fmt.Sprintf("POST /streams/%d/delete_topic", one(w, w.channels)), "topic_name", one(w, []string{"a", "b", "c"}))
		return
	}
	w.message("DELETE /messages/%d")
}

func flags(w *world) {
	if len(w.messages) > 0 {
		w.do(one(w, w.names), "POST /messages/flags", "messages", w.some(w.messages[max(0, len(w.messages)-10):]), "op", one(w, []string{"add", "remove"}), "flag", one(w, []string{"read", "starred"}))
	}
}

func marks(w *world) {
	switch w.rnd.IntN(4) {
	case 0:
		w.do(one(w, w.names), "POST /mark_stream_as_read", "stream_id", fmt.Sprint(one(w, w.channels)))
	case 1:
		w.do(one(w, w.names), "POST /mark_all_as_read")
	default:
		w.do(one(w, w.names), "POST /messages/flags/narrow", "anchor", "newest", "num_before", "20", "num_after", "0", "op", one(w, []string{"add", "remove"}), "flag", "read",
			"narrow", kittest.JSON([]object{{"operator": "channel", "operand": one(w, w.channels)}}))
	}
}
