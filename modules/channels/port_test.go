package channels_test

import (
	"context"
	"testing"

	"github.com/stoachat/stoa/domain/user"
)

// TestPort checks that a module can subscribe and unsubscribe users as someone who may do so.
func TestPort(t *testing.T) {
	s := start(t)
	as := func(name string) user.Actor {
		return user.Actor{Realm: s.Realm, User: s.UserID(name), Role: user.Member}
	}
	mona, bob := []user.ID{s.UserID("mona")}, []user.ID{s.UserID("bob")}
	general, secret, port := s.ChannelID("general"), s.ChannelID("secret"), s.Ports.Channels
	s.Skip()
	s.Do(func(ctx context.Context) error {
		if err := port.Subscribe(ctx, as("alice"), mona, general); err != nil {
			return err
		}
		return port.Unsubscribe(ctx, as("mona"), mona, general)
	})
	s.Events(`subscription/add user:mona`, `subscription/peer_add everyone-mona`,
		`subscription/remove user:mona`, `subscription/peer_remove everyone-mona`)
	for want, err := range map[string]error{
		"Invalid channel ID":      port.Subscribe(t.Context(), as("bob"), bob, secret),
		"Insufficient permission": port.Unsubscribe(t.Context(), as("bob"), []user.ID{s.UserID("alice")}, general),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("%v, not %s", err, want)
		}
	}
	if err := port.Subscribe(t.Context(), as("bob"), nil, general); err != nil {
		t.Error(err)
	}
	s.NoEvents()
}
