package access_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stoachat/stoa/app/kittest"
)

func channelsTable() table {
	return table{"channels", "Who can see, join, change and leave channels. Administrators create public channels, " +
		"full members create private ones and add other users, and moderators set topics policies.",
		slices.Concat(lookRows(), mineRows(), joinRows(), makeRows(), changeRows(), folderRows(), bundleRows())}
}

// listedIn reports whether a list in the response contains the channel.
func listedIn(list, key string) func(*kittest.Response, cell) bool {
	return func(a *kittest.Response, x cell) bool {
		all, _ := a.Get(list).([]any)
		return slices.ContainsFunc(all, func(one any) bool {
			if key != "" {
				one = one.(map[string]any)[key]
			}
			return fmt.Sprint(one) == x.o.fields["id"]
		})
	}
}

func lookRows() []*row {
	ch := channels()
	return []*row{
		{route: "GET /streams", rule: "Public channels (except for guests) and the caller's own channels, without " +
			"archived ones.", who: users, on: ch,
			found: listedIn("streams", "stream_id"),
			may:   func(x cell) bool { return !x.archived() && (x.subscribed() || x.public() && !x.c.guest()) }},
		{route: "GET /streams", name: "all, archived too", rule: "Metadata access.", who: users, on: ch, may: cell.canSee,
			with: []string{"include_all", "true", "exclude_archived", "false"}, found: listedIn("streams", "stream_id")},
		{route: "GET /streams", name: "readable", rule: "Content access, without further parameters.", who: users, on: ch,
			may: cell.canRead, found: listedIn("streams", "stream_id"),
			with: []string{"include_can_access_content", "true", "include_public", "false", "include_subscribed", "false",
				"exclude_archived", "false"}},
		{route: "GET /streams/:stream_id", rule: "Metadata access.", who: users, on: ch, may: cell.canSee},
		{route: "GET /streams/:stream_id/members", rule: "Metadata access.", who: users, on: ch, may: cell.canSee},
		{route: "GET /get_stream_id", rule: "Content access; channels with metadata access only are answered like " +
			"missing ones.",
			who: users, on: ch, may: cell.canRead,
			with: []string{"stream", "{name}"}, sees: cell.canRead},
		{route: "GET /users/:user_id/subscriptions/:stream_id", rule: "Metadata access.",
			who: users, on: ch, may: cell.canSee,
			call: "GET /users/:me/subscriptions/:stream_id"},
		{route: "GET /users/:user_id/channels", name: "somebody's own", rule: "The user's channels to which the caller " +
			"has metadata access.",
			who: users, on: ch,
			call: "GET /users/:me/channels", found: listedIn("subscribed_channel_ids", ""), may: cell.subscribed},
	}
}

func mineRows() []*row {
	ch := channels()
	return []*row{
		{route: "GET /users/me/subscriptions", rule: "The caller's channels, without archived ones.", who: users, on: ch,
			found: listedIn("subscriptions", "stream_id"),
			may:   func(x cell) bool { return x.subscribed() && !x.archived() }},
		{route: "POST /users/me/subscriptions/properties", rule: "Subscribers.", who: users, on: ch, may: cell.subscribed,
			with: []string{"subscription_data", `[{"stream_id":{id},"property":"is_muted","value":true}]`}},
		{route: "PATCH /users/me/subscriptions/:stream_id", rule: "Subscribers.", who: users, on: ch, may: cell.subscribed,
			with: []string{"property", "color", "value", "#76ce90"}},
	}
}

