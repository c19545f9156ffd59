package topics_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// deactivate deactivates users.
func (k policyServer) deactivate(who ...string) {
	k.T.Helper()
	for _, one := range who {
		k.As("olga").Do(fmt.Sprintf("DELETE /users/%d", k.UserID(one))).OK()
	}
	k.Skip()
}

func (k policyServer) reactivate(who ...string) {
	k.T.Helper()
	k.expectNoEvents("user_topic", "muted_topics")
	for _, one := range who {
		k.As("olga").Do(fmt.Sprintf("POST /users/%d/reactivate", k.UserID(one))).OK()
		k.LogIn(one)
	}
	k.expectNoEvents("user_topic")
}

func (k policyServer) expectNoEvents(types ...string) {
	k.T.Helper()
	for _, e := range k.Log() {
		if slices.Contains(types, e.Type) {
			k.T.Errorf("%s %s", e.Type, e.Payload)
		}
	}
}

// createPrivate lets olga create a private channel with subscribers and shared (open) or protected history.
func (k policyServer) createPrivate(name string, open bool, who ...string) (id int64) {
	k.T.Helper()
	ids := []int64{int64(k.UserID("olga"))}
	for _, one := range who {
		ids = append(ids, int64(k.UserID(one)))
	}
	k.As("olga").Do("POST /users/me/subscriptions", "subscriptions", fmt.Sprintf(`[{"name":%q}]`, name), "principals",
		kittest.JSON(ids),
		"invite_only", "true", "history_public_to_subscribers", fmt.Sprint(open)).OK()
	return k.As("olga").Do("GET /get_stream_id", "stream", name).OK().Int("stream_id")
}

func (k policyServer) setPolicy(who string, channel int64, topic string, policy int) {
	k.T.Helper()
	k.As(who).Do("POST /user_topics", "stream_id", fmt.Sprint(channel), "topic", topic, "visibility_policy",
		fmt.Sprint(policy)).OK()
}

// expectPolicies compares all of a user's policies with a list of channel:topic:policy.
func (k policyServer) expectPolicies(who, want string) {
	k.T.Helper()
	a := k.As(who).Do("POST /register", "event_types", onlyTopic, "fetch_event_types", onlyTopic).OK()
	got := ""
	for i := range a.Get("user_topics").([]any) {
		at := fmt.Sprintf("user_topics.%d.", i)
		got += fmt.Sprintf("%d:%s:%d ", a.Int(at+"stream_id"), a.String(at+"topic_name"), a.Int(at+"visibility_policy"))
	}
	if got != want {
		k.T.Errorf("%s has %q, want %q", who, got, want)
	}
}

// Policies move with a topic even while a user is deactivated: no event is sent, and the policy is in effect when the
// user returns.
func TestPoliciesOfDeactivatedUsersFollowAMove(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := policyServer{start(t, url)}
		general := int64(s.ChannelID("general"))
		old, more := s.post("bot", "general", "Old", "x").Int("id"), s.post("bot", "general", "More", "x").Int("id")
		s.post("bot", "general", "There", "x")
		done := s.post("bot", "general", "Done", "x").Int("id")
		for topic, policy := range map[string]int{"old": 3, "more": 1, "there": 2, "done": 3} {
			set(s.Server, "bob", "general", topic, policy).OK()
		}
		set(s.Server, "alice", "general", "old", 1).OK()
		set(s.Server, "alice", "general", "new", 3).OK()
		set(s.Server, "bob", "general", "nowhere", 1).OK()
		s.deactivate("alice", "bob")
		s.move("adam", old, "topic", "New", "propagate_mode", "change_all")
		s.move("adam", more, "topic", "There", "propagate_mode", "change_all")
		s.move("adam", done, "topic", "✔ Done", "propagate_mode", "change_all")
		s.reactivate("alice", "bob")
		s.expectPolicies("alice", fmt.Sprintf("%d:New:1 ", general))
		s.expectPolicies("bob", fmt.Sprintf("%[1]d:New:3 %[1]d:nowhere:1 %[1]d:there:2 %[1]d:✔ Done:3 ", general))
		// Into a topic for which only the deactivated user has a policy.
		set(s.Server, "bob", "general", "empty", 1).OK()
		s.deactivate("bob")
		s.move("adam", old, "topic", "Empty", "propagate_mode", "change_all")
		s.EventsOf("user_topic", "user_topic user:alice", "user_topic user:alice")
		s.reactivate("bob")
		s.expectPolicies("bob", fmt.Sprintf("%[1]d:Empty:3 %[1]d:nowhere:1 %[1]d:there:2 %[1]d:✔ Done:3 ", general))
		// A change of case only.
		s.deactivate("bob")
		s.move("adam", old, "topic", "EMPTY", "propagate_mode", "change_all")
		s.EventsOf("user_topic", "user_topic user:alice")
		s.reactivate("bob")
		s.expectPolicies("bob", fmt.Sprintf("%[1]d:EMPTY:3 %[1]d:nowhere:1 %[1]d:there:2 %[1]d:✔ Done:3 ", general))
	})
}

