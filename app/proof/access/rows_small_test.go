package access_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/stoachat/stoa/app/kittest"
)

func alertwordsTable() table {
	words := []string{"alert_words", `["stoa"]`}
	return table{"alertwords", "A user's alert words.", []*row{
		{route: "GET /users/me/alert_words", rule: "Users, for themselves.", who: users},
		{route: "POST /users/me/alert_words", rule: "Users, for themselves.", who: users, with: words},
		{route: "DELETE /users/me/alert_words", rule: "Users, for themselves.", who: users, with: words},
	}}
}

func linkifiersTable() table {
	l := &family{name: "linkifier", missing: map[string]string{"filter_id": "987654321"},
		variants: []variant{{kind: "linkifier"}},
		make: func(w *fixture, _ variant, _ []*caller) object {
			id := fmt.Sprint(w.do("POST /realm/filters", "pattern", w.fresh()+"-(?P<id>[0-9]+)", "url_template",
				"https://example.com/{id}").Int("id"))
			return object{map[string]string{"filter_id": id, "id": id}}
		}}
	add := func(pattern string) []string {
		return []string{"pattern", pattern, "url_template", "https://example.com/{id}"}
	}
	var order = func(w *fixture, x cell) *kittest.Response {
		var ids []string
		if list := w.ask(x.c, "GET /realm/linkifiers"); list.Status == 200 {
			all, _ := list.Get("linkifiers").([]any)
			for _, one := range all {
				ids = append(ids, fmt.Sprint(one.(map[string]any)["id"]))
			}
		}
		return w.ask(x.c, "PATCH /realm/linkifiers", "ordered_linkifier_ids", "["+strings.Join(ids, ",")+"]")
	}
	return table{"linkifiers", "Linkifiers.", []*row{
		{route: "GET /realm/linkifiers", rule: "Users.", who: users, on: l, found: listedIn("linkifiers", "id")},
		{route: "PATCH /realm/linkifiers", rule: "Administrators.", who: admins, do: order},
		{route: "POST /realm/linkifiers/test", rule: "Administrators.", who: admins,
			do: func(w *fixture, x cell) *kittest.Response {
				return w.ask(x.c, "POST /realm/linkifiers/test", add("tried"+w.fresh()+"-(?P<id>[0-9]+)")...)
			}},
		{route: "POST /realm/filters", rule: "Administrators.", who: admins, do: func(w *fixture, x cell) *kittest.Response {
			return w.ask(x.c, "POST /realm/filters", add("made"+w.fresh()+"-(?P<id>[0-9]+)")...)
		}},
		{route: "PATCH /realm/filters/:filter_id", rule: "Administrators.", who: admins, on: l,
			do: func(w *fixture, x cell) *kittest.Response {
				return w.ask(x.c, "PATCH /realm/filters/"+x.o.fields["filter_id"], add("changed"+w.fresh()+"-(?P<id>[0-9]+)")...)
			}},
		{route: "DELETE /realm/filters/:filter_id", rule: "Administrators.", who: admins, on: l, lasts: true},
	}}
}

func draftsTable() table {
	const text = `{"type":"","to":[],"topic":"","content":"x"}`
	olgas := func(x cell) bool { return x.c == x.w.olga }
	d := &family{name: "draft", missing: map[string]string{"draft_id": "987654321"},
		variants: []variant{{kind: "draft", relation: "of olga"}}, sees: olgas,
		make: func(w *fixture, _ variant, _ []*caller) object {
			id := fmt.Sprint(w.do("POST /drafts", "drafts", "["+text+"]").Get("ids.0"))
			return object{map[string]string{"draft_id": id, "id": id}}
		}}
	own := func(method string, params ...string) func(w *fixture, x cell) *kittest.Response {
		return func(w *fixture, x cell) *kittest.Response {
			a := w.ask(x.c, "POST /drafts", "drafts", "["+text+"]")
			if a.Status != http.StatusOK {
				return a
			}
			return w.ask(x.c, method+" /drafts/"+fmt.Sprint(a.Get("ids.0")), params...)
		}
	}
	return table{"drafts", "A user's drafts.", []*row{
		{route: "GET /drafts", rule: "Users, for themselves.", who: users, on: d, may: olgas,
			found: listedIn("drafts", "id")},
		{route: "GET /drafts", name: "own", rule: "Users.", who: users},
		{route: "POST /drafts", rule: "Users, for themselves.", who: users,
			with: []string{"drafts", "[" + text + "]"}},
		{route: "PATCH /drafts/:draft_id", rule: "The owner of the draft.", who: users, on: d, may: olgas,
			with: []string{"draft", text}},
		{route: "PATCH /drafts/:draft_id", name: "own", rule: "Users.", who: users,
			do: own("PATCH", "draft", text)},
		{route: "DELETE /drafts/:draft_id", rule: "The owner of the draft.", who: users, on: d, may: olgas, lasts: true},
		{route: "DELETE /drafts/:draft_id", name: "own", rule: "Users.", who: users,
			do: own("DELETE")},
	}}
}

