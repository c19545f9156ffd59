package access_test

import (
	"slices"

	"github.com/stoachat/stoa/app/kittest"
)

func messagesTable() table {
	return table{"messages", "Who can read, send, change and mark messages. Here members can rename topics and delete " +
		"their own messages, and moderators can move messages to other channels.",
		slices.Concat(readRows(), changeMessageRows(), markRows(), sendRows(), typingRows())}
}

func readRows() []*row {
	m := messages()
	return []*row{
		{route: "GET /messages/:message_id", rule: "Users who can see the message.", who: spectators, on: m,
			may: cell.seesMessage},
		{route: "GET /messages/:message_id/history", rule: "Users who can see the message.", who: users, on: m,
			may: cell.seesMessage},
		{route: "GET /messages/:message_id/read_receipts", rule: "Users who can see the message.", who: users, on: m,
			may: cell.seesMessage},
		{route: "GET /messages", name: "by id", rule: "Users who can see the message.", who: users, on: m,
			may:   cell.seesMessage,
			found: listedIn("messages", "id"),
			with:  []string{"message_ids", "[{id}]"}},
		{route: "GET /messages", name: "own", rule: "Users who received the message and can still see it.",
			who: users, on: m,
			may: cell.has, found: listedIn("messages", "id"),
			with: []string{"anchor", "{id}", "num_before", "0", "num_after", "0", "narrow", "[]"}},
		{route: "GET /messages", name: "narrow to an id", rule: "Users who received the message and can still see it.",
			who: users, on: m,
			may: cell.has, found: listedIn("messages", "id"),
			with: []string{"anchor", "newest", "num_before", "5", "num_after", "0", "narrow", `[["id","{id}"]]`}},
		{route: "GET /messages", name: "public channels",
			rule: "Messages of public channels; guests see only messages they received.", who: users, on: m,
			found: listedIn("messages", "id"), may: func(x cell) bool { return x.public() && (!x.c.guest() || x.has()) },
			with: []string{"anchor", "{id}", "num_before", "0", "num_after", "0", "narrow", `[["channels","public"]]`}},
		{route: "GET /messages", name: "web-public channels",
			rule: "Messages of web-public channels, for everyone whom the realm admits; guests see only messages they " +
				"received.",
			who: spectators, on: m,
			found: listedIn("messages", "id"),
			may:   func(x cell) bool { return x.kind() == "web-public" && (!x.c.guest() || x.has()) },
			with:  []string{"anchor", "{id}", "num_before", "0", "num_after", "0", "narrow", `[["channels","web-public"]]`}},
		{route: "GET /messages", name: "the channel",
			rule: "Users who can see the message; hidden channels are answered like missing ones.", who: users, on: m,
			with: []string{"anchor", "{id}", "num_before", "0", "num_after", "0", "narrow",
				`[{"operator":"channel","operand":{stream_id}}]`},
			may: func(x cell) bool { return x.kind() != "direct" && x.seesMessage() }, found: listedIn("messages", "id"),
			sees: cell.canSee},
		{route: "GET /messages/matches_narrow", rule: "Users who received the message and can still see it.",
			who: users, on: m,
			may:   cell.has,
			with:  []string{"msg_ids", "[{id}]", "narrow", "[]"},
			found: func(a *kittest.Response, x cell) bool { return a.Has("messages." + x.o.fields["id"]) }},
		{route: "GET /users/me/:stream_id/topics", rule: "Users who can see a message of the topic.", who: spectators, on: m,
			found: hasTopic,
			may:   func(x cell) bool { return x.kind() != "direct" && x.seesMessage() }, sees: cell.canRead},
		{route: "GET /users/me/:stream_id/topics", name: "a channel's", rule: "Content access.", who: spectators,
			on: channels(), may: cell.canRead, sees: cell.canRead},
		{route: "POST /messages/render", rule: "All users.", who: users, with: []string{"content", "x"}},
		{route: "POST /realm/test_welcome_bot_custom_message", rule: "Administrators, to themselves.", who: admins,
			with: []string{"welcome_message_custom_text", "x"}},
	}
}

func hasTopic(a *kittest.Response, x cell) bool {
	all, _ := a.Get("topics").([]any)
	return slices.ContainsFunc(all, func(t any) bool { return t.(map[string]any)["name"] == x.o.fields["topic"] })
}

func changeMessageRows() []*row {
	m := messages()
	inChannel := func(x cell) bool { return x.kind() != "direct" && x.canAct() }
	return []*row{
		{route: "PATCH /messages/:message_id", name: "content", rule: "Only the sender.", who: users,
			on: m, with: []string{"content", "new"},
			may: func(x cell) bool { return x.canAct() && x.own() }},
		{route: "PATCH /messages/:message_id", name: "topic",
			rule: "can_move_messages_between_topics_group (here members), and administrators of the channel.", who: users, on: m,
			lasts: true,
			with:  []string{"topic", "moved {n}"}, may: func(x cell) bool { return inChannel(x) && !x.c.guest() }},
		{route: "PATCH /messages/:message_id", name: "resolve the topic", rule: "can_resolve_topics_group (everyone).",
			who: users, on: m, lasts: true,
			with: []string{"topic", "✔ {topic}", "propagate_mode", "change_all"}, may: inChannel},
		{route: "PATCH /messages/:message_id", name: "to another channel",
			rule: "can_move_messages_between_channels_group (here moderators), and administrators of the channel.",
			who:  users, on: m, lasts: true, with: []string{"stream_id", "{lobby}"},
			may: func(x cell) bool { return inChannel(x) && (x.administers() || x.c.role <= 300) }},
		{route: "DELETE /messages/:message_id", rule: "Administrators; members for their own.", who: users, on: m,
			lasts: true,
			may:   func(x cell) bool { return x.canAct() && (x.c.admin() || x.own() && !x.c.guest()) }},
		{route: "POST /streams/:stream_id/delete_topic", rule: "Administrators with content access; not in archived " +
			"channels.",
			who: admins, on: channels(), with: []string{"topic_name", "none"},
			may: func(x cell) bool { return x.canRead() && !x.archived() }},
		{route: "POST /messages/:message_id/reactions", rule: "Users who can see the message; not in archived channels.",
			who: users, on: m, may: cell.canAct, with: []string{"emoji_name", "tada"}},
		{route: "DELETE /messages/:message_id/reactions",
			rule: "Users who can see the message and have reacted; not in archived channels.",
			who:  users, on: m, may: cell.canAct,
			do: func(w *fixture, x cell) *kittest.Response {
				call := "/messages/" + x.o.fields["id"] + "/reactions"
				if x.c.inRealm() && x.c.name != "webhook" {
					w.ask(x.c, "POST "+call, "emoji_name", "heart")
				}
				return w.ask(x.c, "DELETE "+call, "emoji_name", "heart")
			}},
	}
}

