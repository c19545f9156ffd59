package oracle_test

import (
	"fmt"
	"slices"

	"github.com/stoachat/stoa/app/kittest"
)

// personally changes a user's settings for a subscription with one of three routes.
func personally(w *simulation) {
	who := one(w, w.names)
	mine := w.subscriptions(who)
	if len(mine) == 0 {
		return
	}
	id := one(w, mine)
	prop, value := one(w, []string{"is_muted", "pin_to_top", "push_notifications", "desktop_notifications",
		"wildcard_mentions_notify"}), any(w.rnd.IntN(2) == 0)
	switch w.rnd.IntN(6) {
	case 0:
		prop = "in_home_view"
	case 1:
		prop, value = "color", one(w, []string{"#ff0000", "#00ff00"})
	}
	if w.rnd.IntN(2) == 0 {
		w.do(who, fmt.Sprintf("PATCH /users/me/subscriptions/%d", id), "property", prop, "value", fmt.Sprint(value))
		return
	}
	all := []object{{"stream_id": id, "property": prop, "value": value}}
	if w.rnd.IntN(2) == 0 {
		all = append(all, object{"stream_id": one(w, mine), "property": "is_muted", "value": true})
	}
	w.do(who, "POST /users/me/subscriptions/properties", "subscription_data", kittest.JSON(all))
}

// subscriptions returns the IDs of the channels that a user is subscribed to.
func (w *simulation) subscriptions(who string) (ids []int64) {
	var res struct{ Subscriptions []object }
	w.as(who).Do("GET /users/me/subscriptions").OK().JSON(&res)
	for _, c := range res.Subscriptions {
		ids = append(ids, number(c["stream_id"]))
	}
	return ids
}

func defaultChannels(w *simulation) {
	if w.rnd.IntN(2) == 0 {
		bundles(w)
		return
	}
	w.do(w.manager(), one(w, []string{"POST", "DELETE"})+" /default_streams", "stream_id", fmt.Sprint(one(w, w.open())))
}

// open returns the IDs of the public channels, or of general if there are none.
func (w *simulation) open() []int64 {
	var res struct{ Streams []object }
	w.as("olga").Do("GET /streams").OK().JSON(&res)
	var ids []int64
	for _, c := range res.Streams {
		if c["invite_only"] == false && c["is_archived"] == false {
			ids = append(ids, number(c["stream_id"]))
		}
	}
	return append(ids, w.channels[0])
}

// bundles changes the realm's default channel groups.
func bundles(w *simulation) {
	open := func() string { return kittest.JSON([]string{w.known(one(w, w.open()))}) }
	if len(w.bundles) == 0 || len(w.bundles) < 4 && w.rnd.IntN(4) == 0 {
		name := w.name("bundle")
		if a := w.do("olga", "POST /default_stream_groups/create", "group_name", name, "description", "d", "stream_names",
			one(w, []string{"[]", open()})); a.Status == 200 {
			w.bundles = w.ids("POST /register", "realm_default_stream_groups", "id", "fetch_event_types",
				`["default_stream_groups"]`, "event_types", "[]")
		}
		return
	}
	path := fmt.Sprintf("/default_stream_groups/%d", one(w, w.bundles))
	switch w.rnd.IntN(5) {
	case 0:
		w.do(w.manager(), "PATCH "+path, "new_group_name", w.name("bundle"), "new_description", w.name("about"))
	case 1:
		w.do(w.manager(), "DELETE "+path)
		w.bundles = w.ids("POST /register", "realm_default_stream_groups", "id", "fetch_event_types",
			`["default_stream_groups"]`, "event_types", "[]")
	default:
		w.do(w.manager(), "PATCH "+path+"/streams", "op", one(w, []string{"add", "add", "remove"}), "stream_names", open())
	}
}

func folders(w *simulation) {
	manager := one(w, []string{"olga", "adam", w.manager()})
	if len(w.folders) < 3 {
		if a := w.do(manager, "POST /channel_folders/create", "name", w.name("folder"), "description", "d"); a.Status == 200 {
			w.folders = append(w.folders, a.Int("channel_folder_id"))
		}
		return
	}
	path := fmt.Sprintf("PATCH /channel_folders/%d", one(w, w.folders))
	switch w.rnd.IntN(6) {
	case 0:
		w.do(manager, path, "name", w.name("folder"))
	case 1:
		w.do(manager, path, "description", w.name("a *folder*"))
	case 2:
		order := slices.Clone(w.folders)
		w.rnd.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		w.do(manager, "PATCH /channel_folders", "order", kittest.JSON(order))
	case 3:
		w.do(manager, path, "is_archived", w.flag())
	default:
		w.do(manager, fmt.Sprintf("PATCH /streams/%d", one(w, w.channels)), "folder_id", fmt.Sprint(one(w, w.folders)))
	}
}
