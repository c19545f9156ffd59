package topics_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/topics"
)

func TestModule(t *testing.T) {
	kittest.Check(t, topics.Module, realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module)
}

func start(t *testing.T, url string, more ...kit.Module) *kittest.Server {
	t.Helper()
	return kittest.StartWith(t, kittest.Options{DatabaseURL: url, Config: "modules: {accounts: {password_memory_kib: 8, " +
		"password_passes: 1}, channels: {web_public_streams: true}, topics: {max_policies: 30}}"},
		append([]kit.Module{realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, events.Module,
			topics.Module}, more...)...)
}

func set(s *kittest.Server, as, channel, topic string, policy int) *kittest.Response {
	s.T.Helper()
	return s.As(as).Do("POST /user_topics", "stream_id", fmt.Sprint(s.ChannelID(channel)), "topic", topic,
		"visibility_policy", fmt.Sprint(policy))
}

const legacy, onlyTopic = "PATCH /users/me/subscriptions/muted_topics", `["user_topic"]`

func policies(s *kittest.Server, as string) string {
	s.T.Helper()
	a := s.As(as).Do("POST /register", "event_types", onlyTopic, "fetch_event_types", onlyTopic, "client_capabilities",
		`{"empty_topic_name":true}`).OK()
	return kittest.JSON(a.Get("user_topics"))
}

func TestSet(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		general, at, bob := s.ChannelID("general"), s.Clock.Now().Unix(), s.UserID("bob")
		s.Skip()
		mutes := fmt.Sprintf(`muted_topics user:bob {"user":%d}`, bob) // if the list has changed
		expectPolicyEvent := func(topic string, policy int, also ...string) {
			t.Helper()
			s.Events(append([]string{fmt.Sprintf(`user_topic user:bob {"stream_id":%d,"topic_name":%q,"last_updated":%d,`+
				`"visibility_policy":%d}`,
				general, topic, at, policy)}, also...)...)
		}
		has := func(topic string, policy int) string {
			return fmt.Sprintf(`[{"last_updated":%d,"stream_id":%d,"topic_name":%q,"visibility_policy":%d}]`, at, general, topic,
				policy)
		}
		set(s, "bob", "general", "Lunch", 0).OK()
		s.NoEvents()
		set(s, "bob", "general", "Lunch", 3).OK()
		expectPolicyEvent("Lunch", 3)
		set(s, "bob", "general", " LUNCH ", 3).OK() // the same topic
		s.NoEvents()
		set(s, "bob", "general", "lunch", 1).OK()
		expectPolicyEvent("lunch", 1, mutes)
		if got := policies(s, "bob"); got != has("lunch", 1) {
			t.Errorf("bob: %s", got)
		}
		if got := policies(s, "alice"); got != "[]" {
			t.Errorf("alice: %s", got)
		}
		set(s, "bob", "general", "lunch", 0).OK()
		expectPolicyEvent("lunch", 0, mutes)
		set(s, "bob", "general", "general chat", 2).OK()
		expectPolicyEvent("", 2)
		if got := policies(s, "bob"); got != has("", 2) {
			t.Errorf("bob: %s", got)
		}
		// The same for legacy clients.
		s.As("bob").Do(legacy, "stream", "general", "topic", "", "op", "add").OK()
		expectPolicyEvent("", 1, mutes)
		q := s.As("bob").Register("fetch_event_types", `["muted_topics"]`, "event_types", `["muted_topics"]`)
		if got, want := kittest.JSON(q.Start.Get("muted_topics")),
			fmt.Sprintf(`[["general","general chat",%d]]`, at); got != want {
			t.Errorf("muted_topics %s, want %s", got, want)
		}
		s.As("bob").Do(legacy, "stream_id", fmt.Sprint(general), "topic", "", "op", "remove").OK()
		expectPolicyEvent("", 0, mutes)
		s.As("bob").Do(legacy, "stream_id", fmt.Sprint(general), "topic", "", "op", "remove").OK()
		s.NoEvents()
		poll := q.Take()
		if got := kittest.JSON(poll.Get("events.0.muted_topics")); got != "[]" {
			t.Errorf("muted_topics event: %s", got)
		}
	})
}

