package topics_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

func (k policyServer) move(as string, id int64, params ...string) {
	k.T.Helper()
	k.As(as).Do(fmt.Sprintf("PATCH /messages/%d", id), append(params, "send_notification_to_new_thread", "false")...).OK()
}

func TestPoliciesFollowAMove(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := policyServer{start(t, url)}
		general, now := s.ChannelID("general"), s.Clock.Now().Unix()
		policyEvent := func(to, topic string, policy int) string {
			return fmt.Sprintf(`user_topic %s {"stream_id":%d,"topic_name":%q,"last_updated":%d,"visibility_policy":%d}`, to,
				general, topic, now, policy)
		}
		// Into a topic without messages: the moved policies replace the ones set there.
		first := s.post("bot", "general", "Old", "x").Int("id")
		s.post("bot", "general", "Old", "y")
		set(s.Server, "bob", "general", "old", 3).OK()
		set(s.Server, "alice", "general", "OLD", 1).OK()
		set(s.Server, "olga", "general", "new", 1).OK()
		s.Skip()
		s.move("adam", first, "topic", "New", "propagate_mode", "change_all")
		s.expectEvents(policyEvent("users:alice,bob", "Old", 0), policyEvent("user:alice", "New", 1),
			policyEvent("user:bob", "New", 3), policyEvent("user:olga", "New", 0))
		for who, policy := range map[string]int64{"bob": 3, "alice": 1, "olga": 0} {
			s.expectPolicy(who, "old", 0)
			s.expectPolicy(who, "new", policy)
		}
		// Into a topic with messages: the more visible policy wins.
		second := s.post("bot", "general", "More", "x").Int("id")
		set(s.Server, "bob", "general", "more", 2).OK()
		set(s.Server, "alice", "general", "more", 2).OK()
		set(s.Server, "mona", "general", "new", 1).OK() // becomes visible, since she had not muted the other topic
		s.move("adam", second, "topic", "new", "propagate_mode", "change_all")
		for who, policy := range map[string]int64{"bob": 3, "alice": 2, "mona": 0} {
			s.expectPolicy(who, "more", 0)
			s.expectPolicy(who, "new", policy)
		}
		// A change of case only.
		set(s.Server, "guest", "general", "nEW", 1).OK()
		late := listen(s.Server, "guest")
		s.Skip()
		s.move("adam", first, "topic", "NEW", "propagate_mode", "change_all")
		s.Events("update_message subscribers:general", policyEvent("user:alice", "NEW", 2),
			policyEvent("user:bob", "NEW", 3), policyEvent("user:guest", "NEW", 1),
			fmt.Sprintf(`muted_topics user:guest {"user":%d}`, s.UserID("guest")))
		s.expectPolicy("bob", "NEW", 3)
		s.expectPolicies("bob", fmt.Sprintf("%d:NEW:3 ", general))
		late.poll(t, "another case")
		// Moving a part of a topic changes no policies.
		s.post("bot", "general", "new", "z")
		s.Skip()
		s.move("adam", first, "topic", "Part")
		s.expectEvents()
		s.expectPolicy("bob", "new", 3)
		s.expectPolicy("bob", "Part", 0)
	})
}

func TestPoliciesOfUsersWhoLoseAccess(t *testing.T) {
	s := policyServer{start(t, "")}
	id := s.post("bot", "general", "Old", "x").Int("id")
	for _, who := range []string{"alice", "bob"} {
		set(s.Server, who, "general", "Old", 3).OK()
	}
	s.Skip()
	s.move("olga", id, "stream_id", fmt.Sprint(s.ChannelID("secret")), "propagate_mode", "change_all")
	now := s.Clock.Now().Unix()
	s.expectEvents(fmt.Sprintf(`user_topic users:alice,bob {"stream_id":%d,"topic_name":"Old","last_updated":%d,`+
		`"visibility_policy":0}`, s.ChannelID("general"), now),
		fmt.Sprintf(`user_topic user:alice {"stream_id":%d,"topic_name":"Old","last_updated":%d,"visibility_policy":3}`,
			s.ChannelID("secret"), now))
	s.expectPolicy("alice", "Old", 3)
	s.expectPolicy("bob", "Old", 0)
}

// Users whose message begins a topic by being moved have started that topic. That they sent the message does not count
// a second time.
func TestMovedPartBeginsTopic(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := policyServer{start(t, url)}
		s.post("bot", "general", "Old", "x")
		one, two := s.post("bob", "general", "Old", "y").Int("id"), s.post("alice", "general", "Old", "z").Int("id")
		s.setting("alice", "automatically_follow_topics_policy", "2")
		s.Skip()
		s.move("adam", one, "topic", "Begun")
		s.expectPolicyEvent("bob", "Begun", 3)
		s.move("adam", two, "topic", "Begun")
		s.expectEvents()
		third := s.post("alice", "general", "Old", "z").Int("id")
		set(s.Server, "alice", "general", "Old", 0).OK()
		s.Skip()
		s.move("adam", third, "topic", "Other")
		s.expectEvents()
	})
}