func widgetsTable() table {
	return table{"widgets", "Polls, to-do lists and commands of the web app.", []*row{
		{route: "POST /submessage", rule: "Users who can see the message and may act on it.", who: users, on: polls(),
			may:  cell.canAct,
			with: []string{"message_id", "{id}", "msg_type", "widget", "content", `{"type":"vote","key":"canned,0","vote":1}`}},
		{route: "POST /zcommand", rule: "Users, for themselves.", who: users, with: []string{"command", "/ping"}},
		{route: "POST /zcommand", name: "a setting", rule: "Users, for themselves.", who: users,
			with: []string{"command", "/dark"}},
	}}
}

func webhooksTable() table {
	keyed := func(c *caller) string {
		switch {
		case c.role == 0:
			return "400 REQUEST_VARIABLE_MISSING"
		case c.gone:
			return "401 USER_DEACTIVATED"
		}
		return ""
	}
	call := func(params ...string) func(w *fixture, x cell) *kittest.Response {
		return func(w *fixture, x cell) *kittest.Response {
			with := append([]string{"payload", `{"a":1}`}, params...)
			if x.c.role != 0 {
				with = append(with, "api_key", x.c.at.Key())
			}
			return w.ask(x.c, "POST /external/json", with...)
		}
	}
	none := func(cell) bool { return false }
	return table{"webhooks", "Incoming webhooks, called with an API key in the URL.", []*row{
		{route: "POST /external/:integration", rule: "Accounts with an owner, to their owner.", who: keyed,
			may: func(x cell) bool { return x.c.owner != "" }, do: call()},
		{route: "POST /external/:integration", name: "to a channel that is not there", rule: "No one.", who: keyed, may: none,
			tells: true, do: call("stream", "987654321")},
		{route: "GET /external/:integration", rule: "No one, if the service does not check URLs.", who: anyone, may: none,
			do: func(w *fixture, x cell) *kittest.Response { return w.ask(x.c, "GET /external/json") }},
	}}
}

func snippetsTable() table {
	const path = "/saved_snippets"
	olgas := func(x cell) bool { return x.c == x.w.olga }
	params := []string{"title", "x", "content", "y"}
	sn := &family{name: "snippet", missing: map[string]string{"saved_snippet_id": "987654321"}, sees: olgas,
		variants: []variant{{kind: "snippet", relation: "of olga"}},
		make: func(w *fixture, _ variant, _ []*caller) object {
			id := fmt.Sprint(w.do("POST "+path, params...).Get("saved_snippet_id"))
			return object{map[string]string{"saved_snippet_id": id, "id": id}}
		}}
	own := func(method string, with ...string) func(w *fixture, x cell) *kittest.Response {
		return func(w *fixture, x cell) *kittest.Response {
			a := w.ask(x.c, "POST "+path, params...)
			if a.Status != http.StatusOK {
				return a
			}
			return w.ask(x.c, method+" "+path+"/"+fmt.Sprint(a.Get("saved_snippet_id")), with...)
		}
	}
	const item = path + "/:saved_snippet_id"
	return table{"snippets", "Saved snippets.", []*row{
		{route: "GET " + path, rule: "Users, for themselves.", who: users, on: sn, may: olgas,
			found: listedIn("saved_snippets", "id")},
		{route: "GET " + path, name: "own", rule: "Users.", who: users},
		{route: "POST " + path, rule: "Users.", who: users, with: params},
		{route: "PATCH " + item, rule: "The owner of the snippet.", who: users, on: sn, may: olgas,
			with: []string{"title", "z{n}"}},
		{route: "PATCH " + item, name: "own", rule: "Users.", who: users,
			do: own("PATCH", "title", "z")},
		{route: "DELETE " + item, rule: "The owner of the snippet.", who: users, on: sn, may: olgas, lasts: true},
		{route: "DELETE " + item, name: "own", rule: "Users.", who: users, do: own("DELETE")},
	}}
}