func TestRefusals(t *testing.T) {
	s := start(t, "")
	general := fmt.Sprint(s.ChannelID("general"))
	set(s, "olga", "secret", "plan", 1).OK()
	s.Skip()
	set(s, "bob", "general", "x", 4).Error(400, "BAD_REQUEST", "Invalid visibility_policy")
	set(s, "bob", "general", "x", -1).Error(400, "BAD_REQUEST", "Invalid visibility_policy")
	set(s, "bob", "general", strings.Repeat("ä", 61), 1).Error(400, "BAD_REQUEST",
		"topic is too long (limit: 60 characters)")
	set(s, "bob", "general", strings.Repeat("ä", 61), 0).Error(400, "BAD_REQUEST",
		"topic is too long (limit: 60 characters)")
	for _, policy := range []string{"0", "1", "2", "3"} { // missing and invisible channels alike
		for _, id := range []string{"999999", "-1", fmt.Sprint(s.ChannelID("secret"))} {
			s.As("bob").Do("POST /user_topics", "stream_id", id, "topic", "plan", "visibility_policy", policy).Error(400,
				"BAD_REQUEST", "Invalid channel ID")
		}
	}
	for _, name := range []string{"secret", "nowhere"} {
		s.As("bob").Do(legacy, "stream", name, "topic", "plan", "op", "remove").Error(400, "BAD_REQUEST",
			"Invalid channel name '"+name+"'")
	}
	s.As("bob").Do(legacy, "topic", "x", "op", "add").Error(400, "BAD_REQUEST", "Please supply 'stream' or 'stream_id'.")
	s.As("bob").Do(legacy, "stream_id", general, "topic", "x", "op", "flip").Error(400, "BAD_REQUEST", "Invalid op")
	s.As("bob").Do(legacy, "stream_id", general, "stream", "general", "topic", "x", "op", "add").
		Is(400, `{"result":"error","code":"BAD_REQUEST","msg":"*","parameters":["stream_id","stream"]}`)
	s.NoEvents()
	if got := policies(s, "bob"); got != "[]" {
		t.Errorf("bob: %s", got)
	}
}

func TestLostAccess(t *testing.T) {
	s := start(t, "")
	set(s, "alice", "secret", "plan", 1).OK()
	s.As("olga").Do("DELETE /users/me/subscriptions", "subscriptions", `["secret"]`, "principals",
		kittest.JSON([]int64{int64(s.UserID("alice"))})).OK()
	a := s.As("alice").Do("POST /register", "fetch_event_types", `["muted_topics"]`, "event_types",
		`["muted_topics"]`).OK()
	if got := kittest.JSON(a.Get("muted_topics")); got != "[]" {
		t.Errorf("the name of a channel that alice may not see: %s", got)
	}
	s.Skip()
	set(s, "alice", "secret", "plan", 2).Error(400, "BAD_REQUEST", "Invalid channel ID")
	s.NoEvents()
	set(s, "alice", "secret", "plan", 0).OK()
	if got := policies(s, "alice"); got != "[]" {
		t.Errorf("alice: %s", got)
	}
}

func TestNarrows(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		post := func(topic string) int64 {
			return s.As("bot").Do("POST /messages", "type", "stream", "to", "general", "topic", topic, "content",
				"x").OK().Int("id")
		}
		followed, muted, other := post("Followed"), post("muted"), post("other")
		set(s, "bob", "general", "followed", 3).OK()
		set(s, "bob", "general", "MUTED", 1).OK()
		for narrow, want := range map[string][]int64{
			`[["is","followed"]]`: {followed}, `[["is","muted"]]`: {muted}, `[["in","home"]]`: {followed, other},
			`[{"operator":"is","operand":"followed","negated":true}]`: {muted, other},
		} {
			a := s.As("bob").Do("GET /messages", "anchor", "newest", "num_before", "50", "narrow", narrow).OK()
			var got []int64
			for i := range a.Get("messages").([]any) {
				got = append(got, a.Int(fmt.Sprintf("messages.%d.id", i)))
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: %v, want %v", narrow, got, want)
			}
			if a := s.As("alice").Do("GET /messages", "anchor", "newest", "num_before", "50", "narrow",
				`[["is","followed"]]`).OK(); a.Has("messages.0") {
				t.Error("alice follows no topics")
			}
		}
	})
}
