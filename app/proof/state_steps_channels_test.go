package proof_test

import (
	"fmt"

	"github.com/stoachat/stoa/app/kittest"
)

var channelSettings = []string{
	"can_add_subscribers_group", "can_administer_channel_group", "can_subscribe_group", "can_send_message_group", "can_remove_subscribers_group",
	"can_delete_any_message_group", "can_resolve_topics_group",
}

func makeChannel(w *world) {
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
	if a := w.do(w.boss(), "POST /channels/create", params...); a.Status == 200 {
		w.channels = append(w.channels, a.Int("id"))
	}
}

// changeChannel changes one thing of a channel, or several at once.
func changeChannel(w *world) {
	call := fmt.Sprintf("/streams/%d", one(w, w.channels))
	if w.rnd.IntN(16) == 0 {
		w.do(w.boss(), "DELETE "+call)
		return
	}
	params := channelChange(w)
	for w.rnd.IntN(3) == 0 {
		params = append(params, channelChange(w)...)
	}
	w.do(w.boss(), "PATCH "+call, params...)
}

func channelChange(w *world) []string {
	switch w.rnd.IntN(8) {
	case 0:
		return []string{"new_name", w.name("channel")}
	case 1:
		return []string{"description", w.name("about *it*")}
	case 2, 3:
		return []string{"is_private", w.flag()}
	case 4:
		return []string{"is_web_public", w.flag()}
	case 5:
		return []string{"history_public_to_subscribers", w.flag()}
	case 6:
		return []string{"is_archived", "false"}
	}
	return []string{"topics_policy", one(w, []string{"inherit", "disable_empty_topic"})}
}

func allow(w *world) {
	w.do(w.boss(), fmt.Sprintf("PATCH /streams/%d", one(w, w.channels)), one(w, channelSettings[:3]), w.update())
}

// known gives the name of a channel; the log would tell if it is not there any more.
func (w *world) known(id int64) string {
	a := w.s.As("olga").Do(fmt.Sprintf("GET /streams/%d", id))
	if a.Status != 200 {
		return "gone"
	}
	return a.String("stream.name")
}

func subscribe(w *world) {
	params := []string{"subscriptions", kittest.JSON([]object{{"name": w.known(one(w, w.channels))}}), "send_new_subscription_messages", "false"}
	if w.rnd.IntN(2) == 0 {
		params = append(params, "principals", w.some(w.users))
	}
	w.do(one(w, w.names), "POST /users/me/subscriptions", params...)
}

func unsubscribe(w *world) {
	params := []string{"subscriptions", kittest.JSON([]string{w.known(one(w, w.channels))})}
	who := one(w, w.names)
	if w.rnd.IntN(2) == 0 {
		who = w.boss()
		params = append(params, "principals", w.some(w.users))
	}
	w.do(who, "DELETE /users/me/subscriptions", params...)
}

func personally(w *world) {
	prop := one(w, []string{"is_muted", "pin_to_top", "push_notifications"})
	w.do(one(w, w.names), fmt.Sprintf("PATCH /users/me/subscriptions/%d", one(w, w.channels)), "property", prop, "value", w.flag())
}

func defaultChannels(w *world) {
	w.do(w.boss(), one(w, []string{"POST", "DELETE"})+" /default_streams", "stream_id", fmt.Sprint(one(w, w.channels)))
}

func folders(w *world) {
	switch {
	case len(w.folders) < 3:
		if a := w.do(w.boss(), "POST /channel_folders/create", "name", w.name("folder"), "description", "d"); a.Status == 200 {
			w.folders = append(w.folders, a.Int("channel_folder_id"))
		}
	case w.rnd.IntN(2) == 0:
		w.do(w.boss(), fmt.Sprintf("PATCH /channel_folders/%d", one(w, w.folders)), "name", w.name("folder"))
	default:
		w.do(w.boss(), fmt.Sprintf("PATCH /streams/%d", one(w, w.channels)), "folder_id", fmt.Sprint(one(w, w.folders)))
	}
}
