package events

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// alwaysNeeded lists the keys that the mobile app, the terminal client or the web app requires in a response with all
// sections.
const alwaysNeeded = `queue_id last_event_id idle_queue_timeout_secs service_feature_level service_version
	service_merge_base
	alert_words custom_profile_fields realm_billing max_message_id saved_snippets muted_topics muted_users presences
	realm_emoji realm_linkifiers realm_filters
	realm_playgrounds realm_user_groups recent_private_conversations subscriptions unsubscribed never_subscribed
	channel_folders unread_msgs
	starred_messages streams user_settings user_status user_topics realm_name realm_icon_url
	realm_default_external_accounts
	realm_waiting_period_threshold realm_allow_message_editing realm_message_retention_days realm_enable_read_receipts
	realm_presence_disabled
	realm_wildcard_mention_policy realm_can_delete_any_message_group realm_can_delete_own_message_group
	event_queue_longpoll_timeout_seconds
	server_presence_ping_interval_seconds server_presence_offline_threshold_seconds server_emoji_data_url max_topic_length
	max_stream_name_length
	max_file_upload_size_mib realm_users realm_non_active_users cross_realm_bots user_id email full_name`

func TestRegisterIsCompleteWithoutModules(t *testing.T) {
	n := newFakeKernel(6).start(t, nil)
	c := n.client(t, 1, registerReq{})
	text, err := json.Marshal(c.reg)
	must(t, err)
	var got map[string]json.RawMessage
	must(t, json.Unmarshal(text, &got))
	for _, k := range strings.Fields(alwaysNeeded) {
		if v, ok := got[k]; !ok || string(v) == "null" {
			t.Errorf("%s is %s", k, v)
		}
	}
	if got["other_version"] == nil {
		t.Error("the aliases of realm.KeyAliases are missing")
	}
	if string(got["idle_queue_timeout_secs"]) != "600" {
		t.Errorf("idle_queue_timeout_secs is %s", got["idle_queue_timeout_secs"])
	}
}

func TestRegisterReturnsFetchedTypes(t *testing.T) {
	type block struct {
		RealmName string  `json:"realm_name"`
		Absent    *int    `json:"absent,omitempty"`
		Nothing   *string `json:"nothing"`
		hidden    int
		Ignored   int `json:"-"`
	}
	type extra struct {
		block
		MaxMessageID int `json:"max_message_id"`
	}
	sections := []kit.Section{
		kit.Register("realm", func(_ context.Context, a kit.Actor, _ event.Client) (block, error) {
			return block{RealmName: "r", hidden: 1}, nil
		}),
		kit.Register("message", func(context.Context, kit.Actor, event.Client) (*extra, error) {
			return &extra{block{RealmName: "embedded"}, 17}, nil
		}),
		kit.Register("message", func(context.Context, kit.Actor, event.Client) (map[string]int, error) {
			return map[string]int{"of_both": 1}, nil
		}).And("update_message_flags"),
		kit.Register("client", func(_ context.Context, a kit.Actor, c event.Client) (map[string]any, error) {
			return map[string]any{"who": a.User, "client": c}, nil
		}),
	}
	n := newFakeKernel(6).start(t, nil, sections...)
	always := []string{"queue_id", "last_event_id", "idle_queue_timeout_secs", "service_feature_level", "service_version",
		"service_merge_base", "other_version"}
	for _, c := range []struct {
		events, fetch *[]string
		want          []string
	}{
		{nil, &[]string{}, nil},
		{&[]string{}, nil, nil},
		{nil, &[]string{"message"}, []string{"realm_name", "nothing", "max_message_id"}},
		{&[]string{"message"}, nil, []string{"realm_name", "nothing", "max_message_id"}},
		{&[]string{"client"}, &[]string{"message", "update_message_flags"},
			[]string{"realm_name", "nothing", "max_message_id", "of_both", "unread_msgs"}},
		{nil, &[]string{"client", "zulip_version", "no_such"}, []string{"who", "client"}},
		{nil, &[]string{"muted_topics", "stop_words"}, []string{"muted_topics", "stop_words"}},
		{nil, &[]string{"muted_topics", "user_topic"}, []string{"user_topics"}},
	} {
		got := slices.Sorted(maps.Keys(n.client(t, 1, registerReq{EventTypes: c.events, FetchEventTypes: c.fetch}).reg))
		want := slices.Sorted(slices.Values(append(slices.Clone(always), c.want...)))
		if !slices.Equal(got, want) {
			t.Errorf("%v %v: got %v, want %v", c.events, c.fetch, got, want)
		}
	}
	all := n.client(t, 3, registerReq{}).reg
	if all["max_message_id"] != 17 || all["who"] != user.ID(3) || all["of_both"] != 1 {
		t.Errorf("%v", all)
	}
}