func scheduledTable() table {
	const path, item = "/scheduled_messages", "/scheduled_messages/:scheduled_message_id"
	olgas := func(x cell) bool { return x.c == x.w.olga }
	message := func(id string) []string {
		return []string{"type", "direct", "to", "[" + id + "]", "content", "x", "scheduled_delivery_timestamp", "4000000000"}
	}
	later := &family{name: "scheduled message", missing: map[string]string{"scheduled_message_id": "987654321"},
		sees:     olgas,
		variants: []variant{{kind: "scheduled message", relation: "of olga"}},
		make: func(w *fixture, _ variant, _ []*caller) object {
			id := fmt.Sprint(w.do("POST "+path, message(w.fields["olga"])...).Get("scheduled_message_id"))
			return object{map[string]string{"scheduled_message_id": id, "id": id}}
		}}
	add := func(w *fixture, x cell) *kittest.Response {
		return w.ask(x.c, "POST "+path, message(fmt.Sprint(x.c.id))...)
	}
	own := func(method string, with ...string) func(w *fixture, x cell) *kittest.Response {
		return func(w *fixture, x cell) *kittest.Response {
			a := add(w, x)
			if a.Status != http.StatusOK {
				return a
			}
			return w.ask(x.c, method+" "+path+"/"+fmt.Sprint(a.Get("scheduled_message_id")), with...)
		}
	}
	reminder := &family{name: "reminder", missing: map[string]string{"reminder_id": "987654321"}, sees: olgas,
		variants: []variant{{kind: "reminder", relation: "of olga"}},
		make: func(w *fixture, _ variant, _ []*caller) object {
			of := fmt.Sprint(w.do("POST /messages", "type", "direct", "to", "["+w.fields["olga"]+"]", "content", "x").Get("id"))
			id := fmt.Sprint(w.do("POST /reminders", "message_id", of, "scheduled_delivery_timestamp",
				"4000000000").Get("reminder_id"))
			return object{map[string]string{"reminder_id": id, "id": id}}
		}}
	return table{"scheduled", "Scheduled messages and reminders.", []*row{
		{route: "GET " + path, rule: "Users, for themselves.", who: users, on: later, may: olgas,
			found: listedIn("scheduled_messages", "scheduled_message_id")},
		{route: "GET " + path, name: "own", rule: "Users.", who: users},
		{route: "POST " + path, rule: "Users.", who: users, do: add},
		{route: "POST " + path, name: "to a channel", rule: "Users who can send to the channel.", who: users, on: channels(),
			may: cell.posts, sees: cell.seesToPost,
			with: []string{"type", "channel", "to", "{id}", "topic", "t", "content", "x", "scheduled_delivery_timestamp",
				"4000000000"}},
		{route: "PATCH " + item, rule: "The sender.", who: users, on: later, may: olgas, with: []string{"content", "y"}},
		{route: "PATCH " + item, name: "own", rule: "Users.", who: users, do: own("PATCH", "content", "y")},
		{route: "DELETE " + item, rule: "The sender.", who: users, on: later, may: olgas, lasts: true},
		{route: "DELETE " + item, name: "own", rule: "Users.", who: users, do: own("DELETE")},
		{route: "GET /reminders", rule: "Users, for themselves.", who: users, on: reminder, may: olgas,
			found: listedIn("reminders", "reminder_id")},
		{route: "GET /reminders", name: "own", rule: "Users.", who: users},
		{route: "POST /reminders", rule: "Users who can see the message.", who: users, on: messages(), may: cell.seesMessage,
			with: []string{"message_id", "{id}", "scheduled_delivery_timestamp", "4000000000"}},
		{route: "DELETE /reminders/:reminder_id", rule: "The owner of the reminder.", who: users, on: reminder, may: olgas,
			lasts: true},
		{route: "DELETE /reminders/:reminder_id", name: "own", rule: "Users.", who: users, do: endsReminder,
			tells: true},
	}}
}

