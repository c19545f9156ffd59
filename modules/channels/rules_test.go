package channels_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/kittest/testrun"
)

// rule is a test case: a request, its response, and the events that users receive. Afterwards the state of all clients
// must match /register.
type rule struct {
	name, as, call string
	params         []string
	want           string   // "": success; otherwise code and text of the error
	received       []string // "who: kinds"; all others receive nothing
}

var placeholder = regexp.MustCompile(`\{(#|@)(\w+)\}`)

// filled replaces {#channel} and {@user} with IDs.
func filled(s *kittest.Server, text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(p string) string {
		if name := p[2 : len(p)-1]; p[1] == '@' {
			return id(s, name)
		}
		return fmt.Sprint(channelID(s, p[2:len(p)-1]))
	})
}

func (r rule) check(s *kittest.Server, all *followers) {
	s.T.Helper()
	params := make([]string, len(r.params))
	for i, p := range r.params {
		params[i] = filled(s, p)
	}
	a := s.As(r.as).Do(filled(s, r.call), params...)
	if code, msg, refused := strings.Cut(r.want, " "); r.want != "" {
		status := 400
		if code == "CHANNEL_ALREADY_EXISTS" {
			status = 409
		}
		if !refused {
			msg = ""
		}
		a.Error(status, code, msg)
	} else {
		a.OK()
	}
	all.s = s
	if len(s.Log()) > 0 || len(r.received) > 0 { // otherwise no events were sent
		all.expect(r.received...)
	}
}

// each returns one line per user.
func each(kinds string, who ...string) []string {
	out := make([]string, len(who))
	for i, w := range who {
		out[i] = w + ": " + kinds
	}
	return out
}

