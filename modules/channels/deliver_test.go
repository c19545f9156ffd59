package channels_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
)

// queue is one of a user's clients.
type queue struct {
	*kittest.Queue
	who string
}

func listen(s *kittest.Server, who string, params ...string) *queue {
	s.T.Helper()
	q := s.As(who).Register(append([]string{"event_types", `["stream","subscription","default_streams"]`}, params...)...)
	return &queue{q, who}
}

// kinds returns the types and ops of the pending events.
func (q *queue) kinds() string {
	var all []string
	for _, e := range q.Next() {
		all = append(all, strings.TrimSuffix(fmt.Sprintf("%v/%v", e["type"], e["op"]), "/<nil>"))
	}
	return strings.Join(all, " ")
}

const modern = `{"archived_channels":true,"notification_settings_null":true}`

func TestDeliverPublic(t *testing.T) {
	s := kittest.Start(t, channels.Module, events.Module)
	alice, bob, mona, guest := listen(s, "alice"), listen(s, "bob", "include_subscribers", "true"), listen(s, "mona"),
		listen(s, "guest")
	s.As("alice").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"Rome"},{"name":"general"}]`, "principals",
		list(s, "alice", "bob", "mona")).OK()
	if got := alice.kinds(); got != "stream/create subscription/add subscription/peer_add" {
		t.Errorf("alice, a new subscriber only of Rome, received mona's subscription to general: got %s", got)
	}
	if got := guest.Next(); len(got) != 1 ||
		fmt.Sprint(got[0]["stream_ids"], got[0]["user_ids"]) != fmt.Sprintf("[%d] [%s]", s.ChannelID("general"),
			id(s, "mona")) {
		t.Errorf("the guest sees only general: got %v", got)
	}
	got := bob.Next()
	record := got[1]["subscriptions"].([]any)[0].(map[string]any)
	if record["name"] != "Rome" || number(record["subscriber_count"]) != 3 ||
		fmt.Sprint(record["subscribers"]) != strings.ReplaceAll(list(s, "alice", "bob", "mona"), ",", " ") {
		t.Errorf("bob received %v", record)
	}
	if number(got[0]["streams"].([]any)[0].(map[string]any)["subscriber_count"]) != 0 {
		t.Errorf("the channel was created with subscribers: %v", got[0])
	}
	add := mona.Next()[1]["subscriptions"].([]any)
	if len(add) != 2 || add[0].(map[string]any)["color"] == add[1].(map[string]any)["color"] {
		t.Errorf("mona has two new subscriptions with distinct colors: got %v", add)
	}
	if _, there := add[0].(map[string]any)["subscribers"]; there {
		t.Error("mona did not ask for subscribers")
	}
}

func TestDeliverPrivate(t *testing.T) {
	s := kittest.Start(t, channels.Module, events.Module)
	secret := s.ChannelID("secret")
	alice, bob, adam, mona, guest := listen(s, "alice"), listen(s, "bob"), listen(s, "adam"), listen(s, "mona"),
		listen(s, "guest")
	s.As("alice").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"secret"}]`, "principals",
		list(s, "bob")).OK()
	for q, want := range map[*queue]string{alice: "subscription/peer_add", bob: "stream/create subscription/add",
		adam: "subscription/peer_add", mona: "", guest: ""} {
		if got := q.kinds(); got != want {
			t.Errorf("bob is added to secret: %s received %q, want %q", q.who, got, want)
		}
	}
	s.As("bob").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"cellar"}]`, "invite_only", "true").OK()
	for q, want := range map[*queue]string{alice: "", bob: "stream/create subscription/add",
		adam: "stream/create subscription/peer_add", mona: "", guest: ""} {
		if got := q.kinds(); got != want {
			t.Errorf("a private channel is created: %s received %q, want %q", q.who, got, want)
		}
	}
	s.As("bob").Do("DELETE /users/me/subscriptions", "subscriptions", `["secret"]`).OK()
	got := bob.Next()
	if len(got) != 2 || fmt.Sprint(got[0]["subscriptions"]) != fmt.Sprintf("[map[name:secret stream_id:%d]]", secret) ||
		fmt.Sprint(got[1]["stream_ids"], got[1]["streams"]) != fmt.Sprintf("[%d] [map[stream_id:%d]]", secret, secret) {
		t.Errorf("bob leaves secret: received %v", got)
	}
	for q, want := range map[*queue]string{alice: "subscription/peer_remove", adam: "subscription/peer_remove", mona: "",
		guest: ""} {
		if got := q.kinds(); got != want {
			t.Errorf("bob leaves secret: %s received %q, want %q", q.who, got, want)
		}
	}
	s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", secret), "new_name", "open", "is_private", "false").OK()
	for q, want := range map[*queue]string{alice: "stream/update stream/update", adam: "stream/update stream/update",
		bob: "stream/create subscription/peer_add", mona: "stream/create subscription/peer_add", guest: ""} {
		if got := q.kinds(); got != want {
			t.Errorf("secret becomes public: %s received %q, want %q", q.who, got, want)
		}
	}
	s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", secret), "is_private", "true").OK()
	for q, want := range map[*queue]string{alice: "stream/update", adam: "stream/update", bob: "stream/delete",
		mona: "stream/delete", guest: ""} {
		if got := q.kinds(); got != want {
			t.Errorf("it becomes private again: %s received %q, want %q", q.who, got, want)
		}
	}
}

func TestDeliverArchive(t *testing.T) {
	s := kittest.Start(t, channels.Module, events.Module)
	path := fmt.Sprintf(" /streams/%d", s.ChannelID("general"))
	old, new, other := listen(s, "bob"), listen(s, "bob", "client_capabilities", modern), listen(s, "mona")
	for _, step := range []struct {
		do               func()
		old, new, others string
	}{
		{func() { s.As("olga").Do("DELETE" + path).OK() }, "stream/delete", "stream/update", "stream/delete"},
		{func() { s.As("olga").Do("PATCH"+path, "description", "x").OK() }, "", "stream/update", ""},
		{func() {
			s.As("bob").Do(fmt.Sprintf("PATCH /users/me/subscriptions/%d", s.ChannelID("general")), "property", "pin_to_top",
				"value", "true").OK()
		}, "", "subscription/update", ""},
		{func() { s.As("alice").Do("DELETE /users/me/subscriptions", "subscriptions", `["general"]`).OK() }, "",
			"subscription/peer_remove", ""},
		{func() { s.As("olga").Do("PATCH"+path, "is_archived", "false").OK() }, "stream/create subscription/add",
			"stream/update", "stream/create subscription/peer_add"},
		{func() { s.As("olga").Do("DELETE" + path).OK() }, "stream/delete", "stream/update", "stream/delete"},
		{func() { s.As("olga").Do("PATCH"+path, "is_archived", "false", "new_name", "agora").OK() },
			"stream/create subscription/add", "stream/update stream/update", "stream/create subscription/peer_add"},
	} {
		step.do()
		if got := []string{old.kinds(), new.kinds(), other.kinds()}; !slices.Equal(got,
			[]string{step.old, step.new, step.others}) {
			t.Errorf("a subscriber's legacy client, modern client, and another user's received %q, want %q", got,
				[]string{step.old, step.new, step.others})
		}
	}
}

func TestDeliverSettings(t *testing.T) {
	s := kittest.Start(t, channels.Module, events.Module)
	general := s.ChannelID("general")
	bob, alice := listen(s, "bob"), listen(s, "alice")
	s.As("bob").Do(fmt.Sprintf("PATCH /users/me/subscriptions/%d", general), "property", "in_home_view", "value",
		"false").OK()
	got, _ := json.Marshal(bob.Next())
	want := fmt.Sprintf(`[{"op":"update","property":"in_home_view","stream_id":%d,"type":"subscription","value":false},
		{"op":"update","property":"is_muted","stream_id":%d,"type":"subscription","value":true}]`, general, general)
	if string(got) != strings.Join(strings.Fields(want), "") {
		t.Errorf("bob received %s, want %s", got, want)
	}
	if got := alice.kinds(); got != "" {
		t.Errorf("alice received bob's setting: %s", got)
	}
}

// Unset settings are null only for clients that accept null; others receive the user's general settings.
func TestDeliverUnsetSettings(t *testing.T) {
	s := kittest.Start(t, accounts.Module, channels.Module, events.Module)
	s.As("bob").Do("PATCH /settings", "enable_stream_push_notifications", "true", "wildcard_mentions_notify", "false").OK()
	plain, knowing := listen(s, "bob"), listen(s, "bob", "client_capabilities", modern)
	s.As("bob").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"Rome"}]`).OK()
	for _, c := range []struct {
		q    *queue
		want string
	}{{plain, "false false true false false\n"}, {knowing, "<nil> <nil> <nil> <nil> <nil>\n"}} {
		got := "nothing"
		for _, e := range c.q.Next() {
			if e["op"] != "add" {
				continue
			}
			r := e["subscriptions"].([]any)[0].(map[string]any)
			got = fmt.Sprintln(r["desktop_notifications"], r["audible_notifications"], r["push_notifications"],
				r["email_notifications"], r["wildcard_mentions_notify"])
		}
		if got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestRegister(t *testing.T) {
	s := kittest.Start(t, channels.Module, events.Module)
	s.As("bob").Do("POST /users/me/subscriptions", "subscriptions",
		`[{"name":"Rome"},{"name":"attic"},{"name":"Zama"}]`).OK()
	s.As("bob").Do("DELETE /users/me/subscriptions", "subscriptions", `["Rome"]`).OK()
	s.As("olga").Do(fmt.Sprintf("DELETE /streams/%d", channelID(s, "attic"))).OK()
	s.As("olga").Do("POST /default_streams", "stream_id", fmt.Sprint(channelID(s, "Rome"))).OK()
	for _, c := range []struct {
		who, capabilities                       string
		subscriptions, unsubscribed, never, all string
		defaults                                int
	}{
		{"bob", `{}`, "Zama general", "Rome", "", "Rome Zama general", 1},
		{"bob", modern, "Zama attic general", "Rome", "", "Rome Zama attic general", 1},
		{"mona", `{}`, "", "", "Rome Zama general", "Rome Zama general", 1},
		{"adam", `{}`, "", "", "Rome Zama general secret", "Rome Zama general secret", 1},
		{"guest", modern, "general", "", "", "general", 0},
	} {
		a := s.As(c.who).Do("POST /register", "client_capabilities", c.capabilities, "include_subscribers", "true").OK()
		var res struct {
			Subscriptions, Unsubscribed, Streams []map[string]any
			Never                                []map[string]any `json:"never_subscribed"`
			Defaults                             []int64          `json:"realm_default_streams"`
			Groups                               []any            `json:"realm_default_stream_groups"`
			Folders                              []any            `json:"channel_folders"`
		}
		a.JSON(&res)
		got := []string{names(res.Subscriptions), names(res.Unsubscribed), names(res.Never), names(res.Streams)}
		if want := []string{c.subscriptions, c.unsubscribed, c.never, c.all}; !slices.Equal(got, want) {
			t.Errorf("%s %s: %q, want %q", c.who, c.capabilities, got, want)
		}
		if len(res.Defaults) != c.defaults || res.Defaults == nil || res.Groups == nil || res.Folders == nil {
			t.Errorf("%s: default channels %v, groups %v, folders %v", c.who, res.Defaults, res.Groups, res.Folders)
		}
		if c.who != "adam" && strings.Contains(a.Body, `"secret"`) {
			t.Errorf("%s received the private channel", c.who)
		}
		for _, sub := range slices.Concat(res.Subscriptions, res.Unsubscribed) {
			if null := sub["push_notifications"] == nil; null != (c.capabilities == modern) {
				t.Errorf("%s %s: push_notifications is %v", c.who, c.capabilities, sub["push_notifications"])
			}
		}
		for _, rec := range slices.Concat(res.Streams, res.Never) {
			for key := range maps.Keys(rec) {
				if !slices.Contains(allowed, key) {
					t.Errorf("a strict client rejects the key %s in a channel record", key)
				}
			}
		}
	}
}

var allowed = strings.Fields(`stream_id name description rendered_description date_created creator_id invite_only
	is_web_public
	history_public_to_subscribers message_retention_days first_message_id stream_weekly_traffic is_recently_active
	is_archived folder_id
	topics_policy stream_post_policy is_announcement_only subscriber_count can_add_subscribers_group
	can_remove_subscribers_group
	can_administer_channel_group can_send_message_group can_subscribe_group can_create_topic_group can_resolve_topics_group
	can_move_messages_within_channel_group can_move_messages_out_of_channel_group can_delete_any_message_group
	can_delete_own_message_group subscribers`)