// endsReminder deletes a reminder that the caller has just created.
func endsReminder(w *fixture, x cell) *kittest.Response {
	a := w.ask(x.c, "POST /messages", "type", "direct", "to", fmt.Sprintf("[%d]", x.c.id), "content", "x")
	if a.Status != http.StatusOK {
		return a
	}
	of := fmt.Sprint(a.Int("id"))
	a = w.ask(x.c, "POST /reminders", "message_id", of, "scheduled_delivery_timestamp", "4000000000")
	if a.Status != http.StatusOK {
		return a
	}
	return w.ask(x.c, "DELETE /reminders/"+fmt.Sprint(a.Int("reminder_id")))
}

func navigationTable() table {
	const path = "/navigation_views"
	add := func(w *fixture, c *caller) (string, *kittest.Response) {
		fragment := "narrow/search/made" + w.fresh()
		return fragment, w.ask(c, "POST "+path, "fragment", fragment, "is_pinned", "true", "name", fragment)
	}
	with := func(method string, params ...string) func(w *fixture, x cell) *kittest.Response {
		return func(w *fixture, x cell) *kittest.Response {
			fragment, a := add(w, x.c)
			if a.Status != http.StatusOK {
				return a
			}
			return w.ask(x.c, method+" "+path+"/"+fragment, params...)
		}
	}
	return table{"navigation", "A user's navigation views.", []*row{
		{route: "GET " + path, rule: "Users, for themselves.", who: users},
		{route: "POST " + path, rule: "Users, for themselves.", who: users,
			do: func(w *fixture, x cell) *kittest.Response {
				_, a := add(w, x.c)
				return a
			}},
		{route: "PATCH " + path + "/:fragment+", rule: "Users, for themselves.", who: users,
			do: with("PATCH", "is_pinned", "false")},
		{route: "DELETE " + path + "/:fragment+", rule: "Users, for themselves.", who: users,
			do: with("DELETE")},
	}}
}

func onboardingTable() table {
	return table{"onboarding", "A user's hints.", []*row{
		{route: "POST /users/me/onboarding_steps", rule: "Users other than bots, for themselves.", who: humans,
			with: []string{"onboarding_step", "intro_resolve_topic"}},
	}}
}

func callsTable() table {
	none := func(cell) bool { return false }
	return table{"calls", "Video calls: no service is configured.", []*row{
		{route: "GET /calls/bigbluebutton/create", rule: "No one.", who: users, may: none,
			with: []string{"meeting_name", "x"}},
		{route: "GET /calls/bigbluebutton/join", rule: "No one.", who: humans, may: none,
			call: "GET mount /calls/bigbluebutton/join", with: []string{"bigbluebutton", "x"}},
		{route: "POST /calls/zoom/create", rule: "No one.", who: users, may: none},
		{route: "POST /calls/constructorgroups/create", rule: "No one.", who: users, may: none},
		{route: "POST /calls/nextcloud_talk/create", rule: "No one.", who: users, may: none,
			with: []string{"room_name", "x"}},
		{route: "POST /calls/webex/create", rule: "No one.", who: users, may: none},
	}}
}

func reportsTable() table {
	return table{"reports", "Reports of messages.", []*row{
		{route: "POST /messages/:message_id/report", rule: "Users who can see the message.", who: users, on: messages(),
			may: cell.seesMessage, with: []string{"report_type", "spam"}, after: forgetReports},
	}}
}

// forgetReports deletes all reports. The bot and its owner share a limit, which is lower than the number of variants.
func forgetReports(w *fixture, _ cell) {
	w.s.Do(func(ctx context.Context) error {
		_, err := w.s.App.DB().From(ctx).NewRaw("DELETE FROM message_reports").Exec(ctx)
		return err
	})
}

