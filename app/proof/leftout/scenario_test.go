package leftout_test

import (
	"fmt"
	"time"

	"github.com/stoachat/stoa/domain/group"
)

// stepTime is the time between two steps.
const stepTime = time.Second

// before fills the tables of all modules. Steps of drew, who will lose the profile, of ivan, who will be deactivated,
// and of rosa, who will be deactivated and reactivated, come as often as those of alice. vera
// is deactivated and will be reactivated.
func before() []step {
	all := []step{
		does("", "olga", "PATCH /realm", "inline_url_embed_preview", "true", "invite_required", "false"),
		does("", "olga", "PATCH /realm", "create_multiuse_invite_group", fmt.Sprintf(`{"new":%d}`, group.Members)),
		does("room=stream_id: ", "olga", "GET /get_stream_id", "stream", "general"),
		{who: "drew", call: "join"}, {who: "ivan", call: "join"}, {who: "rosa", call: "join"},
		{who: "vera", call: "join"},
		does("", "olga", "POST /users/me/subscriptions", "subscriptions",
			`[{"name":"garden"},{"name":"attic"},{"name":"general"}]`, "principals",
			`[{?alice},{?bob},{?olga},{?drew},{?ivan},{?rosa},{?vera}]`),
		does("garden=stream_id: ", "olga", "GET /get_stream_id", "stream", "garden"),
		does("attic=stream_id: ", "olga", "GET /get_stream_id", "stream", "attic"),
		does("field=id: ", "olga", "POST /realm/profile_fields", "field_type", "1", "name", "Hobby"),
		does("team=group_id: ", "olga", "POST /user_groups/create", "name", "team", "description", "", "members",
			"[{?alice},{?drew},{?ivan},{?rosa}]"),
		does("crew=group_id: ", "olga", "POST /user_groups/create", "name", "crew", "description", "", "members", "[{?bob}]"),
		does("", "olga", "POST /default_streams", "stream_id", "{?garden}"),
		does("", "olga", "POST /realm/filters", "pattern", "#(?P<id>[0-9]+)", "url_template", "https://x.org/{id}"),
		does("", "olga", "POST /realm/playgrounds", "name", "Go", "pygments_language", "Go", "url_template",
			"https://x.org/{code}"),
		puts("", "olga", "POST /realm/emoji/sunny", "png"),
		puts("", "olga", "POST /realm/icon", "png"),
		does("", "alice", "POST /users/me/muted_users/{?bob}"),
		posts("m1=id: ", "alice", "apples", "one"),
		posts("m2=id: ", "bob", "apples", "two https://a.example.com/"),
		posts("m3=id: ", "alice", "berries", "three"),
		posts("m4=id: ", "alice", "berries", "four https://b.example.com/"),
		posts("m5=id: ", "bob", "cherries", "five"),
		posts("m6=id: ", "alice", "dates", "six"),
		posts("m7=id: ", "alice", "dates", "seven"),
		posts("m8=id: ", "alice", "elder", "eight"),
		posts("m9=id: ", "alice", "figs", "nine"),
		posts("m0=id: ", "alice", "figs", "ten @**all** @**Bob**"),
		does("direct=id: ", "bob", "POST /messages", "type", "direct", "to", "[{?alice}]", "content", "@**Alice** hi"),
		does("", "mona", "POST /invites/multiuse", "invite_as", "300"),
		does("", "olga", "POST /invites", "invitee_emails", "nora@example.com", "stream_ids", "[]"),
	}
	all = append(all, does("", "olga", "DELETE /users/{?vera}"))
	for _, who := range []string{"alice", "bob", "drew", "ivan", "rosa"} {
		for _, name := range []string{"one", "two", "three"} {
			all = append(all, puts(who+name+"=url: ", who, "POST /user_uploads", who+name))
		}
		all = append(all,
			posts("", who, "files", "[x]({?"+who+"one})"),
			puts("", who, "POST /users/me/avatar", "png"),
			does(who+"draft=ids.0: ", who, "POST /drafts", "drafts",
				`[{"type":"stream","to":[{?room}],"topic":"apples","content":"draft"}]`),
			does("", who, "POST /users/me/alert_words", "alert_words", `["`+who+`"]`),
			does("", who, "POST /users/me/presence", "status", "active"),
			does("", who, "POST /users/me/status", "status_text", "here"),
			does("", who, "PATCH /users/me/profile_data", "data", `[{"id":{?field},"value":"x"}]`),
			does("", who, "POST /users/me/onboarding_steps", "onboarding_step", "intro_resolve_topic"),
			does("", who, "POST /saved_snippets", "title", "t", "content", "c"),
			does("", who, "POST /navigation_views", "fragment", "narrow/is/starred", "is_pinned", "true"),
			does("", who, "PATCH /users/me/do_not_disturb", "schedule", `{"days":[1],"from":"09:00","to":"18:00"}`),
			does("", who, "POST /invites/multiuse"),
			does("", who, "POST /register"),
			does("", who, "POST /register_client_device"),
			does(who+"later=scheduled_message_id: ", who, "POST /scheduled_messages", "type", "channel", "to", "{?room}",
				"topic", "later", "content", "later", "scheduled_delivery_timestamp", "4000000000"),
			does("", who, "POST /reminders", "message_id", "{?m1}", "scheduled_delivery_timestamp", "4000000000"),
			does(who+"bot=user_id: ", who, "POST /bots", "full_name", who+"'s bot", "short_name", who, "bot_type", "1"),
		)
		for _, topic := range []string{"apples", "berries", "cherries", "dates", "elder", "figs"} {
			all = append(all, does("", who, "POST /user_topics", "stream_id", "{?room}", "topic", topic,
				"visibility_policy", "3"))
		}
	}
	return all
}

