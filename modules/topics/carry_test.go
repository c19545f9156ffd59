package topics_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// talk writes a topic of general in which people have a policy for different reasons, and returns its second message.
// alice follows the topic because she has started it, and adam because he follows whatever he writes in; mona does so,
// too, but had been following it before. The guest has unmuted it by writing in a muted channel. bob follows it by his
// own choice. olga has no policy.
func (k policyServer) talk(topic string) (second int64) {
	k.T.Helper()
	k.post("alice", "general", topic, "starts it")
	second = k.post("bot", "general", topic, "a bot").Int("id")
	set(k.Server, "bob", "general", topic, 3).OK()
	set(k.Server, "mona", "general", topic, 3).OK()
	for _, who := range []string{"alice", "bob", "mona", "guest", "olga", "adam"} {
		k.post(who, "general", topic, "takes part")
	}
	return second
}

func startTalks(t *testing.T, url string) policyServer {
	s := policyServer{start(t, url)}
	s.setting("mona", "automatically_follow_topics_policy", "2")
	s.setting("adam", "automatically_follow_topics_policy", "1")
	s.mute("guest", "general", true)
	return s
}

// Users whose messages are moved out of a topic that they follow, because they have written in it, follow both topics.
func TestPartOfTopicCarriesPolicies(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := startTalks(t, url)
		policyEvent := func(to, topic string, policy int) string {
			return fmt.Sprintf(`user_topic %s {"stream_id":%d,"topic_name":%q,"last_updated":%d,"visibility_policy":%d}`, to,
				s.ChannelID("general"), topic, s.Clock.Now().Unix(), policy)
		}
		expect := func(topic string, want map[string]int64) {
			t.Helper()
			for _, who := range []string{"alice", "bob", "mona", "guest", "olga", "adam", "bot"} {
				s.expectPolicy(who, topic, want[who])
			}
		}
		second := s.talk("Draft")
		s.move("adam", second, "topic", "Old", "propagate_mode", "change_all") // keeps the reasons of policies
		s.Skip()
		s.move("adam", second, "topic", "Part", "propagate_mode", "change_later")
		s.expectEvents(policyEvent("users:alice,adam,mona", "Part", 3), policyEvent("user:guest", "Part", 2))
		expect("old", map[string]int64{"alice": 3, "bob": 3, "mona": 3, "guest": 2, "adam": 3})
		expect("part", map[string]int64{"alice": 3, "mona": 3, "guest": 2, "adam": 3})

		// What is carried counts as acquired by writing, and is carried on. It replaces policies that are less visible.
		for who, policy := range map[string]int{"alice": 1, "bob": 1, "mona": 2, "guest": 3, "adam": 3, "olga": 1} {
			set(s.Server, who, "general", "third", policy).OK()
		}
		s.post("bot", "general", "Part", "stays")
		s.Skip()
		s.move("adam", second+1, "topic", "Third", "propagate_mode", "change_one") // alice's
		s.expectEvents(policyEvent("user:alice", "Third", 3))
		expect("third", map[string]int64{"alice": 3, "bob": 1, "mona": 2, "guest": 3, "adam": 3, "olga": 1})
		s.move("adam", second+2, "topic", "Third", "propagate_mode", "change_one") // bob's
		s.move("adam", second+3, "topic", "Third", "propagate_mode", "change_one") // mona's
		s.move("adam", second+4, "topic", "Third", "propagate_mode", "change_one") // the guest's
		s.expectEvents(policyEvent("user:mona", "Third", 3))
		expect("third", map[string]int64{"alice": 3, "bob": 1, "mona": 3, "guest": 3, "adam": 3, "olga": 1})
		expect("part", map[string]int64{"alice": 3, "mona": 3, "guest": 2, "adam": 3})

		// Who has turned the policy off, or muted the topic, takes nothing along. The guest follows the topic by choice, but
		// writing there would have unmuted it.
		s.move("adam", second, "topic", "Third", "propagate_mode", "change_one") // stays
		set(s.Server, "alice", "general", "third", 0).OK()
		set(s.Server, "mona", "general", "third", 1).OK()
		s.Skip()
		s.move("adam", second+1, "topic", "Fourth", "propagate_mode", "change_later")
		s.expectEvents(policyEvent("user:alice", "Fourth", 3), policyEvent("user:guest", "Fourth", 2))
		expect("fourth", map[string]int64{"alice": 3, "guest": 2}) // she has started it
	})
}

// Between channels, only users who can read the target take policies along.
func TestPartOfTopicCarriesPoliciesToAnotherChannel(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := startTalks(t, url)
		second := s.talk("Old")
		general, secret := s.ChannelID("general"), s.ChannelID("secret")
		s.Skip()
		s.move("olga", second, "stream_id", fmt.Sprint(secret), "propagate_mode", "change_later")
		s.expectEvents(fmt.Sprintf(
			`user_topic user:alice {"stream_id":%d,"topic_name":"Old","last_updated":%d,"visibility_policy":3}`, secret,
			s.Clock.Now().Unix()))
		s.expectPolicies("alice", fmt.Sprintf("%d:Old:3 %d:Old:3 ", general, secret))
		s.expectPolicies("mona", fmt.Sprintf("%d:Old:3 ", general))
		s.expectPolicies("guest", fmt.Sprintf("%d:Old:2 ", general))
	})
}

// Deactivated users find the policies when they return, and no event is sent.
func TestPartOfTopicCarriesPoliciesOfDeactivatedUsers(t *testing.T) {
	s := startTalks(t, "")
	second := s.talk("Old")
	s.deactivate("alice")
	s.Skip()
	s.move("adam", second+1, "topic", "Part", "propagate_mode", "change_one")
	s.expectEvents()
	s.reactivate("alice")
	s.expectPolicy("alice", "old", 3)
	s.expectPolicy("alice", "part", 3)
}
