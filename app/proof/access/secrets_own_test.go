package access_test

import (
	"fmt"
	"strings"
)

func (o *oracle) placeOwn() {
	o.t.Helper()
	o.ask(o.alice, "POST /users/me/alert_words", "alert_words", fmt.Sprintf("[%q]", o.hide("an alert word", nobody))).OK()
	o.ask(o.alice, "PATCH /stoa/settings/user", "settings",
		fmt.Sprintf(`{"own_motto":%q}`, o.hide("a personal setting", nobody))).OK()
	queue := o.ask(o.alice, "POST /register", "event_types", `["message"]`, "fetch_event_types",
		"[]").OK().String("queue_id")
	o.hashes[queue] = secret{"the id of a queue", nobody}
	o.ask(o.alice, "POST /messages", "type", "channel", "to", o.fields["lobby"], "topic", "t", "content", "x", "queue_id",
		queue,
		"local_id", o.hide("the local id of alice's message", nobody)).OK()
	o.do("POST /realm/domains", "domain", o.hide("an allowed domain", whoIsHere)+".example.org", "allow_subdomains",
		"false")
	o.do("POST /realm/filters", "pattern", o.hide("a linkifier", whoIsHere)+"-(?P<id>[0-9]+)", "url_template",
		"https://example.com/{id}")
	o.do("POST /channel_folders/create", "name", o.hide("a folder", whoIsHere), "description", "")
}

// placeMore creates the secrets in optional modules.
func (o *oracle) placeMore() {
	o.t.Helper()
	// The guest and alice are subscribed to the channel with protected history.
	seen := func(c *caller) bool { return c.inRealm() && (!c.restricted || c.name == "guest") }
	if o.has("status") {
		o.ask(o.alice, "POST /users/me/status", "status_text", o.hide("a status text", seen)).OK()
	}
	if o.has("profilefields") {
		id := o.do("POST /realm/profile_fields", "field_type", "1", "name", "field "+o.fresh()).Int("id")
		o.ask(o.alice, "PATCH /users/me/profile_data", "data",
			fmt.Sprintf(`[{"id":%d,"value":%q}]`, id, o.hide("a profile", seen))).OK()
	}
	if o.has("bots") {
		created := o.ask(o.alice, "POST /bots", "full_name", "Alices "+o.fresh(), "short_name", "alices"+o.fresh(),
			"bot_type", "3", "payload_url",
			fmt.Sprintf("%q", "https://example.com/"+o.hide("a bot's service URL", adminsAnd()))).OK()
		key := created.String("api_key")
		o.hashes[key] = secret{"the key of alice's bot", nobody}
		bot := &caller{at: o.s.WithKey(o.botMail(created.Int("user_id")), key)}
		o.ask(bot, "PUT /bot_storage", "storage", fmt.Sprintf(`{"a":%q}`, o.hide("a bot's storage", nobody))).OK()
	}
	if o.has("snippets") {
		o.ask(o.alice, "POST /saved_snippets", "title", o.hide("a snippet's title", nobody), "content",
			o.hide("a snippet", nobody)).OK()
	}
	if o.has("scheduled") {
		o.ask(o.alice, "POST /scheduled_messages", "type", "channel", "to", o.fields["lobby"], "topic",
			o.hide("a scheduled message's topic", nobody),
			"content", o.hide("a scheduled message", nobody), "scheduled_delivery_timestamp", "4000000000").OK()
	}
	if o.has("drafts") {
		o.ask(o.alice, "POST /drafts", "drafts", fmt.Sprintf(`[{"type":"","to":[],"topic":"","content":%q}]`,
			o.hide("a draft", nobody))).OK()
	}
	if o.has("navigation") {
		view := o.hide("another user's navigation view", nobody)
		o.ask(o.alice, "POST /navigation_views", "fragment", "narrow/search/"+view, "is_pinned", "true", "name", view).OK()
	}
	if o.has("invites") {
		o.mails(true)
		o.do("POST /invites", "invitee_emails", o.hide("the address of an invited user", adminsAnd())+
			"@proof.example.com", "stream_ids", "[]")
		o.mails(false)
		link := o.do("POST /invites/multiuse").String("invite_link")
		o.hashes[link[strings.LastIndex(strings.TrimSuffix(link, "/"), "/")+1:]] = secret{"the key of an invitation",
			adminsAnd()}
	}
	o.do("POST /default_stream_groups/create", "group_name", o.hide("the name of a default channel group", noGuest),
		"description", "", "stream_names", "[]")
}

// has reports whether the server runs a module.
func (o *oracle) has(module string) bool {
	for _, m := range o.s.Ports.Collected.Modules {
		if m.Module == module {
			return true
		}
	}
	return false
}

func (o *oracle) botMail(id int64) string {
	o.t.Helper()
	return o.do(fmt.Sprintf("GET /users/%d", id)).String("user.email")
}