// Deactivated users get no policy for a topic that they will not be able to read when they return.
func TestPoliciesOfDeactivatedUsersWhoLoseAccess(t *testing.T) {
	s := policyServer{start(t, "")}
	general := int64(s.ChannelID("general"))
	den := s.createPrivate("den", true, "alice", "mona")
	s.As("mona").Do("DELETE /users/me/subscriptions", "subscriptions", `["den"]`).OK()
	away := []string{"alice", "bob", "guest", "mona"}
	id := s.post("bot", "general", "Old", "x").Int("id")
	for _, who := range away {
		set(s.Server, who, "general", "Old", 3).OK()
	}
	s.deactivate(away...)
	s.move("olga", id, "stream_id", fmt.Sprint(den), "propagate_mode", "change_all")
	s.reactivate(away...)
	s.expectPolicies("alice", fmt.Sprintf("%d:Old:3 ", den))
	for _, who := range away[1:] {
		s.expectPolicies(who, "")
	}
	// Back to a channel that everyone except guests can read.
	s.deactivate(away...)
	s.move("olga", id, "stream_id", fmt.Sprint(general), "topic", "Again", "propagate_mode", "change_all")
	s.reactivate(away...)
	s.expectPolicies("alice", fmt.Sprintf("%d:Again:3 ", general))
	for _, who := range away[1:] {
		s.expectPolicies(who, "")
	}
}

// In protected history, policies move for users who have messages of the topic and were subscribed. Other users do
// not receive its new name when they return, and no one is notified of messages moved there in the meantime.
func TestNoPolicyForHiddenHistoryWhileDeactivated(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := policyServer{start(t, url)}
		general := int64(s.ChannelID("general"))
		vault := s.createPrivate("vault", false, "alice", "mona")
		s.setting("olga", "automatically_follow_topics_policy", "4")
		id := s.post("olga", "vault", "Old", "x").Int("id")
		open := s.post("bot", "general", "Open", "x").Int("id")
		s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"vault"}]`, "principals",
			fmt.Sprintf("[%d,%d]", s.UserID("bob"), s.UserID("adam"))).OK()
		history := func(open string) {
			s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", vault), "is_private", "true", "history_public_to_subscribers",
				open).OK()
		}
		history("true")
		s.As("adam").Do("POST /messages/flags", "messages", fmt.Sprintf("[%d]", id), "op", "add", "flag", "starred").OK()
		history("false")
		away := []string{"alice", "adam", "bob", "mona"}
		for _, who := range away {
			s.setPolicy(who, vault, "Old", 1)
			s.setPolicy(who, general, "Open", 1)
		}
		s.As("mona").Do("DELETE /users/me/subscriptions", "subscriptions", `["vault"]`).OK()
		s.deactivate(away...)
		s.move("olga", id, "topic", "Plot", "propagate_mode", "change_all")
		s.move("olga", open, "stream_id", fmt.Sprint(vault), "topic", "Brought", "propagate_mode", "change_all")
		s.reactivate(away...)
		for _, who := range away[:2] {
			s.expectPolicies(who, fmt.Sprintf("%d:Plot:1 ", vault))
		}
		for _, who := range away[2:] {
			s.expectPolicies(who, fmt.Sprintf("%d:Old:1 ", vault))
		}
		// If everyone can read the topic, all users who had any of its messages keep their policy.
		s.deactivate(away...)
		s.move("olga", id, "stream_id", fmt.Sprint(general), "propagate_mode", "change_all")
		s.reactivate(away...)
		for _, who := range away[:2] {
			s.expectPolicies(who, fmt.Sprintf("%d:Plot:1 ", general))
		}
	})
}