func TestResolveNotices(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := policyServer{start(t, url)}
		s.setting("alice", "resolved_topic_notice_auto_read_policy", "never")
		s.setting("guest", "resolved_topic_notice_auto_read_policy", "always")
		id := s.post("bot", "general", "Done", "x").Int("id")
		for _, who := range []string{"bob", "guest", "olga"} {
			set(s.Server, who, "general", "done", 3).OK()
		}
		queues := map[string]*kittest.Queue{}
		for _, who := range []string{"alice", "bob", "guest", "olga", "bot"} {
			queues[who] = s.As(who).Register("event_types", `["message"]`)
		}
		s.As("olga").Do(fmt.Sprintf("PATCH /messages/%d", id), "topic", "✔ Done", "propagate_mode", "change_all").OK()
		for who, want := range map[string]string{"alice": `[]`, "bob": `[]`, "guest": `["read"]`, "olga": `["read"]`,
			"bot": `["read"]`} {
			notice := s.As(who).Do("GET /messages", "anchor", "newest", "num_before", "1", "narrow",
				`[["channel","general"],["topic","✔ Done"]]`).OK()
			if got := kittest.JSON(notice.Get("messages.0.flags")); got != want {
				t.Errorf("%s has %s, want %s", who, got, want)
			}
			events := queues[who].Take()
			if got := kittest.JSON(events.Get("events.0.flags")); got != want {
				t.Errorf("%s received %s, want %s", who, got, want)
			}
		}
		// Unfollowing the topic later does not change the notice, which can be marked as read.
		set(s.Server, "bob", "general", "✔ Done", 0).OK()
		unread := func() int64 {
			a := s.As("bob").Do("POST /register", "event_types", `["message","update_message_flags"]`, "fetch_event_types",
				`["message","update_message_flags"]`).OK()
			return a.Int("unread_msgs.count")
		}
		before := unread()
		notice := s.As("bob").Do("GET /messages", "anchor", "newest", "num_before", "1", "narrow",
			`[["channel","general"]]`).OK().Int("messages.0.id")
		s.As("bob").Do("POST /messages/flags", "messages", fmt.Sprintf("[%d]", notice), "op", "add", "flag", "read").OK()
		if got := unread(); got != before-1 {
			t.Errorf("%d unread, then %d", before, got)
		}
	})
}

func TestPolicyLimit(t *testing.T) {
	s := start(t, "")
	for _, topic := range []string{"one", "two"} {
		set(s, "bob", "general", topic, 1).OK()
	}
	for i := range 28 {
		set(s, "bob", "general", fmt.Sprint(i), 1).OK()
	}
	s.Skip()
	set(s, "bob", "general", "four", 1).Error(400, "BAD_REQUEST",
		"Too many topics have a visibility policy (limit: 30). Reset some first.")
	s.NoEvents()
	set(s, "alice", "general", "four", 1).OK()
	set(s, "bob", "general", "two", 3).OK() // another policy for the same topic
	set(s, "bob", "general", "one", 0).OK()
	set(s, "bob", "general", "four", 1).OK()
}

// Users who lose access to a message that begins a topic elsewhere are not notified of that topic.
func TestNoPolicyWhereItCantBeRead(t *testing.T) {
	s := policyServer{start(t, "")}
	s.setting("bob", "automatically_follow_topics_policy", "3")
	id := s.post("bob", "general", "Old", "x").Int("id")
	s.post("bob", "general", "Old", "y")
	s.Skip()
	s.move("olga", id, "stream_id", fmt.Sprint(s.ChannelID("secret")), "topic", "Plot")
	s.expectEvents()
	s.expectPolicy("bob", "Plot", 0)
}

// A move within protected history also moves the policies of users who have messages of the topic; others do not
// receive its new name.
func TestNoPolicyForHiddenHistory(t *testing.T) {
	s := policyServer{start(t, "")}
	s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"vault"}]`, "principals",
		fmt.Sprintf("[%d,%d]", s.UserID("olga"), s.UserID("alice")),
		"invite_only", "true", "history_public_to_subscribers", "false").OK()
	vault := s.As("olga").Do("GET /get_stream_id", "stream", "vault").OK().Int("stream_id")
	s.setting("olga", "automatically_follow_topics_policy", "4")
	id := s.post("olga", "vault", "Old", "x").Int("id")
	s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"vault"}]`, "principals",
		fmt.Sprintf("[%d]", s.UserID("bob"))).OK()
	for _, who := range []string{"alice", "bob"} {
		s.As(who).Do("POST /user_topics", "stream_id", fmt.Sprint(vault), "topic", "old", "visibility_policy", "1").OK()
	}
	s.Skip()
	s.move("olga", id, "topic", "Plot", "propagate_mode", "change_all")
	policyEvent := func(topic string, policy int) string {
		return fmt.Sprintf(`user_topic user:alice {"stream_id":%d,"topic_name":%q,"last_updated":%d,"visibility_policy":%d}`,
			vault, topic, s.Clock.Now().Unix(), policy)
	}
	s.expectEvents(policyEvent("Old", 0), policyEvent("Plot", 1))
	s.expectPolicy("bob", "Plot", 0)
}

