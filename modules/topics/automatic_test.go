package topics_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// policyServer is a server with helpers for testing policies.
type policyServer struct{ *kittest.Server }

func (k policyServer) post(as, channel, topic, content string) *kittest.Response {
	k.T.Helper()
	return k.As(as).Do("POST /messages", "type", "stream", "to", channel, "topic", topic, "content", content).OK()
}

// reportedPolicy returns the policy that the response to a sent message reports, or 0.
func (k policyServer) reportedPolicy(a *kittest.Response) int64 {
	if !a.Has("automatic_new_visibility_policy") {
		return 0
	}
	return a.Int("automatic_new_visibility_policy")
}

func (k policyServer) setting(as, name, value string) {
	k.T.Helper()
	k.As(as).Do("PATCH /settings", name, value).OK()
}

func (k policyServer) mute(as, channel string, on bool) {
	k.T.Helper()
	k.As(as).Do(fmt.Sprintf("PATCH /users/me/subscriptions/%d", k.ChannelID(channel)), "property", "is_muted", "value",
		fmt.Sprint(on)).OK()
}

// policy returns a user's policy for a topic of general.
func (k policyServer) policy(as, topic string) int64 {
	k.T.Helper()
	a := k.As(as).Do("POST /register", "event_types", onlyTopic, "fetch_event_types", onlyTopic, "client_capabilities",
		`{"empty_topic_name":true}`).OK()
	for i := range a.Get("user_topics").([]any) {
		at := fmt.Sprintf("user_topics.%d.", i)
		if strings.EqualFold(a.String(at+"topic_name"), topic) {
			return a.Int(at + "visibility_policy")
		}
	}
	return 0
}

func (k policyServer) expectPolicy(as, topic string, policy int64) {
	k.T.Helper()
	if got := k.policy(as, topic); got != policy {
		k.T.Errorf("%s has %d for %s, want %d", as, got, topic, policy)
	}
}

func (k policyServer) expectPolicyEvent(as, topic string, policy int) {
	k.T.Helper()
	k.expectEvents(fmt.Sprintf(
		`user_topic user:%s {"stream_id":%d,"topic_name":%q,"last_updated":%d,"visibility_policy":%d}`,
		as, k.ChannelID("general"), topic, k.Clock.Now().Unix(), policy))
}

func (k policyServer) expectEvents(want ...string) {
	k.T.Helper()
	k.EventsOf("user_topic", want...)
}

func TestAutomaticOnSend(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := policyServer{start(t, url)}
		for _, c := range []struct {
			name           string
			follow, unmute int
			muted          bool
			had            int // set before
			begun          bool
			want           int64 // in the response
		}{
			{"starting a topic follows it", 3, 2, false, 0, false, 3},
			{"writing there later does not", 3, 2, false, 0, true, 0},
			{"but unmutes it in a muted channel", 3, 2, true, 0, true, 2},
			{"to follow is more than to unmute", 3, 2, true, 0, false, 3},
			{"followed on sending", 2, 4, false, 0, true, 3},
			{"and a muted topic too", 2, 4, false, 1, true, 3},
			{"followed on taking part", 1, 4, false, 0, true, 3},
			{"never", 4, 4, true, 0, false, 0},
			{"followed stays", 4, 1, true, 3, true, 0},
			{"a policy that is set is no start", 3, 4, false, 1, false, 0},
			{"unmuted on starting", 4, 3, true, 0, false, 2},
			{"unmuted on starting only", 4, 3, true, 0, true, 0},
			{"a muted topic of a muted channel", 4, 2, true, 1, true, 2},
			{"a muted topic of another channel", 4, 2, false, 1, true, 0},
		} {
			t.Run(c.name, func(t *testing.T) {
				s := policyServer{s.In(t)}
				s.setting("bob", "automatically_follow_topics_policy", fmt.Sprint(c.follow))
				s.setting("bob", "automatically_unmute_topics_in_muted_streams_policy", fmt.Sprint(c.unmute))
				s.mute("bob", "general", c.muted)
				if c.begun {
					s.post("bot", "general", c.name, "first")
				}
				if c.had > 0 {
					set(s.Server, "bob", "general", c.name, c.had).OK()
				}
				s.Skip()
				if got := s.reportedPolicy(s.post("bob", "general", strings.ToUpper(c.name), "hello")); got != c.want {
					t.Errorf("the answer has %d, want %d", got, c.want)
				}
				if c.want == 0 {
					s.expectEvents()
				} else {
					s.expectPolicyEvent("bob", strings.ToUpper(c.name), int(c.want))
				}
				s.expectPolicy("bob", c.name, max(c.want, int64(c.had)*b2i(c.want == 0)))
				s.expectPolicy("alice", c.name, 0)
				if got := s.reportedPolicy(s.post("bob", "general", c.name, "again")); got != 0 {
					t.Errorf("again: %d", got)
				}
			})
		}
	})
}

