package channels_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
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

// TestPortCreate checks that a module can create a channel with the settings that a request can give it.
func TestPortCreate(t *testing.T) {
	s := start(t)
	actor := func(name string) user.Actor {
		return user.Actor{Realm: s.Realm, User: s.UserID(name), Role: user.Member}
	}
	alice, port := actor("alice"), s.Ports.Channels
	board := ports.NewChannel{
		Name: "board", Description: "Of *directors*", Private: true, HistoryPublic: true,
		TopicsPolicy: channel.TopicsDisable,
		Permissions: map[string]group.Setting{
			"can_send_message_group":    group.Named(group.Moderators),
			"can_add_subscribers_group": {Members: user.Set{alice.User}},
		},
	}
	id, err := port.Create(t.Context(), alice, board, []user.ID{alice.User})
	if err != nil {
		t.Fatal(err)
	}
	got := s.As("alice").Do(fmt.Sprintf("GET /streams/%d", id)).OK()
	if got.Int("stream.can_send_message_group") != int64(group.Moderators) ||
		got.Get("stream.invite_only") != true || got.Get("stream.history_public_to_subscribers") != true ||
		got.String("stream.topics_policy") != channel.TopicsDisable ||
		kittest.JSON(got.Get("stream.can_add_subscribers_group")) !=
			fmt.Sprintf(`{"direct_members":[%d],"direct_subgroups":[]}`, alice.User) {
		t.Error(kittest.JSON(got.Get("stream")))
	}
	s.Skip()
	for want, c := range map[string]ports.NewChannel{
		"Invalid setting: can_bake_group": {Name: "x", Permissions: map[string]group.Setting{"can_bake_group": {}}},
		"Invalid user group ID: 99": {Name: "x", Permissions: map[string]group.Setting{
			"can_send_message_group": group.Named(99)}},
		"Invalid topics_policy": {Name: "x", TopicsPolicy: "x"},
	} {
		if _, err := port.Create(t.Context(), alice, c, nil); err == nil || err.Error() != want {
			t.Errorf("%v, not %s", err, want)
		}
	}
	if _, err := port.Create(t.Context(), actor("guest"), ports.NewChannel{Name: "x"}, nil); err == nil {
		t.Error("a guest has created a channel")
	}
	s.NoEvents()
}
