package proof_test

import (
	"fmt"
)

func own(w *world) {
	setting := one(w, [][2]string{
		{"twenty_four_hour_time", w.flag()}, {"enter_sends", w.flag()}, {"enable_drafts_synchronization", one(w, []string{"true", "true", "false"})}, {"default_language", "en"}, {"timezone", one(w, []string{"Europe/Berlin", "Asia/Tokyo", ""})},
		{"color_scheme", fmt.Sprint(1 + w.rnd.IntN(3))}, {"full_name", w.name("Self")}, {"web_home_view", one(w, []string{"inbox", "recent"})},
	})
	w.do(one(w, w.names), "PATCH /settings", setting[0], setting[1])
}

func drafts(w *world) {
	who, text := one(w, w.names), fmt.Sprintf(`{"type":"","to":[],"topic":"","content":"draft %d","timestamp":%[1]d}`, w.rnd.IntN(9))
	switch w.rnd.IntN(4) {
	case 0, 1:
		w.do(who, "POST /drafts", "drafts", "["+text+","+text+"]")
	case 2:
		w.do(who, fmt.Sprintf("PATCH /drafts/%d", 1+w.rnd.IntN(9)), "draft", text)
	case 3:
		w.do(who, fmt.Sprintf("DELETE /drafts/%d", 1+w.rnd.IntN(9)))
	}
}

func views(w *world) {
	who, custom := one(w, w.names), "narrow/is/followed"
	switch w.rnd.IntN(4) {
	case 0:
		w.do(who, "POST /navigation_views", "fragment", "inbox", "is_pinned", w.flag())
	case 1:
		w.do(who, "POST /navigation_views", "fragment", custom, "is_pinned", w.flag(), "name", w.name("View"))
	case 2:
		w.do(who, "PATCH /navigation_views/"+custom, "is_pinned", w.flag(), "name", one(w, []string{"one", "two"}))
	case 3:
		w.do(who, "DELETE /navigation_views/"+one(w, []string{custom, "inbox"}))
	}
}

func policies(w *world) {
	w.do(one(w, w.names), "POST /user_topics", "stream_id", fmt.Sprint(one(w, w.channels)), "topic", one(w, []string{"a", "b", "c"}), "visibility_policy", fmt.Sprint(w.rnd.IntN(4)))
}

func mutes(w *world) {
	w.do(one(w, w.names), fmt.Sprintf("%s /users/me/muted_users/%d", one(w, []string{"POST", "DELETE"}), one(w, w.users)))
}