func b2i(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func TestAutomaticBounds(t *testing.T) {
	s := policyServer{start(t, "")}
	for _, as := range []string{"bot"} { // only users have policies
		s.Skip()
		if got := s.reportedPolicy(s.post(as, "general", "of a bot", "x")); got != 0 {
			t.Errorf("%s: %d", as, got)
		}
		s.expectEvents()
	}
	a := s.As("bob").Do("POST /messages", "type", "direct", "to", fmt.Sprintf("[%d]", s.UserID("alice")), "content",
		"x").OK()
	if s.reportedPolicy(a) != 0 {
		t.Error("a direct message has no topic")
	}
	// A repeated send does not report a policy, since it changes nothing.
	first := s.As("bob").Do("POST /messages", "type", "stream", "to", "general", "topic", "once", "content", "x",
		"queue_id", "q", "local_id", "1").OK()
	again := s.As("bob").Do("POST /messages", "type", "stream", "to", "general", "topic", "once", "content", "x",
		"queue_id", "q", "local_id", "1").OK()
	if s.reportedPolicy(first) != 3 || s.reportedPolicy(again) != 0 || first.Int("id") != again.Int("id") {
		t.Errorf("%v then %v", s.reportedPolicy(first), s.reportedPolicy(again))
	}
	// In protected history, a topic begins with the first message that the sender can read.
	s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"closed"}]`, "invite_only", "true",
		"history_public_to_subscribers", "false").OK()
	s.post("olga", "closed", "old", "before")
	s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"closed"}]`, "principals",
		kittest.JSON([]int64{int64(s.UserID("bob"))})).OK()
	if got := s.reportedPolicy(s.post("bob", "closed", "old", "mine")); got != 3 {
		t.Errorf("a message that bob cannot read began the topic: %d", got)
	}
	s.post("olga", "closed", "new", "after")
	if got := s.reportedPolicy(s.post("bob", "closed", "new", "mine")); got != 0 {
		t.Errorf("bob can read the first message: %d", got)
	}
	// A topic whose messages have all been deleted can be started again.
	s.setting("bob", "automatically_follow_topics_policy", "4")
	id := s.post("bob", "general", "gone", "x").Int("id")
	s.post("alice", "general", "gone", "x")
	s.setting("bob", "automatically_follow_topics_policy", "3")
	if got := s.reportedPolicy(s.post("bob", "general", "gone", "x")); got != 0 {
		t.Errorf("%d", got)
	}
	s.As("olga").Do(fmt.Sprintf("POST /streams/%d/delete_topic", s.ChannelID("general")), "topic_name", "gone").OK()
	if got := s.reportedPolicy(s.post("bob", "general", "gone", "x")); got != 3 || id == 0 {
		t.Errorf("after the topic was deleted: %d", got)
	}
}

func TestMentionFollows(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := policyServer{start(t, url)}
		s.setting("alice", "automatically_follow_topics_policy", "4")
		s.setting("guest", "automatically_follow_topics_where_mentioned", "false")
		group := s.As("olga").Do("POST /user_groups/create", "name", "team", "description", "", "members",
			kittest.JSON([]int64{int64(s.UserID("bob")), int64(s.UserID("olga"))})).OK()
		_ = group
		set(s.Server, "olga", "general", "muted", 1).OK()
		for _, c := range []struct {
			topic, text string
			want        map[string]int64
		}{
			{"plain", "@**Bob**", map[string]int64{"bob": 3, "olga": 0, "alice": 0}},
			{"silent", "@_**Bob**", map[string]int64{"bob": 0}},
			{"wildcard", "@**topic** @**all**", map[string]int64{"bob": 0, "olga": 0}},
			{"group", "@*team*", map[string]int64{"bob": 3, "olga": 3}},
			{"muted", "@**Olga** @**Bob**", map[string]int64{"bob": 3, "olga": 1}},
			{"off", "@**Gus Guest**", map[string]int64{"guest": 0}},
			{"absent", "@**Mona**", map[string]int64{"mona": 0}}, // not a subscriber
			{"a bot", "@**Helper Bot**", map[string]int64{"bot": 0}},
			{"oneself", "@**Alice**", map[string]int64{"alice": 3}},
		} {
			s.Skip()
			a := s.post("alice", "general", c.topic, c.text)
			if got := s.reportedPolicy(a); got != 0 && c.topic != "oneself" {
				t.Errorf("%s: alice's answer has %d", c.topic, got)
			}
			for who, policy := range c.want {
				s.expectPolicy(who, c.topic, policy)
			}
		}
		s.Skip()
		s.post("alice", "general", "both", "@**Bob** @*team*")
		s.expectEvents(fmt.Sprintf(`user_topic users:bob,olga {"stream_id":%d,"topic_name":"both","last_updated":%d,`+
			`"visibility_policy":3}`,
			s.ChannelID("general"), s.Clock.Now().Unix()))
		s.Skip()
		s.post("alice", "general", "both", "@**Bob**")
		s.expectEvents()
	})
}