// meanwhile is what happens while a module is left out.
func meanwhile() []step {
	later := func(what, content string) step {
		return does(what, "alice", "POST /scheduled_messages", "type", "channel", "to", "{?room}", "topic", "later",
			"content", content, "scheduled_delivery_timestamp", "4100000000")
	}
	return []step{
		posts("n1=id: sent", "alice", "news", "hello https://c.example.com/ [x]({?alicetwo})"),
		posts("n2=id: ", "bob", "apples", "@**Alice** look"),
		posts("", "alice", "gone", "[x]({?alicethree})"),
		does("edited", "alice", "PATCH /messages/{?m1}", "content", "now https://d.example.com/ [x]({?alicetwo})"),
		does("", "bob", "PATCH /messages/{?m2}", "content", "without a link"),
		does("", "bob", "PATCH /messages/{?n2}", "content", "no longer"),
		does("deleted", "olga", "DELETE /messages/{?m4}"),
		does("", "olga", "DELETE /messages/{?n1}"),
		does("renamed", "olga", "PATCH /messages/{?m1}", "topic", "pears", "propagate_mode", "change_all"),
		does("", "olga", "PATCH /messages/{?m1}", "topic", "plums", "propagate_mode", "change_all"),
		does("", "olga", "PATCH /messages/{?m8}", "topic", "ELDER", "propagate_mode", "change_all"),
		does("moved", "olga", "PATCH /messages/{?m5}", "stream_id", "{?garden}", "propagate_mode", "change_all"),
		does("", "olga", "PATCH /messages/{?m7}", "topic", "quinces", "propagate_mode", "change_later"),
		does("", "olga", "POST /streams/{?room}/delete_topic", "topic_name", "figs"),
		does("reacted", "bob", "POST /messages/{?m3}/reactions", "emoji_name", "tada"),
		does("read", "bob", "POST /messages/flags", "messages", "[{?m3},{?m6}]", "op", "add", "flag", "read"),
		does("", "alice", "POST /messages/flags", "messages", "[{?m3}]", "op", "add", "flag", "starred"),
		does("new=id: channels created, renamed, archived", "olga", "POST /channels/create", "name", "lawn", "subscribers",
			"[{?alice},{?bob}]"),
		does("", "olga", "PATCH /streams/{?garden}", "new_name", "orchard"),
		does("", "olga", "DELETE /streams/{?attic}"),
		does("", "olga", "DELETE /users/me/subscriptions", "subscriptions", `["orchard"]`, "principals", "[{?bob}]"),
		{what: "joined", who: "nora", call: "join"},
		does("deactivated", "olga", "DELETE /users/{?ivan}"),
		does("reactivated", "olga", "DELETE /users/{?rosa}"),
		does("", "olga", "POST /users/{?rosa}/reactivate"),
		does("", "olga", "POST /users/{?vera}/reactivate"),
		does("profile deleted", "olga", "DELETE /users/{?drew}", "actions", `{"delete_profile":true}`),
		does("role, name, address, password changed", "olga", "PATCH /users/{?bob}", "role", "300"),
		does("", "olga", "PATCH /users/{?bob}", "full_name", "Robert"),
		does("", "olga", "PATCH /users/{?mona}", "role", "400"),
		does("groups changed", "olga", "POST /user_groups/{?team}/members", "add", "[{?bob}]"),
		does("", "olga", "POST /user_groups/{?crew}/deactivate"),
		does("late=scheduled_message_id: scheduled", "alice", "POST /scheduled_messages", "type", "channel", "to", "{?room}",
			"topic", "later", "content", "[x]({?alicethree})", "scheduled_delivery_timestamp", "4100000000"),
		later("", "[x]({?bobthree}) of somebody else"),
		does("", "alice", "PATCH /scheduled_messages/{?alicelater}", "content", "[x]({?alicetwo})"),
		does("", "bob", "DELETE /scheduled_messages/{?boblater}"),
		does("settings changed", "alice", "PATCH /settings", "presence_enabled", "false"),
		does("", "alice", "PATCH /settings", "enable_drafts_synchronization", "false"),
		does("", "alice", "PATCH /settings", "allow_private_data_export", "true"),
		does("", "olga", "PATCH /realm", "waiting_period_threshold", "30"),
		does("", "olga", "POST /realm/domains", "domain", "example.com", "allow_subdomains", "false"),
		does("", "olga", "PATCH /realm", "emails_restricted_to_domains", "true"),
		does("features used", "bob", "POST /user_topics", "stream_id", "{?room}", "topic", "plums", "visibility_policy",
			"1"),
		puts("", "bob", "POST /users/me/avatar", "png"),
		puts("", "olga", "POST /realm/icon", "png"),
		puts("", "olga", "POST /realm/emoji/sunny2", "png"),
		does("", "bob", "POST /users/me/status", "status_text", "there"),
		does("", "bob", "POST /users/me/presence", "status", "active"),
		does("", "bob", "POST /drafts", "drafts", `[{"type":"","to":[],"topic":"","content":"x"}]`),
		does("", "bob", "POST /bots", "full_name", "Late bot", "short_name", "late", "bot_type", "1"),
		does("", "olga", "DELETE /bots/{?bobbot}"),
		does("", "bob", "POST /invites/multiuse"),
	}
}