// joinRows returns requests with the name of an existing channel. If the caller cannot access the channel but could
// create such a channel, the caller learns that the name is taken; others learn nothing.
func joinRows() []*row {
	ch := channels()
	sub := []string{"subscriptions", `[{"name":"{name}"}]`}
	others := append(slices.Clone(sub), "principals", "[{bob}]")
	joins := func(x cell) bool { return !x.c.guest() && x.canRead() }
	adds := func(x cell) bool { return joins(x) && (x.administers() || x.granted("adds") || x.c.full()) }
	sees := func(x cell) bool { return x.canSee() || x.c.admin() }
	removes := func(x cell) bool { return x.canSee() && x.administers() }
	return []*row{
		{route: "POST /users/me/subscriptions", name: "join", rule: "Content access, except guests.",
			who: elsewhereToo(members), on: ch, with: sub, may: joins, sees: sees, lasts: true},
		{route: "POST /users/me/subscriptions", name: "add another",
			rule: "Content access, and one of: administrator of the channel, its can_add_subscribers_group, the realm's " +
				"(full members).",
			who: elsewhere("400 BAD_REQUEST", members), on: ch, with: others, may: adds, sees: sees, lasts: true},
		{route: "PATCH /users/me/subscriptions", name: "join", rule: "As for POST.", who: elsewhereToo(members), on: ch,
			with: []string{"add", `[{"name":"{name}"}]`}, may: joins, sees: sees, lasts: true},
		{route: "PATCH /users/me/subscriptions", name: "leave", rule: "Metadata access, including guests.", who: users,
			on:   ch,
			with: []string{"delete", `["{name}"]`}, may: cell.canSee, lasts: true},
		{route: "DELETE /users/me/subscriptions", name: "leave", rule: "Metadata access, including guests.", who: users,
			on:   ch,
			with: []string{"subscriptions", `["{name}"]`}, may: cell.canSee, lasts: true},
		{route: "DELETE /users/me/subscriptions", name: "remove another",
			rule: "An administrator of the channel, or its can_remove_subscribers_group (administrators).",
			who:  users, on: ch, with: []string{"subscriptions", `["{name}"]`, "principals", "[{bob}]"}, may: removes,
			lasts: true},
		{route: "DELETE /users/me/subscriptions", name: "remove the bot owner's bot",
			rule: "As for other users; and the bot's owner, with metadata access.",
			who:  users, on: ch, with: []string{"subscriptions", `["{name}"]`, "principals", "[{botid}]"}, lasts: true,
			may: func(x cell) bool {
				return removes(x) || x.canSee() && (x.c.name == "bot owner" || x.c.name == "bot")
			}},
		{route: "POST /channels/create", name: "a name that is taken",
			rule: "No one. Users who can create such channels learn that the name is taken.", who: elsewhereToo(members), on: ch,
			with: []string{"name", "{name}", "subscribers", "[]"}, may: func(cell) bool { return false },
			sees: func(x cell) bool { return x.c.admin() }},
	}
}

// elsewhereToo admits callers from another realm, where the name belongs to another channel or is free.
func elsewhereToo(d admission) admission { return elsewhere(allowed, d) }

// elsewhere replaces the outcome for callers from another realm.
func elsewhere(what string, d admission) admission {
	return func(c *caller) string {
		if c.elsewhere {
			return what
		}
		return d(c)
	}
}

func makeRows() []*row {
	full := func(x cell) bool { return x.c.full() }
	admin := func(x cell) bool { return x.c.admin() }
	owner := func(x cell) bool { return x.c.role == 100 }
	var rows []*row
	for _, c := range []struct {
		name, rule string
		with       []string
		may        func(cell) bool
	}{
		{"public", "can_create_public_channel_group (here administrators).", nil, admin},
		{"private", "can_create_private_channel_group (here full members).", []string{"invite_only", "true"}, full},
		{"web-public", "can_create_web_public_channel_group (owners), if the realm admits spectators.",
			[]string{"is_web_public", "true"},
			func(x cell) bool { return owner(x) && !x.c.elsewhere }},
		{"default", "Administrators.", []string{"is_default_stream", "true"}, admin},
		{"kept for a year", "Owners.", []string{"message_retention_days", "365", "invite_only", "true"}, owner},
		{"with a topics policy", "can_set_topics_policy_group, here moderators.",
			[]string{"topics_policy", "allow_empty_topic", "invite_only", "true"},
			func(x cell) bool { return x.c.role <= 300 }},
		{"with a policy of deletions", "can_set_delete_message_policy_group, moderators.",
			[]string{"can_delete_own_message_group", "{everyone}", "invite_only", "true"},
			func(x cell) bool { return x.c.role <= 300 }},
	} {
		rows = append(rows,
			&row{route: "POST /users/me/subscriptions", name: "make, " + c.name, rule: c.rule, who: members, may: c.may,
				with: append([]string{"subscriptions", `[{"name":"made {n}"}]`}, c.with...)},
			&row{route: "POST /channels/create", name: c.name, rule: c.rule, who: members, may: c.may,
				with: append([]string{"name", "made {n}", "subscribers", "[]"}, c.with...)})
	}
	return rows
}

