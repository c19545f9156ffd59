package message

import (
	"slices"
	"testing"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

func TestCalls(t *testing.T) {
	const ann, gwen, out, low, off, helper, system user.ID = 1, 2, 3, 4, 5, 6, 7
	const open, secret, protected, shared channel.ID = 10, 11, 12, 13
	var b directory.Builder
	b.Realm(&realm.Realm{ID: 1, Settings: realm.Defaults()})
	for _, u := range []user.User{
		{ID: ann, Role: user.Member, Active: true}, {ID: gwen, Role: user.Guest, Active: true},
		{ID: out, Role: user.Member, Active: true, BotType: user.OutgoingWebhook, BotOwner: ann},
		{ID: low, Role: user.Guest, Active: true, BotType: user.OutgoingWebhook},
		{ID: off, Role: user.Member, BotType: user.OutgoingWebhook},
		{ID: helper, Role: user.Member, Active: true, BotType: user.GenericBot},
		{ID: system, Role: user.Member, Active: true, System: true, BotType: user.GenericBot},
	} {
		b.User(&u)
	}
	b.Channel(&channel.Channel{ID: open, Name: "open", HistoryPublic: true})
	b.Channel(&channel.Channel{ID: secret, Name: "secret", Private: true, HistoryPublic: true})
	b.Channel(&channel.Channel{ID: protected, Name: "protected", Private: true})
	b.Channel(&channel.Channel{ID: shared, Name: "shared", Private: true})
	b.Subscriptions(out, protected)
	b.Subscriptions(ann, shared)
	v := b.View(1)
	everybody := idset.Of(ann, gwen, out, low, off, helper, system)
	direct := OfDirect(1)
	for _, c := range []struct {
		name      string
		from      user.ID
		to        Recipient
		mentioned user.Set
		want      []user.ID
	}{
		{"public: readers", ann, OfChannel(open), everybody, []user.ID{out}},
		{"public, no mention", ann, OfChannel(open), nil, nil},
		{"public, by a guest", gwen, OfChannel(open), user.Set{out}, []user.ID{out}},
		{"private, neither bot nor owner subscribed", ann, OfChannel(secret), everybody, nil},
		{"private, owner subscribed", ann, OfChannel(shared), everybody, []user.ID{out}},
		{"protected, subscribed", ann, OfChannel(protected), everybody, []user.ID{out}},
		{"by a bot", helper, OfChannel(open), everybody, nil},
		{"by a called bot", out, OfChannel(open), everybody, nil},
		{"by the server", system, OfChannel(open), everybody, nil},
		{"deleted channel", ann, OfChannel(99), user.Set{out}, nil},
		{"direct: all participants", ann, direct, nil, []user.ID{out, low}},
		{"direct, by a bot", helper, direct, nil, nil},
		{"direct, by a called bot", low, direct, nil, nil},
	} {
		got := Calls(v, &Message{Sender: c.from, Recipient: c.to}, everybody, c.mentioned)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