func and(lists ...[]string) (out []string) {
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

// The test cases run one after the other in the same realm. The private channels are secret (alice, olga), shared (bob,
// olga) and vault (alice), which has protected history; old is archived (alice, bob, guest).
func TestChannelRules(t *testing.T) {
	testrun.Unraced(t, "its requests are sequential")
	s := startAll(t)
	s.As("olga").Do("POST /channels/create", "name", "shared", "invite_only", "true", "history_public_to_subscribers",
		"true", "subscribers", list(s, "bob", "olga")).OK()
	s.As("alice").Do("POST /channels/create", "name", "vault", "invite_only", "true", "subscribers", list(s, "alice")).OK()
	s.As("olga").Do("POST /channels/create", "name", "old", "subscribers", list(s, "alice", "bob", "guest")).OK()
	s.As("olga").Do("DELETE /streams/" + fmt.Sprint(channelID(s, "old"))).OK()
	s.As("olga").Do("PATCH /realm", "can_add_subscribers_group", `{"new":1}`).OK()
	folder := fmt.Sprint(s.As("olga").Do("POST /channel_folders/create", "name", "Folder", "description",
		"").OK().Int("channel_folder_id"))
	all := follow(s)
	s.Skip()

	everybody := []string{"alice", "bob", "olga", "adam", "mona", "bot", "guest"}
	members := everybody[:6]
	const (
		subscribe = "POST /users/me/subscriptions"
		leave     = "DELETE /users/me/subscriptions"
		no        = "BAD_REQUEST Insufficient permission"
		unknown   = "BAD_REQUEST Invalid channel ID"
		notAdmin  = "CANNOT_ADMINISTER_CHANNEL You do not have permission to administer this channel."
	)
	one := func(who ...string) string {
		ids := make([]string, len(who))
		for i, w := range who {
			ids[i] = "{@" + w + "}"
		}
		return `{"new":{"direct_members":[` + strings.Join(ids, ",") + `],"direct_subgroups":[]}}`
	}
	update := func(name string) string { return "stream/update:" + name }
	for _, r := range []rule{
		// Who can change which permission of a channel, and to which values.
		{"role:internet never", "olga", "PATCH /streams/{#general}", []string{"can_send_message_group", `{"new":8}`},
			"BAD_REQUEST", nil},
		{"role:everyone not for administering", "olga", "PATCH /streams/{#general}",
			[]string{"can_administer_channel_group", `{"new":7}`}, "BAD_REQUEST", nil},
		{"role:everyone not for adding", "olga", "PATCH /streams/{#general}",
			[]string{"can_add_subscribers_group", `{"new":7}`}, "BAD_REQUEST", nil},
		{"role:everyone not for subscribing", "olga", "PATCH /streams/{#general}",
			[]string{"can_subscribe_group", `{"new":7}`}, "BAD_REQUEST", nil},
		{"role:owners is accepted", "olga", "PATCH /streams/{#general}",
			[]string{"can_remove_subscribers_group", `{"new":2}`},
			"", each(update("can_remove_subscribers_group"), everybody...)},
		{"the same value changes nothing", "olga", "PATCH /streams/{#general}",
			[]string{"can_remove_subscribers_group", `{"new":{"direct_members":[],"direct_subgroups":[2]}}`}, "", nil},
		{"a deactivated or unknown user", "olga", "PATCH /streams/{#general}",
			[]string{"can_send_message_group", `{"new":{"direct_members":[9999],"direct_subgroups":[]}}`}, "BAD_REQUEST", nil},
		{"an old value that is not the present one", "olga", "PATCH /streams/{#general}",
			[]string{"can_send_message_group", `{"new":6,"old":3}`}, "EXPECTATION_MISMATCH", nil},
		{"a member may not", "alice", "PATCH /streams/{#general}", []string{"can_send_message_group", `{"new":6}`}, notAdmin,
			nil},
		{"a guest is named and may not all the same", "olga", "PATCH /streams/{#general}",
			[]string{"can_administer_channel_group", one("guest", "mona")}, "",
			each(update("can_administer_channel_group"), everybody...)},
		{"guests never administer", "guest", "PATCH /streams/{#general}", []string{"description", "x"}, notAdmin, nil},
		{"a channel's administrator may", "mona", "PATCH /streams/{#general}",
			[]string{"can_send_message_group", `{"new":4}`}, "",
			each(update("can_send_message_group")+" "+update("stream_post_policy"), everybody...)},
		{"the legacy values follow", "mona", "PATCH /streams/{#general}", []string{"can_send_message_group", `{"new":3}`}, "",
			each(update("can_send_message_group")+" "+update("stream_post_policy")+" "+update("is_announcement_only"),
				everybody...)},
		{"back to everyone", "mona", "PATCH /streams/{#general}", []string{"can_send_message_group", `{"new":7}`}, "",
			each(update("can_send_message_group")+" "+update("stream_post_policy")+" "+update("is_announcement_only"),
				everybody...)},
		{"the realm restricts who sets how messages are deleted", "olga", "PATCH /realm",
			[]string{"can_set_delete_message_policy_group", `{"new":1}`}, "", nil},
		{"deleting needs the realm's permission", "mona", "PATCH /streams/{#general}",
			[]string{"can_delete_any_message_group", `{"new":4}`}, no, nil},
		{"own messages too", "mona", "PATCH /streams/{#general}", []string{"can_delete_own_message_group", `{"new":4}`}, no,
			nil},
		{"also when one makes a channel", "alice", subscribe,
			[]string{"subscriptions", `[{"name":"x"}]`, "can_delete_own_message_group", "4"}, no, nil},
		{"administrators always", "adam", "PATCH /streams/{#general}", []string{"can_delete_any_message_group", `{"new":4}`},
			"", each(update("can_delete_any_message_group"), everybody...)},
		{"the realm restricts who sets topics policies", "olga", "PATCH /realm",
			[]string{"can_set_topics_policy_group", `{"new":1}`}, "", nil},
		{"a topics policy needs the realm's permission", "mona", "PATCH /streams/{#general}",
			[]string{"topics_policy", "disable_empty_topic"}, no, nil},
		{"also when one makes a channel, topics", "alice", subscribe,
			[]string{"subscriptions", `[{"name":"x"}]`, "topics_policy", "allow_empty_topic"}, no, nil},
		{"administrators always, topics", "adam", "PATCH /streams/{#general}",
			[]string{"topics_policy", "disable_empty_topic"}, "", each(update("topics_policy"), everybody...)},
		{"adding subscribers needs content access", "adam", "PATCH /streams/{#vault}",
			[]string{"can_add_subscribers_group", `{"new":4}`}, no, nil},
		{"subscribing too", "adam", "PATCH /streams/{#vault}", []string{"can_subscribe_group", `{"new":4}`}, no, nil},
		{"other permissions only administration", "adam", "PATCH /streams/{#vault}",
			[]string{"can_resolve_topics_group", `{"new":4}`}, "",
			each(update("can_resolve_topics_group"), "alice", "olga", "adam")},
		{"protected history and who makes topics", "olga", "PATCH /streams/{#vault}",
			[]string{"can_create_topic_group", `{"new":6}`}, "BAD_REQUEST", nil},
		{"also when one makes a channel, history", "alice", subscribe,
			[]string{"subscriptions", `[{"name":"x"}]`, "invite_only", "true", "can_create_topic_group", "6"}, "BAD_REQUEST",
			nil},

		// Metadata and content access.
		{"invalid combinations", "olga", "PATCH /streams/{#general}", []string{"history_public_to_subscribers", "false"},
			"BAD_REQUEST Invalid parameters", nil},
		{"web-public and private", "olga", "PATCH /streams/{#general}",
			[]string{"is_private", "true", "is_web_public", "true"}, "BAD_REQUEST Invalid parameters", nil},
		{"a private channel is hidden from members", "bob", "GET /streams/{#secret}", nil, unknown, nil},
		{"an administrator does", "adam", "GET /streams/{#secret}", nil, "", nil},
		{"but does not read it", "adam", "GET /get_stream_id", []string{"stream", "secret"},
			"BAD_REQUEST Invalid channel name 'secret'", nil},
		{"a public channel is hidden from guests", "olga", "POST /channels/create",
			[]string{"name", "open", "subscribers", "[]"}, "", each("stream/create", members...)},
		{"and gets the same answer as for none", "guest", "GET /streams/{#open}", nil, unknown, nil},
		{"permission to subscribe makes it visible", "olga", "PATCH /streams/{#secret}",
			[]string{"can_subscribe_group", one("bob", "guest")}, "",
			and(each(update("can_subscribe_group"), "alice", "olga", "adam"),
				each("stream/create subscription/peer_add", "bob"))},
		{"and may subscribe", "bob", subscribe, []string{"subscriptions", `[{"name":"secret"}]`}, "",
			and(each("subscription/peer_add", "alice", "olga", "adam"), each("subscription/add", "bob"))},
		{"and subscribers stay when the permission is removed", "olga", "PATCH /streams/{#secret}",
			[]string{"can_subscribe_group", `{"new":1}`}, "",
			each(update("can_subscribe_group"), "alice", "bob", "olga", "adam")},
		{"and it is hidden after leaving", "bob", leave, []string{"subscriptions", `["secret"]`}, "",
			and(each("subscription/remove stream/delete", "bob"), each("subscription/peer_remove", "alice", "olga", "adam"))},
		{"an administrator of a channel reads nothing", "olga", "PATCH /streams/{#secret}",
			[]string{"can_administer_channel_group", one("mona")}, "",
			and(each(update("can_administer_channel_group"), "alice", "olga", "adam"),
				each("stream/create subscription/peer_add", "mona"))},
		{"nor subscribes by that", "mona", subscribe, []string{"subscriptions", `[{"name":"secret"}]`},
			"BAD_REQUEST Unable to access channel (secret).", nil},
		{"nor adds other users", "mona", subscribe,
			[]string{"subscriptions", `[{"name":"secret"}]`, "principals", "[{@bob}]"},
			"BAD_REQUEST Unable to access channel (secret).", nil},
		{"but may remove", "mona", leave, []string{"subscriptions", `["secret"]`, "principals", "[{@olga}]"}, "",
			and(each("subscription/remove", "olga"), each("subscription/peer_remove", "alice", "mona", "adam"))},
		{"without subscription the owner reads no more", "olga", subscribe, []string{"subscriptions", `[{"name":"secret"}]`},
			"BAD_REQUEST Unable to access channel (secret).", nil},
		{"a subscribed guest sees it and the other subscribers", "alice", "PATCH /streams/{#vault}",
			[]string{"can_add_subscribers_group", `{"new":6}`}, "",
			and(each(update("can_add_subscribers_group"), "alice", "olga", "adam"),
				each("stream/create subscription/peer_add", "bob", "mona", "bot"))},
		{"guests are added by members", "bob", subscribe, []string{"subscriptions", `[{"name":"vault"}]`, "principals",
			"[{@guest}]"}, "",
			and(each("subscription/peer_add", members...), each("stream/create subscription/add", "guest"))},
		{"users who may add subscribers may subscribe", "mona", subscribe,
			[]string{"subscriptions", `[{"name":"vault"}]`}, "",
			and(each("subscription/peer_add", "alice", "bob", "olga", "adam", "bot", "guest"),
				each("subscription/add", "mona"))},

		// Names.
		{"no name", "alice", subscribe, []string{"subscriptions", `[{"name":" "}]`}, "BAD_REQUEST", nil},
		{"a name of 61 characters", "alice", subscribe,
			[]string{"subscriptions", `[{"name":"` + strings.Repeat("é", 61) + `"}]`}, "BAD_REQUEST", nil},
		{"a control character", "alice", subscribe, []string{"subscriptions", `[{"name":"a\u0007b"}]`}, "BAD_REQUEST", nil},
		{"a color", "alice", subscribe, []string{"subscriptions", `[{"name":"open","color":"red"}]`}, "BAD_REQUEST", nil},
		{"a taken name in capitals, archived", "alice", "POST /channels/create", []string{"name", "OLD", "subscribers", "[]"},
			"CHANNEL_ALREADY_EXISTS", nil},
		{"a name that a private channel has", "bob", "POST /channels/create", []string{"name", "Secret", "subscribers", "[]"},
			"CHANNEL_ALREADY_EXISTS", nil},
		{"another's name", "olga", "PATCH /streams/{#open}", []string{"new_name", "GENERAL"}, "CHANNEL_ALREADY_EXISTS", nil},
		{"its own name", "olga", "PATCH /streams/{#open}", []string{"new_name", "open"}, "BAD_REQUEST", nil},
		{"its own name in capitals", "olga", "PATCH /streams/{#open}", []string{"new_name", "Open"}, "",
			each(update("name"), members...)},
		{"a long description", "olga", "PATCH /streams/{#Open}", []string{"description", strings.Repeat("x", 1025)},
			"BAD_REQUEST", nil},
		{"line breaks of a description", "olga", "PATCH /streams/{#Open}", []string{"description", "a\nb"}, "",
			each(update("description"), members...)},

		// Subscribing.
		{"subscribe: a guest", "guest", subscribe, []string{"subscriptions", `[{"name":"Open"}]`},
			"BAD_REQUEST Not allowed for guest users", nil},
		{"subscribe: a missing folder", "alice", subscribe,
			[]string{"subscriptions", `[{"name":"x"}]`, "folder_id", "999"}, "BAD_REQUEST Invalid channel folder ID", nil},
		{"subscribe: only administrators create default channels", "alice", subscribe,
			[]string{"subscriptions", `[{"name":"x"}]`, "is_default_stream", "true"}, no, nil},
		{"subscribe: a default channel is not private", "olga", subscribe,
			[]string{"subscriptions", `[{"name":"x"}]`, "is_default_stream", "true", "invite_only", "true"}, "BAD_REQUEST", nil},
		{"subscribe: web-public needs the realm", "olga", subscribe,
			[]string{"subscriptions", `[{"name":"x"}]`, "is_web_public", "true"},
			"BAD_REQUEST Web-public channels are not enabled.", nil},
		{"subscribe: retention is for owners", "adam", subscribe,
			[]string{"subscriptions", `[{"name":"x"}]`, "message_retention_days", "5"},
			"UNAUTHORIZED_PRINCIPAL Must be an organization owner", nil},
		{"subscribe: no retention of nothing", "olga", subscribe,
			[]string{"subscriptions", `[{"name":"x"}]`, "message_retention_days", "0"}, "BAD_REQUEST", nil},
		{"subscribe: others need a permission", "alice", subscribe,
			[]string{"subscriptions", `[{"name":"Open"}]`, "principals", "[{@bob}]"}, no, nil},
		{"subscribe: which is always fatal", "alice", subscribe, []string{"subscriptions", `[{"name":"Open"}]`, "principals",
			"[{@bob}]", "authorization_errors_fatal", "false"}, no, nil},
		{"subscribe: unauthorized may be reported", "bot", subscribe,
			[]string{"subscriptions", `[{"name":"shared"},{"name":"Open"}]`, "authorization_errors_fatal", "false"}, "",
			and(each("subscription/add", "bot"), each("subscription/peer_add", "alice", "bob", "olga", "adam", "mona"))},
		{"subscribe: a missing user", "olga", subscribe,
			[]string{"subscriptions", `[{"name":"Open"}]`, "principals", "[9999]"}, "BAD_REQUEST No such user", nil},
		{"subscribe: by e-mail address", "olga", subscribe, []string{"subscriptions", `[{"name":"Open"}]`, "principals",
			`["mona@example.com"]`}, "",
			and(each("subscription/add", "mona"), each("subscription/peer_add", "alice", "bob", "olga", "adam", "bot"))},
		{"subscribe: an empty list means the caller", "olga", subscribe,
			[]string{"subscriptions", `[{"name":"OPEN"}]`, "principals",
				"[]"}, "",
			and(each("subscription/add", "olga"), each("subscription/peer_add", "alice", "bob", "mona", "adam", "bot"))},
		{"subscribe: again", "olga", subscribe, []string{"subscriptions", `[{"name":"open"}]`}, "", nil},
		{"subscribe: a new channel only for others", "olga", subscribe,
			[]string{"subscriptions", `[{"name":"theirs"}]`, "principals", "[{@bob},{@guest}]"}, "",
			and(each("stream/create subscription/add", "bob", "guest"),
				each("stream/create subscription/peer_add", "alice", "olga", "adam", "mona", "bot"))},
		{"subscribe: an archived channel", "olga", subscribe, []string{"subscriptions", `[{"name":"old"}]`}, "",
			and(each("subscription/add", "olga"), each("subscription/peer_add", "alice", "bob", "guest", "adam", "mona",
				"bot"))},
		{"create: a default channel", "adam", "POST /channels/create",
			[]string{"name", "news", "subscribers", "[]", "is_default_stream", "true", "folder_id", folder}, "",
			each("stream/create default_streams", members...)},
		{"patch: both or neither", "alice", "PATCH /users/me/subscriptions",
			[]string{"add", `[{"name":"Open"}]`, "delete", `["nowhere"]`}, "BAD_REQUEST Channel(s) (nowhere) do not exist", nil},
		{"patch: both", "bot", "PATCH /users/me/subscriptions", []string{"add", `[{"name":"theirs"}]`, "delete", `["Open"]`},
			"",
			and(each("subscription/add subscription/remove", "bot"),
				each("subscription/peer_add subscription/peer_remove", "alice", "bob", "olga", "adam", "mona"),
				each("subscription/peer_add", "guest"))},
		{"patch: nothing", "alice", "PATCH /users/me/subscriptions", nil, "BAD_REQUEST", nil},
		{"unsubscribe: others need a permission", "alice", leave,
			[]string{"subscriptions", `["theirs"]`, "principals", "[{@bob}]"}, no, nil},
		{"unsubscribe: the caller's own bot", "alice", leave,
			[]string{"subscriptions", `["theirs"]`, "principals", "[{@bot}]"}, "",
			and(each("subscription/remove", "bot"), each("subscription/peer_remove", "alice", "bob", "olga", "adam", "mona",
				"guest"))},
		{"unsubscribe: guests themselves", "guest", leave, []string{"subscriptions", `["theirs"]`}, "",
			and(each("subscription/remove stream/delete", "guest"), each("subscription/peer_remove", members...))},
		{"unsubscribe: a hidden channel", "bob", leave, []string{"subscriptions", `["secret","theirs"]`},
			"BAD_REQUEST Channel(s) (secret) do not exist", nil},
		{"members: of an archived channel", "alice", "GET /streams/{#old}/members", nil, "", nil},
		{"members: of a hidden channel", "bob", "GET /streams/{#secret}/members", nil, unknown, nil},
		{"topics: with metadata access only", "adam", "GET /streams/{#secret}/email_address", nil, unknown, nil},
		{"properties: of a channel that is not subscribed", "adam", "POST /users/me/subscriptions/properties",
			[]string{"subscription_data", `[{"stream_id":{#Open},"property":"is_muted","value":true}]`},
			"BAD_REQUEST Not subscribed to channel ID", nil},
		{"properties: a mute produces two events", "alice", "PATCH /users/me/subscriptions/{#general}",
			[]string{"property", "is_muted", "value", "true"}, "",
			each("subscription/update:in_home_view subscription/update:is_muted", "alice")},

		// Changing and archiving.
		{"change: a default channel stays public", "adam", "PATCH /streams/{#news}", []string{"is_private", "true"},
			"BAD_REQUEST", nil},
		{"change: default channels are for administrators", "mona", "PATCH /streams/{#general}",
			[]string{"is_default_stream", "true"}, no, nil},
		{"change: out of the folder", "adam", "PATCH /streams/{#news}", []string{"folder_id", "null"}, "",
			each(update("folder_id"), members...)},
		{"change: into a missing folder", "adam", "PATCH /streams/{#news}", []string{"folder_id", "999"},
			"BAD_REQUEST Invalid channel folder ID", nil},
		{"change: retention is for owners", "adam", "PATCH /streams/{#news}", []string{"message_retention_days", "5"},
			"UNAUTHORIZED_PRINCIPAL Must be an organization owner", nil},
		{"change: retention", "olga", "PATCH /streams/{#news}", []string{"message_retention_days", "5"}, "",
			each(update("message_retention_days"), members...)},
		{"change: publishing requires content access", "mona", "PATCH /streams/{#secret}",
			[]string{"is_private", "false"}, unknown, nil},
		{"change: nor web-public", "olga", "PATCH /streams/{#shared}",
			[]string{"is_private", "false", "is_web_public", "true"}, "BAD_REQUEST Web-public channels are not enabled.", nil},
		{"change: the channel of moderation requests", "olga", "PATCH /realm",
			[]string{"moderation_request_channel_id", "{#shared}"}, "", nil},
		{"change: stays private", "olga", "PATCH /streams/{#shared}", []string{"is_private", "false"},
			"BAD_REQUEST Moderation request channel must be private.", nil},
		{"change: another one is", "olga", "PATCH /realm", []string{"moderation_request_channel_id", "-1"}, "", nil},
		{"private becomes public", "olga", "PATCH /streams/{#shared}", []string{"is_private", "false"}, "",
			and(each(update("invite_only"), "bob", "olga", "adam"), each("stream/create subscription/peer_add", "alice", "mona",
				"bot"))},
		{"public becomes private, protected", "olga", "PATCH /streams/{#shared}", []string{"is_private", "true"}, "",
			and(each(update("invite_only"), "bob", "olga", "adam"), each("stream/delete", "alice", "mona", "bot"))},
		{"protected becomes shared", "bob", "PATCH /streams/{#shared}", []string{"history_public_to_subscribers", "true"},
			notAdmin, nil},
		{"protected becomes shared, by an administrator", "olga", "PATCH /streams/{#shared}",
			[]string{"history_public_to_subscribers", "true"}, "", each(update("invite_only"), "bob", "olga", "adam")},
		{"archive: by an administrator of the channel", "bob", "DELETE /streams/{#news}", nil, notAdmin, nil},
		{"archive: a hidden channel", "bob", "DELETE /streams/{#secret}", nil, unknown, nil},
		{"archive: a default channel is no longer one", "adam", "DELETE /streams/{#news}", nil, "",
			each(update("is_archived")+" default_streams", members...)},
		{"archive: twice", "adam", "DELETE /streams/{#news}", nil, "BAD_REQUEST", nil},
		{"archive: its permissions may be changed", "adam", "PATCH /streams/{#news}",
			[]string{"can_send_message_group", `{"new":6}`}, "", each(update("can_send_message_group"), members...)},
		{"archive: it is no default channel", "adam", "POST /default_streams", []string{"stream_id", "{#news}"}, unknown,
			nil},
		{"unarchive: an active channel", "olga", "PATCH /streams/{#Open}", []string{"is_archived", "false"},
			"BAD_REQUEST Channel is not currently archived.", nil},
		{"unarchive: true does nothing", "olga", "PATCH /streams/{#Open}", []string{"is_archived", "true"}, "", nil},
		{"unarchive", "olga", "PATCH /streams/{#old}", []string{"is_archived", "false"}, "",
			each(update("is_archived"), everybody...)},
		{"default channels: no private ones", "adam", "POST /default_streams", []string{"stream_id", "{#secret}"},
			"BAD_REQUEST Private channels cannot be made default.", nil},
		{"default channels: for administrators", "mona", "POST /default_streams", []string{"stream_id", "{#old}"},
			"UNAUTHORIZED_PRINCIPAL Must be an organization administrator", nil},
		{"default channels", "adam", "POST /default_streams", []string{"stream_id", "{#old}"}, "",
			each("default_streams", members...)},
		{"default channels: again", "adam", "POST /default_streams", []string{"stream_id", "{#old}"}, "", nil},
		{"default channels: no more", "adam", "DELETE /default_streams", []string{"stream_id", "{#old}"}, "",
			each("default_streams", members...)},
		{"default channels: none anyway", "adam", "DELETE /default_streams", []string{"stream_id", "{#old}"}, "", nil},
	} {
		t.Run(r.name, func(t *testing.T) { r.check(s.In(t), all) })
	}
}
