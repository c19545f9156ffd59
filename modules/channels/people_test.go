package channels_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/kit"
)

func TestJoined(t *testing.T) {
	s := start(t)
	general := int64(s.ChannelID("general"))
	s.As("adam").Do("POST /default_streams", "stream_id", fmt.Sprint(general)).OK()
	s.Skip()
	join := func(u user.User) error {
		return s.Run(&user.Joined{Realm: s.Realm, By: s.Actor("olga"), User: &u})
	}
	for _, u := range []user.User{
		{ID: 51, Role: user.Guest, Active: true},
		{ID: 52, Role: user.Member, Active: true, BotType: user.GenericBot},
		{ID: 53, Role: user.Member, Active: true, System: true},
	} {
		if err := join(u); err != nil {
			t.Fatal(err)
		}
	}
	invited := &user.User{ID: 55, Role: user.Member, Active: true}
	if err := s.Run(&user.Joined{Realm: s.Realm, By: s.Actor("olga"), User: invited,
		NoDefaultChannels: true}); err != nil {
		t.Fatal(err)
	}
	s.NoEvents()
	if err := join(user.User{ID: 54, Role: user.Member, Active: true}); err != nil {
		t.Fatal(err)
	}
	s.Events(fmt.Sprintf(`subscription/peer_add everyone-54 {"stream_ids":[%d],"user_ids":[54]}`, general))
	if got := subscribers(s, general); !strings.HasSuffix(got, " 54]") {
		t.Errorf("subscribers of the default channel: %s", got)
	}
}

func TestDeactivateAndBack(t *testing.T) {
	s := start(t)
	general, secret := int64(s.ChannelID("general")), int64(s.ChannelID("secret"))
	alice := s.UserID("alice")
	s.As("alice").Do(fmt.Sprintf("PATCH /users/me/subscriptions/%d", secret), "property", "color", "value", "#abcabc").OK()
	s.Skip()
	if err := s.Run(&user.Deactivated{Realm: s.Realm, By: s.Actor("olga"), User: alice}); err != nil {
		t.Fatal(err)
	}
	s.Events(
		fmt.Sprintf(`subscription/peer_remove knowing:secret-alice {"stream_ids":[%d],"user_ids":[%d]}`, secret, alice),
		fmt.Sprintf(`subscription/peer_remove everyone-alice {"stream_ids":[%d],"user_ids":[%d]}`, general, alice),
	)
	if got := subscribers(s, secret); got != "["+id(s, "olga")+"]" {
		t.Errorf("subscribers of secret: %s", got)
	}
	if err := s.Run(&user.Reactivated{Realm: s.Realm, By: s.Actor("olga"), User: alice}); err != nil {
		t.Fatal(err)
	}
	s.Events(
		fmt.Sprintf(`subscription/peer_add knowing:secret-alice {"stream_ids":[%d],"user_ids":[%d]}`, secret, alice),
		fmt.Sprintf(`subscription/peer_add everyone-alice {"stream_ids":[%d],"user_ids":[%d]}`, general, alice),
	)
	if got := s.As("alice").Do("GET /users/me/subscriptions").OK().Body; !strings.Contains(got, "#abcabc") {
		t.Errorf("alice's settings were lost: %s", got)
	}
}

// hookRecorder records the module's hook events.
type hookRecorder struct {
	all    []string
	refuse bool
}

func (m *hookRecorder) module() kit.Module {
	note := func(format string, args ...any) error {
		m.all = append(m.all, fmt.Sprintf(format, args...))
		if m.refuse {
			return errors.New("refused")
		}
		return nil
	}
	return kit.Define("listener", "Listens to moments.", kit.None{}, func(kit.None, struct{ fx.In }) (kit.Parts, error) {
		return kit.Parts{Hooks: []kit.Hook{
			kit.On(func(_ context.Context, c *channel.Subscribed) error { return note("subscribed %v", c.Users) }),
			kit.On(func(_ context.Context, c *channel.Unsubscribed) error { return note("unsubscribed %v", c.Users) }),
			kit.On(func(_ context.Context, c *channel.Created) error {
				return note("created %s %v", c.Channels[0].Name, c.Announce)
			}),
			kit.On(func(_ context.Context, c *channel.Added) error { return note("added %d", len(c.To)) }),
			kit.On(func(_ context.Context, c *channel.Changing) error { return note("changing %s", c.New.Name) }),
			kit.On(func(_ context.Context, c *channel.Changed) error { return note("changed %s", c.New.Name) }),
		}}, nil
	})
}