func changeRows() []*row {
	ch := channels()
	rows := []*row{
		{route: "DELETE /streams/:stream_id", rule: "Administrators of the realm and of the channel; refused if the " +
			"channel is already archived.", who: users, on: ch, lasts: true,
			may: func(x cell) bool { return x.administers() && !x.archived() }},
		{route: "POST /default_streams", rule: "Administrators; not for private or archived channels.", who: admins, on: ch,
			with: []string{"stream_id", "{id}"}, lasts: true,
			may: func(x cell) bool { return x.public() && !x.archived() }},
		{route: "DELETE /default_streams", rule: "Administrators.", who: admins, on: ch, with: []string{"stream_id", "{id}"},
			may: cell.canSee},
	}
	for _, c := range []struct {
		name, rule string
		with       []string
		lasts      bool
		may        func(cell) bool
	}{
		{"description", "Administrators of the realm and of the channel.", []string{"description", "said {n}"}, false,
			func(cell) bool { return true }},
		{"name", "Administrators of the realm and of the channel.", []string{"new_name", "renamed {n}"}, true,
			func(cell) bool { return true }},
		{"protect its history", "Administrators of the channel with content access; if it was public, only those who can " +
			"create private channels. A protected channel stays protected.",
			[]string{"is_private", "true", "history_public_to_subscribers", "false"}, true,
			func(x cell) bool {
				return x.kind() == "protected" || x.canRead() && (x.kind() == "private" || x.kind() == "public" && x.c.full())
			}},
		{"make public", "Administrators of the channel with content access who can create public channels.",
			[]string{"is_private", "false", "is_web_public", "false"}, true,
			func(x cell) bool { return x.canRead() && (x.c.admin() || x.kind() == "public") }},
		{"let others add subscribers", "Administrators of the channel with content access.",
			[]string{"can_add_subscribers_group", `{"new":{moderators}}`}, true, cell.canRead},
		{"let others post", "Administrators of the realm and of the channel.",
			[]string{"can_send_message_group", `{"new":{members}}`}, false, func(cell) bool { return true }},
		{"let everyone delete own messages", "Administrators of the channel in can_set_delete_message_policy_group " +
			"(moderators).",
			[]string{"can_delete_own_message_group", `{"new":{everyone}}`}, false, func(x cell) bool { return x.c.role <= 300 }},
		{"topics policy", "Administrators of the channel in can_set_topics_policy_group (moderators).",
			[]string{"topics_policy", "disable_empty_topic"}, false,
			func(x cell) bool { return x.c.role <= 300 }},
		{"retention", "Owners.", []string{"message_retention_days", "30"}, false,
			func(x cell) bool { return x.c.role == 100 }},
		{"make default", "Administrators; not for private or archived channels.", []string{"is_default_stream", "true"},
			true,
			func(x cell) bool { return x.c.admin() && x.public() && !x.archived() }},
		{"restore", "Administrators of the realm and of the channel; refused if the channel is not archived.",
			[]string{"is_archived", "false"}, true, cell.archived},
	} {
		rows = append(rows, &row{route: "PATCH /streams/:stream_id", name: c.name, rule: c.rule, who: users, on: ch,
			with: c.with, lasts: c.lasts,
			may: func(x cell) bool { return x.administers() && c.may(x) }})
	}
	return rows
}

func folders() *family {
	return &family{name: "folder", missing: map[string]string{"channel_folder_id": "987654321"},
		variants: []variant{{kind: "folder"}, {kind: "archived"}},
		make: func(w *fixture, v variant, _ []*caller) object {
			id := fmt.Sprint(w.do("POST /channel_folders/create", "name", "folder "+w.fresh(), "description",
				"").Int("channel_folder_id"))
			if v.kind == "archived" {
				w.do("PATCH /channel_folders/"+id, "is_archived", "true")
			}
			return object{map[string]string{"channel_folder_id": id, "id": id}}
		}}
}

func folderRows() []*row {
	return []*row{
		{route: "GET /channel_folders", rule: "All users.", who: users, on: folders(),
			with: []string{"include_archived", "true"}, found: listedIn("channel_folders", "id")},
		{route: "POST /channel_folders/create", rule: "Administrators.", who: admins,
			with: []string{"name", "folder {n}", "description", ""}},
		{route: "PATCH /channel_folders/:channel_folder_id", rule: "Administrators.", who: admins, on: folders(),
			with: []string{"description", "said {n}"}, lasts: true},
		{route: "PATCH /channel_folders", rule: "Administrators; the request must name all folders.", who: admins,
			do: func(w *fixture, x cell) *kittest.Response {
				all := w.ask(x.c, "GET /channel_folders", "include_archived", "true")
				var ids []string
				if all.Status == 200 {
					list, _ := all.Get("channel_folders").([]any)
					for _, f := range list {
						ids = append(ids, fmt.Sprint(f.(map[string]any)["id"]))
					}
				}
				return w.ask(x.c, "PATCH /channel_folders", "order", "["+strings.Join(ids, ",")+"]")
			}},
	}
}