func TestReactionChangesPolicy(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := policyServer{start(t, url)}
		react := func(id int64) {
			t.Helper()
			s.As("bob").Do(fmt.Sprintf("POST /messages/%d/reactions", id), "emoji_name", "tada").OK()
		}
		one := s.post("bot", "general", "One", "x").Int("id")
		s.Skip()
		react(one)
		s.expectEvents()
		s.setting("bob", "automatically_follow_topics_policy", "1")
		two := s.post("bot", "general", "Two", "x").Int("id")
		s.Skip()
		react(two)
		s.expectPolicyEvent("bob", "Two", 3)
		s.setting("bob", "automatically_follow_topics_policy", "4")
		s.setting("bob", "automatically_unmute_topics_in_muted_streams_policy", "1")
		three := s.post("bot", "general", "Three", "x").Int("id")
		react(three)
		s.expectPolicy("bob", "Three", 0)
		s.mute("bob", "general", true)
		four := s.post("bot", "general", "Four", "x").Int("id")
		s.Skip()
		react(four)
		s.expectPolicyEvent("bob", "Four", 2)
		// Reactions of bots and direct messages set no policy.
		direct := s.As("bob").Do("POST /messages", "type", "direct", "to", fmt.Sprintf("[%d]", s.UserID("alice")), "content",
			"x").OK().Int("id")
		s.Skip()
		react(direct)
		s.As("bot").Do(fmt.Sprintf("POST /messages/%d/reactions", four), "emoji_name", "tada").OK()
		s.expectEvents()
	})
}

// If several messages of one user begin a topic concurrently, one response reports the policy, and there is one event.
func TestConcurrentFirstMessages(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := policyServer{start(t, url)}
		s.Skip()
		const n = 12
		got := make([]int64, n)
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() {
				a := s.As("bob").Do("POST /messages", "type", "stream", "to", "general", "topic", "rush", "content", fmt.Sprint(i))
				got[i] = s.reportedPolicy(a)
			})
		}
		wg.Wait()
		sum := int64(0)
		for _, g := range got {
			sum += g
		}
		if sum != 3 {
			t.Errorf("answers: %v", got)
		}
		s.expectPolicyEvent("bob", "rush", 3)
	})
}

// When policies of several users change together, each event uses the receiver's own name for the topic.
func TestOtherCaseConcurrently(t *testing.T) {
	var policies ports.AutomaticPolicies
	s := policyServer{start(t, "", kit.Define("sends", "Sends messages.", kit.None{},
		func(_ kit.None, n struct {
			fx.In
			Policies ports.AutomaticPolicies
		}) (kit.Parts, error) {
			policies = n.Policies
			return kit.Parts{}, nil
		}))}
	at := message.OfChannel(s.ChannelID("general"))
	sent, changing := &message.Sent{Realm: s.Realm}, map[message.ID]bool{}
	for i, name := range []string{"Plan", "PLAN"} {
		id := message.ID(s.post("bot", "general", "other", "x").Int("id"))
		sent.Messages = append(sent.Messages, message.Message{
			ID: id, Realm: s.Realm, Sender: s.UserID([]string{"alice", "bob"}[i]), Recipient: at, Topic: name, TopicKey: "plan",
		})
		changing[id] = true
	}
	for _, who := range []string{"alice", "bob"} {
		s.setting(who, "automatically_follow_topics_policy", "2")
	}
	s.Skip()
	s.Do(func(ctx context.Context) error {
		_, err := policies.Apply(ctx, sent, changing)
		return err
	})
	s.expectPolicies("alice", fmt.Sprintf("%d:Plan:3 ", s.ChannelID("general")))
	s.expectPolicies("bob", fmt.Sprintf("%d:PLAN:3 ", s.ChannelID("general")))
	policyEvent := func(who, name string) string {
		return fmt.Sprintf(`user_topic user:%s {"stream_id":%d,"topic_name":%q,"last_updated":%d,"visibility_policy":3}`, who,
			s.ChannelID("general"), name, s.Clock.Now().Unix())
	}
	s.expectEvents(policyEvent("alice", "Plan"), policyEvent("bob", "PLAN"))
}