func TestHookEvents(t *testing.T) {
	m := &hookRecorder{}
	// The log is discarded because a hook fails below.
	s := kittest.StartWith(t, kittest.Options{Log: slog.New(slog.DiscardHandler)}, channels.Module, m.module())
	for _, c := range []struct {
		call   string
		params []string
		want   []string
	}{
		{"POST /users/me/subscriptions", []string{"subscriptions", `[{"name":"Rome"}]`, "announce", "true", "principals",
			list(s, "bob", "mona")},
			[]string{"subscribed " + strings.ReplaceAll(list(s, "bob", "mona"), ",", " "), "created Rome true"}},
		{"POST /users/me/subscriptions", []string{"subscriptions", `[{"name":"Rome"}]`, "principals",
			list(s, "bob", "adam", "bot")},
			[]string{"subscribed " + strings.ReplaceAll(list(s, "adam", "bot"), ",", " "), "added 1"}},
		{"POST /users/me/subscriptions", []string{"subscriptions", `[{"name":"Rome"}]`, "principals", list(s, "guest"),
			"send_new_subscription_messages", "false"},
			[]string{"subscribed [" + id(s, "guest") + "]"}},
		{"POST /users/me/subscriptions", []string{"subscriptions", `[{"name":"Rome"}]`},
			[]string{"subscribed [" + id(s, "olga") + "]"}},
		{"DELETE /users/me/subscriptions", []string{"subscriptions", `["Rome"]`},
			[]string{"unsubscribed [" + id(s, "olga") + "]"}},
		{fmt.Sprintf("PATCH /streams/%d", s.ChannelID("general")), []string{"new_name", "agora"},
			[]string{"changing agora", "changed agora"}},
	} {
		m.all = nil
		s.As("olga").Do(c.call, c.params...).OK()
		if fmt.Sprint(m.all) != fmt.Sprint(c.want) {
			t.Errorf("%s %v runs %q, want %q", c.call, c.params, m.all, c.want)
		}
	}
	m.refuse = true
	s.Skip()
	s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"Gaul"}]`)
	s.NoEvents()
	m.refuse = false
	for _, c := range streams(s, "olga") {
		if c["name"] == "Gaul" {
			t.Error("the channel exists although a hook refused it")
		}
	}
}

func TestOldestMessageIsKept(t *testing.T) {
	s := start(t)
	if err := s.Run(&channel.FirstMessagePosted{Realm: s.Realm, Channel: s.ChannelID("general"), First: 42}); err != nil {
		t.Fatal(err)
	}
	s.Restart()
	if got := s.As("bob").Do(fmt.Sprintf("GET /streams/%d",
		s.ChannelID("general"))).OK().Int("stream.first_message_id"); got != 42 {
		t.Errorf("first_message_id is %d, want 42", got)
	}
}

func TestOldestMessageMoves(t *testing.T) {
	s := start(t)
	id := s.ChannelID("general")
	for _, first := range []int64{7, 7, 0} { // the second change has no effect
		if err := s.Run(&channel.FirstMoved{Realm: s.Realm, Channel: id, First: first}); err != nil {
			t.Fatal(err)
		}
	}
	s.Events(
		fmt.Sprintf(`stream/update knowing:general {"stream_id":%d,"name":"general","property":"first_message_id","value":7}`,
			id),
		fmt.Sprintf(`stream/update knowing:general {"stream_id":%d,"name":"general","property":"first_message_id",`+
			`"value":null}`, id),
	)
	if s.As("bob").Do(fmt.Sprintf("GET /streams/%d", id)).OK().Get("stream.first_message_id") != nil {
		t.Error("the channel still has an oldest message")
	}
}

// TestConcurrentCreation checks that of many concurrent requests to create a channel, one creates it and the others
// subscribe to it.
func TestConcurrentCreation(t *testing.T) {
	s := start(t)
	people := []string{"alice", "bob", "olga", "adam", "mona", "bot"}
	var all sync.WaitGroup
	answers := make([]*kittest.Response, 2*len(people))
	for i := range answers {
		all.Go(func() {
			name := fmt.Sprintf(`[{"name":"%s"}]`, []string{"Delphi", "DELPHI"}[i%2])
			answers[i] = s.As(people[i/2]).Do("POST /users/me/subscriptions", "subscriptions", name)
		})
	}
	all.Wait()
	made := 0
	for _, a := range answers {
		a.OK()
	}
	for _, c := range streams(s, "olga") {
		if strings.EqualFold(fmt.Sprint(c["name"]), "delphi") {
			made++
			if got := number(c["subscriber_count"]); got != int64(len(people)) {
				t.Errorf("the channel has %d subscribers, want %d", got, len(people))
			}
		}
	}
	if made != 1 {
		t.Errorf("%d channels with one name were created", made)
	}
}

func TestRaceToCreate(t *testing.T) {
	s := start(t)
	people := []string{"alice", "bob", "olga", "adam", "mona"}
	answers := make([]*kittest.Response, len(people))
	var all sync.WaitGroup
	for i, who := range people {
		all.Go(func() { answers[i] = s.As(who).Do("POST /channels/create", "name", "Delphi", "subscribers", "[]") })
	}
	all.Wait()
	won := 0
	for _, a := range answers {
		if a.Status == http.StatusOK {
			won++
		} else {
			a.Error(409, "CHANNEL_ALREADY_EXISTS", "")
		}
	}
	if won != 1 {
		t.Errorf("%d requests created the channel", won)
	}
}
