package oracle_test

import (
	"fmt"

	"github.com/stoachat/stoa/app/kittest"
)

// robot sends a message as alice's bot, if the bot is active.
func robot(w *simulation) {
	params := []string{"type", "channel", "to", fmt.Sprint(one(w, w.channels)), "topic", one(w, []string{"a", "B"}),
		"content", one(w, []string{"beep", "@**all** beep"})}
	if w.rnd.IntN(3) == 0 {
		params = []string{"type", "direct", "to", w.some(w.users), "content", "beep"}
	}
	a := w.do("bot", "POST /messages", params...)
	switch a.Status {
	case 200:
		w.posts = append(w.posts, post{a.Int("id"), "bot", params[1] == "channel"})
	case 401: // deactivated, or reactivated with another API key
		if w.do("olga", fmt.Sprintf("POST /users/%d/reactivate", w.s.UserID("bot"))).Status == 200 {
			w.s.LogIn("bot")
		}
	}
}

// bots creates and changes bots and changes their owners.
func bots(w *simulation) {
	if len(w.bots) == 0 || len(w.bots) < 5 && w.rnd.IntN(5) == 0 {
		makeBot(w)
		return
	}
	id := one(w, append([]int64{int64(w.s.UserID("bot"))}, w.bots...))
	switch w.rnd.IntN(8) {
	case 0:
		w.do(w.manager(), fmt.Sprintf("DELETE /bots/%d", id))
	case 1:
		w.do(w.manager(), fmt.Sprintf("POST /users/%d/reactivate", id))
	case 2:
		w.do(w.manager(), fmt.Sprintf("POST /bots/%d/api_key/regenerate", one(w, w.bots)))
	default:
		w.do(w.manager(), fmt.Sprintf("PATCH /bots/%d", id), botChange(w)...)
	}
}

func makeBot(w *simulation) {
	w.made++
	params := []string{"full_name", fmt.Sprintf("Bot %d", w.made), "short_name", fmt.Sprintf("made%d", w.made)}
	switch w.rnd.IntN(4) {
	case 0:
		params = append(params, "bot_type", "2")
	case 1:
		params = append(params, "bot_type", "3", "payload_url", `"https://hooks.example.com/one"`, "service_name", "hook")
	}
	if w.rnd.IntN(3) == 0 {
		params = append(params, "default_sending_stream", w.known(one(w, w.channels)), "default_all_public_streams", w.flag())
	}
	who := one(w, []string{"alice", "bob", "olga", "adam", "mona"})
	a := w.do(who, "POST /bots", params...)
	if a.Status == 200 {
		w.bots, w.users = append(w.bots, a.Int("user_id")), append(w.users, a.Int("user_id"))
	}
}

func botChange(w *simulation) []string {
	switch w.rnd.IntN(9) {
	case 0:
		return []string{"full_name", w.name("Bot")}
	case 1, 2:
		return []string{"bot_owner_id", fmt.Sprint(w.s.UserID(one(w, []string{"alice", "bob", "olga", "adam", "mona"})))}
	case 3:
		return []string{"role", fmt.Sprint(one(w, []int{200, 300, 400}))}
	case 4:
		return []string{"default_sending_stream", w.known(one(w, w.channels))}
	case 5:
		return []string{"default_events_register_stream", one(w, []string{"", w.known(one(w, w.channels))})}
	case 6:
		return []string{"default_all_public_streams", w.flag()}
	case 7:
		return []string{"service_payload_url",
			kittest.JSON(one(w, []string{"https://hooks.example.com/two", "https://hooks.example.com/three"})),
			"service_interface", one(w, []string{"1", "2"})}
	}
	w.made++
	return []string{"short_name", fmt.Sprintf("made%d", w.made)}
}