// Deleting a whole topic removes the policies for it, except those of users who cannot read the channel: they are not
// notified.
func TestDeleteTopicResets(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		secret := fmt.Sprint(s.ChannelID("secret"))
		for _, topic := range []string{"plot", "other"} {
			set(s, "olga", "secret", topic, 3).OK()
			s.As("olga").Do("POST /messages", "type", "stream", "to", "secret", "topic", topic, "content", "x").OK()
		}
		set(s, "alice", "secret", "PLOT", 1).OK()
		s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"secret"}]`, "principals",
			kittest.JSON([]int64{int64(s.UserID("bob"))})).OK()
		set(s, "bob", "secret", "plot", 2).OK()
		s.As("bob").Do("DELETE /users/me/subscriptions", "subscriptions", `["secret"]`).OK()
		s.Skip()
		s.As("olga").Do("POST /streams/"+secret+"/delete_topic", "topic_name", "Plot").Is(200,
			`{"result":"success","msg":"","complete":true}`)
		s.EventsOf("user_topic", fmt.Sprintf(`user_topic users:alice,olga {"stream_id":%s,"topic_name":"*",`+
			`"last_updated":%d,"visibility_policy":0}`, secret, s.Clock.Now().Unix()))
		if got := policies(s, "olga"); strings.Contains(got, "plot") || !strings.Contains(got, "other") {
			t.Errorf("olga: %s", got)
		}
		if got := policies(s, "alice"); got != "[]" {
			t.Errorf("alice: %s", got)
		}
		if got := policies(s, "bob"); !strings.Contains(got, "plot") {
			t.Errorf("bob received %s", got)
		}
		// The same for a topic without messages.
		set(s, "alice", "secret", "plans", 1).OK()
		s.Skip()
		s.As("olga").Do("POST /streams/"+secret+"/delete_topic", "topic_name", "plans").OK()
		s.Events("user_topic user:alice", "muted_topics user:alice")
	})
}

// After a topic is deleted, users who were deactivated at the time have no policy for it when they return, and no event
// is sent.
func TestDeleteTopicOfDeactivatedUsers(t *testing.T) {
	s := start(t, "")
	for _, topic := range []string{"plot", "other"} {
		s.As("bob").Do("POST /messages", "type", "stream", "to", "general", "topic", topic, "content", "x").OK()
		set(s, "bob", "general", topic, 1).OK()
	}
	bob := fmt.Sprintf("/users/%d", s.UserID("bob"))
	s.As("olga").Do("DELETE " + bob).OK()
	s.Skip()
	s.As("olga").Do(fmt.Sprintf("POST /streams/%d/delete_topic", s.ChannelID("general")), "topic_name", "plot").OK()
	s.EventsOf("user_topic")
	s.EventsOf("muted_topics")
	s.As("olga").Do("POST " + bob + "/reactivate").OK()
	s.LogIn("bob")
	if got := policies(s, "bob"); strings.Contains(got, "plot") || !strings.Contains(got, "other") {
		t.Errorf("bob is reactivated: %s", got)
	}
}

// A topic is not deleted if the administrator cannot see all of its messages: it keeps its policies.
func TestDeleteTopicInPart(t *testing.T) {
	s := start(t, "")
	s.As("alice").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"closed"}]`, "invite_only", "true",
		"history_public_to_subscribers", "false").OK()
	s.As("alice").Do("POST /messages", "type", "stream", "to", "closed", "topic", "x", "content", "before").OK()
	id := s.As("alice").Do("GET /get_stream_id", "stream", "closed").OK().Int("stream_id")
	s.As("alice").Do("POST /user_topics", "stream_id", fmt.Sprint(id), "topic", "x", "visibility_policy", "3").OK()
	s.As("alice").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"closed"}]`, "principals",
		kittest.JSON([]int64{int64(s.UserID("olga"))})).OK()
	s.As("olga").Do(fmt.Sprintf("POST /streams/%d/delete_topic", id), "topic_name", "x").OK()
	if got := policies(s, "alice"); !strings.Contains(got, `"x"`) {
		t.Errorf("alice: %s", got)
	}
}