func topicsTable() table {
	ch := channels()
	policy := func(p string) []string { return []string{"stream_id", "{id}", "topic", "t", "visibility_policy", p} }
	mute := "PATCH /users/me/subscriptions/muted_topics"
	return table{"topics", "Visibility policies of topics.", []*row{
		{route: "POST /user_topics", rule: "Content access.", who: users, on: ch, may: cell.canRead, sees: cell.canRead,
			with: policy("3")},
		{route: "POST /user_topics", name: "none", rule: "Content access, or an existing policy for the topic.", who: users,
			on:  ch,
			may: cell.canRead, sees: cell.canRead, with: policy("0")},
		{route: mute, name: "by id", rule: "Content access.", who: users, on: ch, may: cell.canRead, sees: cell.canRead,
			with: []string{"stream_id", "{id}", "topic", "u", "op", "add"}},
		{route: mute, name: "by name", rule: "Content access.", who: users, on: ch, may: cell.canRead, sees: cell.canRead,
			with: []string{"stream", "{name}", "topic", "u", "op", "add"}},
		{route: mute, name: "not any more", rule: "Content access.", who: users, on: ch,
			may: cell.canRead, sees: cell.canRead,
			with: []string{"stream", "{name}", "topic", "u", "op", "remove"}},
	}}
}

func eventsTable() table {
	q := &family{name: "queue", missing: map[string]string{"queue_id": "00000000-0000-4000-8000-000000000000"},
		variants: []variant{{kind: "own", each: true}, {kind: "olga's"}},
		sees:     func(x cell) bool { return x.v.kind == "own" && x.c.inRealm() },
		make: func(w *fixture, v variant, who []*caller) object {
			of := w.olga
			if v.kind == "own" && who[0].inRealm() && who[0].name != "webhook" {
				of = who[0]
			}
			a := w.ask(of, "POST /register", "event_types", `["message"]`, "fetch_event_types", "[]").OK()
			return object{map[string]string{"queue_id": a.String("queue_id"), "last": fmt.Sprint(a.Int("last_event_id"))}}
		}}
	own := func(x cell) bool { return x.v.kind == "own" }
	return table{"events", "Event queues.", []*row{
		{route: "POST /register", rule: "Users, and spectators.", who: spectators},
		{route: "POST /register", name: "all public channels", rule: "Users other than guests.", who: spectators,
			with: []string{"all_public_streams", "true", "fetch_event_types", "[]"},
			may:  func(x cell) bool { return !x.c.guest() && !x.c.spectator }},
		{route: "GET /events", rule: "The owner of the queue.", who: users, on: q, may: own,
			with: []string{"queue_id", "{queue_id}", "last_event_id", "{last}", "dont_block", "true"}},
		{route: "DELETE /events", rule: "The owner of the queue.", who: users, on: q, may: own,
			with: []string{"queue_id", "{queue_id}"}, lasts: true},
	}}
}

// demoTable describes a module with which a publicly reachable server refuses to start.
func demoTable() table {
	near := elsewhere("400 BAD_REQUEST", anyone)
	return table{"demo", "Development logins: for everyone on this machine, and only under its own host names.", []*row{
		{route: "POST /dev_fetch_api_key", rule: "Everyone who uses localhost or its address.", who: near,
			with: []string{"username", "{bobmail}"}},
		{route: "GET /dev_list_users", rule: "Everyone who uses localhost or its address.", who: near},
		{route: "GET mount /accounts/login/local", rule: "Everyone who uses localhost or its address.", who: near,
			call: "POST mount /accounts/login/local", with: []string{"username", "{bobmail}"}},
	}}
}

func serverTable() table {
	return table{"server", "Requests about the server itself, and for the settings that modules declare.", append([]*row{
		{route: "GET mount /health", rule: "Everyone.", who: anyone},
		{route: "GET /maintenance", rule: "Users.", who: users},
	}, settingsRows()...)}
}

func typingTable() table {
	posts := func(x cell) bool { return x.canRead() && !x.archived() }
	return table{"typing", "Typing notifications.", []*row{
		{route: "POST /typing", name: "in a channel", rule: "Users who can send to the channel.", who: users, on: channels(),
			may: posts, sees: posts,
			with: []string{"type", "stream", "op", "start", "stream_id", "{id}", "topic", "t"}},
		{route: "POST /typing", name: "to a user", rule: "Users who can see the user.", who: users, on: people(),
			may:  cell.seesPerson,
			with: []string{"op", "start", "to", "[{id}]"}},
	}}
}
