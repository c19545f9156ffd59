package events_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"go.uber.org/fx"
	"go.yaml.in/yaml/v3"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/standard"
)

// The keys, by fetch type, that the mobile app (M), the terminal client (T) or another client requires. unread_msgs is
// returned for message only if update_message_flags is requested as well.
var clientsNeed = map[string]string{
	"": "result msg queue_id last_event_id idle_queue_timeout_secs service_feature_level " +
		"service_version service_merge_base",
	"alert_words":                  "alert_words",
	"custom_profile_fields":        "custom_profile_fields",
	"message":                      "max_message_id",
	"saved_snippets":               "saved_snippets",
	"muted_topics":                 "muted_topics",
	"muted_users":                  "muted_users",
	"presence":                     "presences server_timestamp",
	"realm_emoji":                  "realm_emoji",
	"realm_linkifiers":             "realm_linkifiers",
	"realm_user_groups":            "realm_user_groups",
	"recent_private_conversations": "recent_private_conversations",
	"subscription":                 "subscriptions unsubscribed never_subscribed",
	"channel_folders":              "channel_folders",
	"starred_messages":             "starred_messages",
	"stream":                       "streams",
	"default_streams":              "realm_default_streams",
	"user_settings":                "user_settings",
	"user_status":                  "user_status",
	"user_topic":                   "user_topics",
	"realm_user":                   "realm_users realm_non_active_users cross_realm_bots user_id email full_name",
	"realm": `realm_name realm_icon_url realm_default_external_accounts realm_waiting_period_threshold
		realm_allow_message_editing
		realm_message_retention_days realm_enable_read_receipts realm_presence_disabled realm_wildcard_mention_policy
		realm_can_delete_any_message_group realm_can_delete_own_message_group event_queue_longpoll_timeout_seconds
		server_presence_ping_interval_seconds server_presence_offline_threshold_seconds server_emoji_data_url
		server_thumbnail_formats
		max_topic_length max_stream_name_length max_file_upload_size_mib`,
}

// The keys that these clients require within objects.
var within = map[string]string{
	"unread_msgs": "count pms streams huddles mentions old_unreads_missing",
	"user_settings": "twenty_four_hour_time starred_message_counts display_emoji_reaction_users emojiset " +
		"presence_enabled pm_content_in_desktop_notifications send_private_typing_notifications",
}

func demand(t *testing.T, answer map[string]json.RawMessage, keys string) {
	t.Helper()
	for _, k := range strings.Fields(keys) {
		if v, ok := answer[k]; !ok || string(v) == "null" {
			t.Errorf("%s is %q", k, v)
		}
	}
}

// minimal returns the modules listed in configs/minimal.yaml.
func minimal(t *testing.T) []kit.Module {
	t.Helper()
	b, err := os.ReadFile("../../configs/minimal.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		Modules map[string]any `yaml:"modules"`
	}
	if err := yaml.Unmarshal(b, &c); err != nil {
		t.Fatal(err)
	}
	got := slices.DeleteFunc(standard.Modules(), func(m kit.Module) bool {
		_, named := c.Modules[m.Name]
		return !named || m.Slot != ""
	})
	if len(got) != len(c.Modules) || len(got) < 3 {
		t.Fatalf("minimal.yaml names %v", c.Modules)
	}
	return got
}

func TestRegisterHasWhatClientsNeed(t *testing.T) {
	for name, modules := range map[string][]kit.Module{"all modules": standard.Modules(), "minimal.yaml": minimal(t),
		"fewest modules": {events.Module}} {
		t.Run(name, func(t *testing.T) {
			s := kittest.Start(t, modules...)
			var all map[string]json.RawMessage
			s.As("alice").Do("POST /register", "apply_markdown", "true", "client_gravatar", "false", "slim_presence",
				"true").OK().JSON(&all)
			for _, keys := range clientsNeed {
				demand(t, all, keys)
			}
			demand(t, all, "unread_msgs")
			for k, keys := range within {
				var inner map[string]json.RawMessage
				if err := json.Unmarshal(all[k], &inner); err != nil {
					t.Fatal(k, err)
				}
				demand(t, inner, keys)
			}
			for typ, keys := range clientsNeed {
				var one map[string]json.RawMessage
				s.As("alice").Do("POST /register", "fetch_event_types", fmt.Sprintf("[%q]", typ)).OK().JSON(&one)
				demand(t, one, keys+" "+clientsNeed[""])
				if _, ok := one["unread_msgs"]; ok {
					t.Errorf("%s without further types includes unread_msgs", typ)
				}
			}
		})
	}
}

