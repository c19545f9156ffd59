package topics_test

import (
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// TestPort checks that a module can set a user's policy for a topic that the user can read.
func TestPort(t *testing.T) {
	var port ports.TopicPolicies
	s := start(t, "", kit.Define("follows", "Follows topics.", kit.None{},
		func(_ kit.None, n struct {
			fx.In
			Policies ports.TopicPolicies
		}) (kit.Parts, error) {
			port = n.Policies
			return kit.Parts{}, nil
		}))
	bob := user.Actor{Realm: s.Realm, User: s.UserID("bob"), Role: user.Member}
	s.Skip()
	if err := port.Set(t.Context(), bob, s.ChannelID("general"), "x", topic.Followed); err != nil {
		t.Fatal(err)
	}
	s.Events(`user_topic user:bob {"stream_id":"*","topic_name":"x","last_updated":"*","visibility_policy":3}`)
	if err := port.Set(t.Context(), bob, s.ChannelID("secret"), "x", topic.Followed); err == nil {
		t.Error("bob follows a topic of a channel that he cannot read")
	}
	if err := port.Set(t.Context(), bob, s.ChannelID("general"), "x", 9); err == nil {
		t.Error("bob has a policy that does not exist")
	}
	s.NoEvents()
}