func markRows() []*row {
	m, ch := messages(), channels()
	one := func(op, flag string) []string { return []string{"messages", "[{id}]", "op", op, "flag", flag} }
	return []*row{
		{route: "POST /messages/flags", name: "star", rule: "Users who can see the message.", who: users, on: m,
			may:  cell.seesMessage,
			with: one("add", "starred")},
		{route: "POST /messages/flags", name: "mark as unread", rule: "Users who can see the message, or received it in " +
			"a channel they have left; no effect without a subscription.", who: users, on: m,
			may: func(x cell) bool { return x.seesMessage() || x.received() }, with: one("remove", "read")},
		{route: "POST /messages/flags", name: "mark as read", rule: "All users; messages that the user has not received " +
			"are already read.",
			who: elsewhereToo(users), on: m, with: one("add", "read")},
		{route: "POST /messages/flags/narrow", rule: "Users who received the message and can still see it.",
			who: users, on: m,
			may: cell.has,
			with: []string{"anchor", "{id}", "num_before", "0", "num_after", "0", "narrow", "[]", "op", "add", "flag",
				"collapsed"},
			found: func(a *kittest.Response, _ cell) bool { return a.Int("updated_count") == 1 }},
		{route: "POST /mark_all_as_read", rule: "All users.", who: users},
		{route: "POST /mark_stream_as_read", rule: "Content access.", who: users, on: ch, may: cell.canRead,
			with: []string{"stream_id", "{id}"}, sees: cell.canRead},
		{route: "POST /mark_topic_as_read", rule: "Users with content access who received a message of the topic.",
			who: users, on: m,
			with: []string{"stream_id", "{stream_id}", "topic_name", "{topic}"},
			may:  func(x cell) bool { return x.kind() != "direct" && x.has() },
			sees: func(cell) bool { return true }},
	}
}

func sendRows() []*row {
	ch := channels()
	// A bot may send if its owner is subscribed. Guessing the name of a channel that the caller cannot access gets an
	// error with a different text, which reveals that the name is taken.
	guessed := func(cell) bool { return true }
	return []*row{
		{route: "POST /messages", name: "to a channel by its id",
			rule: "Content access, and bots whose owner is subscribed; not in archived channels.", who: senders, on: ch,
			tells: true,
			with:  []string{"type", "channel", "to", "{id}", "topic", "t", "content", "x"}, may: cell.posts,
			sees: cell.seesToPost},
		{route: "POST /messages", name: "to a channel by its name",
			rule: "As by id, but a guessed name reveals that it is taken.", who: senders, on: ch, tells: true,
			with: []string{"type", "channel", "to", `"{name}"`, "topic", "t", "content", "x"}, may: cell.posts, sees: guessed},
		{route: "POST /messages", name: "to a user", rule: "Users who can see the user, if active.", who: senders,
			on:   people(),
			may:  func(x cell) bool { return x.seesPerson() && x.v.kind != "deactivated" },
			with: []string{"type", "direct", "to", "[{id}]", "content", "x"}, sees: func(cell) bool { return true }},
		{route: "POST /messages", name: "to a user by address",
			rule: "As by id; users whom the caller may not see have no address.", who: senders, on: people(),
			may:  func(x cell) bool { return x.seesPerson() && x.v.kind != "deactivated" },
			with: []string{"type", "direct", "to", `["{mail}"]`, "content", "x"}},
		{route: "POST /stoa/slash", name: "in a channel",
			rule: "As POST /messages, and whom the command admits.", who: users, on: ch,
			with: []string{"command", "/motto x", "type", "channel", "to", "{id}", "topic", "t"}, may: cell.posts,
			sees: cell.seesToPost},
		{route: "POST /stoa/slash", name: "in direct messages",
			rule: "As POST /messages, and whom the command admits.", who: users, on: people(),
			may:  func(x cell) bool { return x.seesPerson() && x.v.kind != "deactivated" },
			with: []string{"command", "/motto x", "type", "direct", "to", "[{id}]"}, sees: func(cell) bool { return true }},
	}
}

func typingRows() []*row {
	return []*row{
		{route: "POST /messages/:message_id/typing", rule: "The sender of the message, if allowed to edit it.", who: users,
			on: messages(), with: []string{"op", "start"},
			may: func(x cell) bool { return x.canAct() && x.own() }},
		{route: "GET /messages/summary", rule: "No one: the server has no summaries.", who: users,
			may: func(cell) bool { return false }},
	}
}
