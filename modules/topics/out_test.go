package topics_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// Users who can read neither the old nor the new place of a move receive no event and keep their policies, even after
// they are reactivated or resubscribe.
func TestNoPolicyWithoutAccess(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := policyServer{start(t, url)}
		secret := int64(s.ChannelID("secret"))
		den := s.createPrivate("den", true)
		s.setting("olga", "automatically_follow_topics_policy", "4")
		id := s.post("olga", "secret", "plan", "x").Int("id")
		s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"secret"}]`, "principals",
			fmt.Sprintf("[%d,%d]", s.UserID("bob"), s.UserID("mona"))).OK()
		out := []string{"alice", "bob"} // no longer subscribed; bob is also deactivated
		for _, who := range append(out, "mona") {
			s.setPolicy(who, secret, "plan", 1)
			s.setPolicy(who, secret, "taken", 3)
		}
		for _, who := range out {
			s.As(who).Do("DELETE /users/me/subscriptions", "subscriptions", `["secret"]`).OK()
		}
		s.deactivate("bob")
		queue := s.As("alice").Register()
		policyEvent := func(channel int64, topic string, policy int) string {
			return fmt.Sprintf(`user_topic user:mona {"stream_id":%d,"topic_name":%q,"last_updated":%d,"visibility_policy":%d}`,
				channel, topic, s.Clock.Now().Unix(), policy)
		}
		had := fmt.Sprintf("%[1]d:plan:1 %[1]d:taken:3 ", secret)
		for _, move := range []struct {
			params      []string
			tells       []string
			alice, mona string
		}{
			{[]string{"topic", "Plan"}, []string{policyEvent(secret, "Plan", 1)}, had,
				fmt.Sprintf("%[1]d:Plan:1 %[1]d:taken:3 ", secret)},
			{[]string{"topic", "plot"}, []string{policyEvent(secret, "Plan", 0), policyEvent(secret, "plot", 1)}, had,
				fmt.Sprintf("%[1]d:plot:1 %[1]d:taken:3 ", secret)},
			{[]string{"topic", "taken"}, []string{policyEvent(secret, "plot", 0), policyEvent(secret, "taken", 1)}, had,
				fmt.Sprintf("%d:taken:1 ", secret)},
			{[]string{"stream_id", fmt.Sprint(den)}, []string{policyEvent(secret, "taken", 0)}, had, ""},
		} {
			s.Skip()
			s.move("olga", id, append(move.params, "propagate_mode", "change_all")...)
			s.expectEvents(move.tells...)
			s.expectPolicies("alice", move.alice)
			s.expectPolicies("mona", move.mona)
		}
		queue.Is()
		s.reactivate("bob")
		s.expectPolicies("bob", had)
		// alice's policies are in effect again once she is subscribed.
		s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"secret"}]`, "principals",
			fmt.Sprintf("[%d]", s.UserID("alice"))).OK()
		s.expectPolicies("alice", had)
		s.setPolicy("alice", secret, "plan", 0)
		// Policies move to a place that the users can read.
		s.move("olga", id, "stream_id", fmt.Sprint(secret), "topic", "taken", "propagate_mode", "change_all")
		s.move("olga", id, "stream_id", fmt.Sprint(s.ChannelID("general")), "topic", "Open", "propagate_mode", "change_all")
		s.expectPolicies("bob", fmt.Sprintf("%d:Open:3 %d:plan:1 ", s.ChannelID("general"), secret))
	})
}

// Users who had left a channel before they were deactivated are not notified that one of its topics was deleted.
func TestDeleteTopicOfFormerSubscribers(t *testing.T) {
	s := policyServer{start(t, "")}
	secret := int64(s.ChannelID("secret"))
	s.post("olga", "secret", "plan", "x")
	s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"secret"}]`, "principals",
		fmt.Sprintf("[%d]", s.UserID("bob"))).OK()
	for _, who := range []string{"alice", "bob"} {
		s.setPolicy(who, secret, "plan", 1)
	}
	s.As("alice").Do("DELETE /users/me/subscriptions", "subscriptions", `["secret"]`).OK()
	s.deactivate("alice", "bob")
	s.As("olga").Do(fmt.Sprintf("POST /streams/%d/delete_topic", secret), "topic_name", "plan").OK()
	s.EventsOf("user_topic", "user_topic user:olga")
	s.reactivate("alice", "bob")
	s.expectPolicies("alice", fmt.Sprintf("%d:plan:1 ", secret))
	s.expectPolicies("bob", "")
}