func TestRegisterParameters(t *testing.T) {
	raw := func(s string) *json.RawMessage { r := json.RawMessage(s); return &r }
	idle := func(d time.Duration) func(registration) bool {
		return func(a registration) bool { return a.idle == d }
	}
	for name, c := range map[string]struct {
		in    registerReq
		check func(registration) bool
	}{
		"nothing": {registerReq{}, func(a registration) bool {
			return a.spec.Client == event.Client{ClientGravatar: true} && a.idle == 10*time.Minute
		}},
		"partial": {registerReq{IncludeSubscribers: ptr(`partial`)},
			func(a registration) bool { return a.spec.Client.Subscribers == event.PartialSubscribers }},
		"partial, quoted": {registerReq{IncludeSubscribers: ptr(`"partial"`)},
			func(a registration) bool { return a.spec.Client.Subscribers == event.PartialSubscribers }},
		"subscribers": {registerReq{IncludeSubscribers: ptr(`true`)},
			func(a registration) bool { return a.spec.Client.Subscribers == event.AllSubscribers }},
		"no subscribers": {registerReq{IncludeSubscribers: ptr(`False`)},
			func(a registration) bool { return a.spec.Client.Subscribers == event.NoSubscribers }},
		"capabilities": {registerReq{Capabilities: raw(`{"bulk_message_deletion":true,"not_known":false}`)},
			func(a registration) bool {
				return a.spec.Client.Capabilities == event.Capabilities{BulkMessageDeletion: true}
			}},
		"pairs": {registerReq{Narrow: raw(`[["stream","x"],["is","dm"]]`)},
			func(a registration) bool { return len(a.spec.Narrow) == 2 && a.spec.Narrow[0].Operator == "channel" }},
		"objects": {registerReq{Narrow: raw(`[{"operator":"topic","operand":"x"}]`)},
			func(a registration) bool { return a.spec.Narrow[0].Operator == "topic" }},
		"empty narrow": {registerReq{Narrow: raw(`[]`)}, func(a registration) bool { return len(a.spec.Narrow) == 0 }},
		"seconds":      {registerReq{IdleQueueTimeout: ptr("61")}, idle(61 * time.Second)},
		"mobile": {registerReq{IdleQueueTimeout: ptr(`"mobile"`)},
			func(a registration) bool { return a.idle == 12*time.Hour }},
		"mobile, raw": {registerReq{IdleQueueTimeout: ptr(`mobile`)}, idle(12 * time.Hour)},
		"capped": {registerReq{IdleQueueTimeout: ptr("99999999")},
			func(a registration) bool { return a.idle == 7*24*time.Hour }},
		"lifespan":    {registerReq{QueueLifespan: ptr(90)}, func(a registration) bool { return a.idle == 90*time.Second }},
		"no lifespan": {registerReq{QueueLifespan: ptr(0)}, func(a registration) bool { return a.idle == 10*time.Minute }},
		"types": {registerReq{EventTypes: &[]string{"b", "a", "b"}}, func(a registration) bool {
			return slices.Equal(a.spec.Types, []string{"a", "b"}) && slices.Equal(a.fetch, a.spec.Types)
		}},
		"no types": {registerReq{EventTypes: &[]string{}},
			func(a registration) bool { return a.spec.Types != nil && a.fetch != nil }},
	} {
		a, err := c.in.read(10*time.Minute, nil)
		if err != nil || !c.check(a) {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
	for name, c := range map[string]struct {
		in  registerReq
		msg string
	}{
		"subscribers": {registerReq{IncludeSubscribers: ptr("some")}, "include_subscribers is not valid"},
		"capability": {registerReq{Capabilities: raw(`{"bulk_message_deletion":1}`)},
			`client_capabilities["bulk_message_deletion"] is not a boolean`},
		"capabilities": {registerReq{Capabilities: raw(`[]`)}, "client_capabilities is not a dict"},
		"operator":     {registerReq{Narrow: raw(`[["near","1"]]`)}, "Operator near not supported."},
		"three":        {registerReq{Narrow: raw(`[["topic","1","2"]]`)}, ""},
		"negated": {registerReq{Narrow: raw(`[{"operator":"topic","operand":"x","negated":true}]`)},
			"Negated terms are not supported in the narrow of a queue."},
		"number": {registerReq{Narrow: raw(`[{"operator":"topic","operand":3}]`)},
			"Invalid narrow: operand is not a string"},
		"idle":                {registerReq{IdleQueueTimeout: ptr("soon")}, "idle_queue_timeout is not valid"},
		"negative":            {registerReq{IdleQueueTimeout: ptr("-1")}, "idle_queue_timeout is too small"},
		"history of presence": {registerReq{PresenceHistory: ptr(-1)}, "presence_history_limit_days is too small"},
		"types":               {registerReq{EventTypes: ptr(make([]string, 501))}, "event_types is too long (maximum 500)"},
	} {
		_, err := c.in.read(10*time.Minute, nil)
		if !errs.Is(err, errs.BadRequest) || c.msg != "" && err.Error() != c.msg {
			t.Errorf("%s: %v, want %s", name, err, c.msg)
		}
	}
}

func TestGuestsMayNotListenEverywhere(t *testing.T) {
	w := newFakeKernel(6)
	n := w.start(t, nil)
	_, err := n.register(t.Context(), kit.Actor{Realm: 1, User: 5}, registerReq{AllPublicStreams: ptr(true)})
	wantCode(t, err, errs.BadRequest, "", nil)
	if len(w.rows) != 0 {
		t.Error("a refused registration left a queue")
	}
}

func TestQueueRemembersWhatWasAsked(t *testing.T) {
	w := newFakeKernel(6)
	c := w.start(t, nil).client(t, 1, registerReq{
		ApplyMarkdown: ptr(true), ClientGravatar: ptr(false), SlimPresence: ptr(true), IncludeSubscribers: ptr("partial"),
		EventTypes:       &[]string{"message"},
		AllPublicStreams: ptr(true), Narrow: narrowTo("one"), IdleQueueTimeout: ptr("mobile"),
	})
	r := w.rows[c.queue]
	q, err := newQueue(&r, w.now)
	must(t, err)
	want := event.Client{ApplyMarkdown: true, SlimPresence: true, Subscribers: event.PartialSubscribers}
	if q.spec.Client != want || q.spec.ClientName != "test" || !q.spec.AllPublic || len(q.spec.Narrow) != 1 ||
		q.idle != mobileIdle || !q.accepts("message") || q.accepts("note") {
		t.Errorf("%+v", q)
	}
}
