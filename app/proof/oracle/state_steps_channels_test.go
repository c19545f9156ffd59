package oracle_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stoachat/stoa/app/kittest"
)

var channelSettings = []string{
	"can_add_subscribers_group", "can_administer_channel_group", "can_subscribe_group", "can_send_message_group",
	"can_remove_subscribers_group",
	"can_delete_any_message_group", "can_resolve_topics_group", "can_create_topic_group",
	"can_move_messages_within_channel_group",
	"can_move_messages_out_of_channel_group", "can_delete_own_message_group",
}

func makeChannel(w *simulation) {
	params := []string{"name", w.name("channel"), "description", "about", "subscribers", w.some(w.users)}
	switch w.rnd.IntN(4) {
	case 0:
		params = append(params, "invite_only", "true")
	case 1:
		params = append(params, "invite_only", "true", "history_public_to_subscribers", "true")
	case 2:
		params = append(params, "is_web_public", "true")
	}
	if w.rnd.IntN(3) == 0 {
		params = append(params, one(w, channelSettings), w.value())
	}
	if a := w.do(w.manager(), "POST /channels/create", params...); a.Status == 200 {
		w.channels = append(w.channels, a.Int("id"))
	}
}

// changeChannel changes one or more properties of a channel.
func changeChannel(w *simulation) {
	call := fmt.Sprintf("/streams/%d", one(w, w.channels))
	if w.rnd.IntN(16) == 0 {
		w.do(w.manager(), "DELETE "+call)
		return
	}
	params := channelChange(w)
	for w.rnd.IntN(3) == 0 {
		if more := channelChange(w); !slices.Contains(params, more[0]) {
			params = append(params, more...)
		}
	}
	w.do(w.manager(), "PATCH "+call, params...)
}

func channelChange(w *simulation) []string {
	switch w.rnd.IntN(12) {
	case 0:
		return []string{"new_name", w.name("channel")}
	case 1:
		return []string{"description", w.name("about *it*")}
	case 2, 3, 4:
		return []string{"is_private", w.flag()}
	case 5:
		return []string{"is_web_public", w.flag()}
	case 6:
		return []string{"history_public_to_subscribers", w.flag()}
	case 7:
		return []string{"is_archived", "false"}
	case 8:
		return []string{"is_default_stream", w.flag()}
	case 9:
		return []string{"message_retention_days", one(w, []string{`"realm_default"`, `"unlimited"`, "30", "90"})}
	case 10:
		return []string{"folder_id", one(w, append([]string{"null"},
			strings.Fields(strings.Trim(fmt.Sprint(w.folders), "[]"))...))}
	}
	return []string{"topics_policy", one(w, []string{"inherit", "disable_empty_topic", "allow_empty_topic"})}
}

func allow(w *simulation) {
	w.do(w.manager(), fmt.Sprintf("PATCH /streams/%d", one(w, w.channels)),
		one(w, append(channelSettings[:3:3], one(w, channelSettings))), w.update())
}

// known returns a channel's name, or "gone" if the channel no longer exists.
func (w *simulation) known(id int64) string {
	a := w.s.As("olga").Do(fmt.Sprintf("GET /streams/%d", id))
	if a.Status != 200 {
		return "gone"
	}
	return a.String("stream.name")
}

func subscribe(w *simulation) {
	name, who := w.known(one(w, w.channels)), one(w, w.names)
	if w.rnd.IntN(8) == 0 { // also creates a channel
		name = w.name("channel")
	}
	params := []string{"subscriptions", kittest.JSON([]object{{"name": name}}), "send_new_subscription_messages", "false"}
	switch w.rnd.IntN(5) {
	case 0, 1:
		params = append(params, "principals", w.some(w.users))
	case 2:
		params = append(params, "invite_only", w.flag(), "is_default_stream", w.flag())
	case 3:
		w.do(who, "PATCH /users/me/subscriptions", "add", kittest.JSON([]object{{"name": name}}), "delete",
			kittest.JSON([]string{w.known(one(w, w.channels))}))
		return
	}
	if a := w.do(who, "POST /users/me/subscriptions", params...); a.Status == 200 && strings.HasPrefix(name, "channel") {
		if id := w.as(who).Do("GET /get_stream_id", "stream", name); id.Status == 200 &&
			!slices.Contains(w.channels, id.Int("stream_id")) {
			w.channels = append(w.channels, id.Int("stream_id"))
		}
	}
}

func unsubscribe(w *simulation) {
	params := []string{"subscriptions", kittest.JSON([]string{w.known(one(w, w.channels))})}
	who := one(w, w.names)
	if w.rnd.IntN(2) == 0 {
		who = w.manager()
		params = append(params, "principals", w.some(w.users))
	}
	w.do(who, "DELETE /users/me/subscriptions", params...)
}