func TestMessagesReachTheirReaders(t *testing.T) {
	s := kittest.Start(t, standard.Modules()...)
	types := []string{"event_types", `["message"]`, "fetch_event_types", `[]`}
	alice, bob, mona := register(s.As("alice"), types...), register(s.As("bob"), types...),
		register(s.As("mona"), types...)
	wide, narrowed := register(s.As("mona"), append(types, "all_public_streams", "true")...),
		register(s.As("bob"), append(types, "narrow", `[["topic","other"]]`)...)
	held := narrowed.wait(t)
	for _, topic := range []string{"greetings", "other"} {
		alice.Do("POST /messages", "type", "stream", "to", "general", "topic", topic, "content", "hello "+topic, "queue_id",
			alice.ID, "local_id", "17.0"+topic).OK()
	}
	secret := s.As("olga").Do("POST /messages", "type", "stream", "to", "secret", "topic", "x", "content", "secret").OK()
	type message struct {
		Message struct {
			ID      int64  `json:"id"`
			Content string `json:"content"`
		} `json:"message"`
		Flags []string `json:"flags"`
		Local string   `json:"local_message_id"`
	}
	read := func(q *queue) (contents, locals []string, last int64) {
		var body struct{ Events []message }
		q.Poll().OK().JSON(&body)
		for _, m := range body.Events {
			contents, last = append(contents, m.Message.Content), m.Message.ID
			if m.Flags == nil {
				t.Errorf("no flags")
			}
			if m.Local != "" {
				locals = append(locals, m.Local)
			}
		}
		return contents, locals, last
	}
	contents, locals, last := read(alice)
	wants(t, contents, "hello greetings", "hello other", "secret")
	wants(t, locals, "17.0greetings", "17.0other")
	if last != secret.Int("id") {
		t.Errorf("message %d, want %d", last, secret.Int("id"))
	}
	contents, locals, _ = read(bob)
	wants(t, contents, "hello greetings", "hello other")
	wants(t, locals)
	contents, _, _ = read(mona)
	wants(t, contents)
	contents, _, _ = read(wide)
	wants(t, contents, "hello greetings", "hello other")
	wants(t, held(), "message") // the other topic's message has not ended the wait
}

// cried is offered to users outside its audience. The queue's narrow decides whether it is received.
var cried = kit.Event[shout]("cry", "").Personal(func(r event.Receiver, p *shout) (any, bool) {
	return nil, len(r.Queue.Narrow) == 1 && string(r.Queue.Narrow[0].Operand) == `"`+p.Text+`"`
}).BeyondAudience()

func TestPollWokenWithoutEventsIsHeldAgain(t *testing.T) {
	criers := kit.Define("criers", "Cries.", kit.None{}, func(kit.None, struct{ fx.In }) (kit.Parts, error) {
		return kit.Parts{Events: []kit.AnyEvent{cried.Any()}}, nil
	})
	s := kittest.Start(t, events.Module, criers)
	cry := func(text string) {
		s.Do(func(ctx context.Context) error {
			return s.Ports.Log.Append(ctx, cried.To(s.Realm, event.To(s.UserID("bob")), shout{text}))
		})
	}
	q := register(s.As("alice"), "narrow", `[["topic","mine"]]`)
	answer := q.wait(t)
	for range 50 {
		cry("other")
	}
	cry("mine")
	wants(t, answer(), "mine")
}
