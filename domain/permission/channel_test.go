package permission_test

import (
	"testing"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
)

// TestChannels checks metadata and content access. alice and guest are subscribed to all channels.
func TestChannels(t *testing.T) {
	all := []user.ID{olga, adam, mona, alice, bob, guest, bot, notices, lone}
	members := []user.ID{olga, adam, mona, alice, bob, guest, bot, notices} // all but the unsubscribed guest
	to := func(us ...user.ID) group.Setting { return group.Setting{Members: idset.Of(us...)} }
	for name, c := range map[string]struct {
		channel      channel.Channel
		know, read   []user.ID
		readsHistory bool
	}{
		"public":     {channel.Channel{HistoryPublic: true}, members, members, true},
		"web-public": {channel.Channel{WebPublic: true, HistoryPublic: true}, all, all, true},
		"private": {channel.Channel{Private: true, HistoryPublic: true}, []user.ID{olga, adam, alice, guest},
			[]user.ID{alice, guest}, true},
		"protected": {channel.Channel{Private: true}, []user.ID{olga, adam, alice, guest}, []user.ID{alice, guest}, false},
		"administered": {
			channel.Channel{Private: true, Permissions: map[string]group.Setting{"can_administer_channel_group": to(bob, lone,
				gone)}},
			[]user.ID{olga, adam, alice, bob, guest}, []user.ID{alice, guest}, false,
		},
		"open to be joined": {
			channel.Channel{Private: true, HistoryPublic: true, Permissions: map[string]group.Setting{
				"can_subscribe_group": to(bob, lone), "can_add_subscribers_group": group.Named(group.Moderators),
			}},
			[]user.ID{olga, adam, mona, alice, bob, guest}, []user.ID{olga, adam, mona, alice, bob, guest}, true,
		},
	} {
		ch := c.channel
		ch.ID, ch.Name = 7, name
		v := view().Apply(2, directory.OfChannel(nil, &ch),
			directory.Change{Subs: &directory.Subs{Channel: 7, Add: user.Set{alice, guest}}})
		know, read, knowing := idset.Of(c.know...), idset.Of(c.read...), permission.SeeingChannel(v, &ch)
		for id := olga; id <= lone; id++ {
			u := v.User(id)
			if got := permission.SeesChannel(v, &ch, u); got != know.Has(id) || knowing.Has(id) != got {
				t.Errorf("%s: user %d has metadata access %v, is among those with it %v", name, id, got, knowing.Has(id))
			}
			if got := permission.Reads(v, &ch, u); got != read.Has(id) {
				t.Errorf("%s: user %d reads %v", name, id, got)
			}
			administers := id == olga || id == adam || id == bob && name == "administered"
			if got := permission.Administers(v, &ch, u); got != administers {
				t.Errorf("%s: user %d administers it %v", name, id, got)
			}
			if got := permission.ReadsAll(v, &ch, u); got != (read.Has(id) && c.readsHistory) {
				t.Errorf("%s: user %d has content access %v", name, id, got)
			}
		}
	}
	v := view()
	if permission.Administers(v, nil, v.User(olga)) || permission.SeesChannel(v, nil, v.User(olga)) ||
		permission.Reads(v, v.Channel(1), nil) ||
		permission.SeeingChannel(v, nil) != nil {
		t.Error("a missing channel or user has access")
	}
}
