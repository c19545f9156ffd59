package message

import (
	"testing"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// The users: 1 owner, 2 and 3 members, 4 guest, 5 bot of 2, 6 deactivated, 7 bot without an owner.
const (
	owner1, anna, ben, gus, annasBot, gone, loneBot user.ID = 1, 2, 3, 4, 5, 6, 7
)

func view(set func(*realm.Settings), channels ...*channel.Channel) *directory.View {
	var b directory.Builder
	r := &realm.Realm{ID: 1, Settings: realm.Defaults()}
	if set != nil {
		set(&r.Settings)
	}
	b.Realm(r)
	for id, role := range map[user.ID]user.Role{owner1: user.Owner, anna: user.Member, ben: user.Member, gus: user.Guest,
		gone: user.Member} {
		b.User(&user.User{ID: id, DeliveryEmail: string(rune('a'+id)) + "@x.org", Role: role, Active: id != gone,
			Settings: user.Defaults()})
	}
	b.User(&user.User{ID: annasBot, DeliveryEmail: "bot@x.org", Role: user.Member, Active: true, BotType: user.GenericBot,
		BotOwner: anna})
	b.User(&user.User{ID: loneBot, DeliveryEmail: "lone@x.org", Role: user.Member, Active: true, BotType: user.GenericBot})
	b.Group(&group.Group{ID: 101, Name: "crew",
		Permissions: map[string]group.Setting{"can_mention_group": {Members: user.Set{anna}}}})
	for _, c := range channels {
		b.Channel(c)
	}
	b.Subscriptions(anna, 10)
	return b.View(1)
}

func TestCheckPost(t *testing.T) {
	const no, post = "Not authorized to send to channel 'den'", "You do not have permission to post in this channel."
	public := channel.Channel{ID: 10, Name: "den", HistoryPublic: true}
	private := public
	private.Private = true
	web := public
	web.WebPublic = true
	archived := public
	archived.Archived = true
	onlyOwners := public
	onlyOwners.Permissions = map[string]group.Setting{"can_send_message_group": group.Named(group.Owners)}
	onlyAnna := private
	onlyAnna.Permissions = map[string]group.Setting{"can_send_message_group": {Members: user.Set{anna}}}
	grantBen := private
	grantBen.Permissions = map[string]group.Setting{"can_subscribe_group": {Members: user.Set{ben, gus}}}
	for _, c := range []struct {
		name   string
		c      channel.Channel
		sender user.ID
		want   string
	}{
		{"public, subscriber", public, anna, ""},
		{"public, other", public, ben, ""},
		{"public, guest", public, gus, no},
		{"web-public, guest", web, gus, ""},
		{"private, subscriber", private, anna, ""},
		{"private, other", private, ben, no},
		{"private, owner of the realm", private, owner1, no},
		{"private, subscriber's bot", private, annasBot, ""},
		{"private, ownerless bot", private, loneBot, no},
		{"private, may subscribe", grantBen, ben, ""},
		{"private, guest may subscribe", grantBen, gus, no},
		{"archived, subscriber", archived, anna, no},
		{"posting for owners, owner", onlyOwners, owner1, ""},
		{"posting for owners, subscriber", onlyOwners, anna, post},
		{"posting for anna, her bot", onlyAnna, annasBot, ""},
		{"posting for anna, another bot", onlyAnna, loneBot, post},
	} {
		v := view(nil, &c.c)
		if got := text(CheckPost(v, v.User(c.sender), &c.c)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestCheckDirect(t *testing.T) {
	const (
		off       = "Direct messages are disabled in this organization."
		authorize = "This conversation does not include any users who can authorize it."
		initiate  = "You do not have permission to initiate direct message conversations."
		hidden    = "You do not have permission to access some of the recipients."
	)
	setting := func(name string, s group.Setting) func(*realm.Settings) {
		return func(r *realm.Settings) { r.Groups[name] = s }
	}
	nobody := setting("direct_message_permission_group", group.Named(group.Nobody))
	byOwners := setting("direct_message_permission_group", group.Named(group.Owners))
	begunByOwners := setting("direct_message_initiator_group", group.Named(group.Owners))
	for _, c := range []struct {
		name   string
		set    func(*realm.Settings)
		sender user.ID
		to     []user.ID
		begun  bool
		want   string
	}{
		{name: "plain", sender: anna, to: []user.ID{ben}},
		{name: "to oneself", sender: anna},
		{name: "to a deactivated user", sender: anna, to: []user.ID{gone}, want: "'g@x.org' is no longer using Stoa."},
		{name: "off", set: nobody, sender: anna, to: []user.ID{ben}, want: off},
		{name: "off, to oneself", set: nobody, sender: anna},
		{name: "off, to a bot", set: nobody, sender: anna, to: []user.ID{loneBot}},
		{name: "off, from a bot", set: nobody, sender: loneBot, to: []user.ID{anna}},
		{name: "owners authorize, none there", set: byOwners, sender: anna, to: []user.ID{ben}, want: authorize},
		{name: "owners authorize, one there", set: byOwners, sender: anna, to: []user.ID{ben, owner1}},
		{name: "owners begin, new", set: begunByOwners, sender: anna, to: []user.ID{ben}, want: initiate},
		{name: "owners begin, existing conversation", set: begunByOwners, sender: anna, to: []user.ID{ben}, begun: true},
		{name: "owners begin, owner", set: begunByOwners, sender: owner1, to: []user.ID{ben}},
		{name: "restricted guest", set: setting("can_access_all_users_group", group.Named(group.Members)), sender: gus,
			to: []user.ID{ben}, want: hidden},
	} {
		v := view(c.set)
		all := idset.Of(append(c.to, c.sender)...)
		got := text(CheckDirect(v, v.User(c.sender), all, func() (bool, error) { return c.begun, nil }))
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestCheckMentions(t *testing.T) {
	const (
		wide  = "You do not have permission to use channel wildcard mentions in this channel."
		topic = "You do not have permission to use topic wildcard mentions in this topic."
		crew  = "You are not allowed to mention user group 'crew'."
		role  = "You are not allowed to mention user group 'role:members'."
	)
	few := &channel.Channel{ID: 10, Name: "den", HistoryPublic: true}
	byOwners := func(r *realm.Settings) { r.Groups["can_mention_many_users_group"] = group.Named(group.Owners) }
	crowded := view(byOwners, few)
	var many []user.ID
	for id := user.ID(100); id < 116; id++ {
		crowded = crowded.Apply(2, directory.OfUser(nil,
			&user.User{ID: id, DeliveryEmail: "x", Role: user.Member, Active: true}))
		many = append(many, id)
	}
	crowded = crowded.Apply(3, directory.Change{Subs: &directory.Subs{Channel: 10, Add: idset.Of(many...)}})
	quiet := view(byOwners, few)
	for _, c := range []struct {
		name   string
		v      *directory.View
		sender user.ID
		c      *channel.Channel
		m      Mentions
		want   string
	}{
		{"few subscribers", quiet, ben, few, Mentions{Channel: true}, ""},
		{"many subscribers", crowded, ben, few, Mentions{Channel: true}, wide},
		{"many subscribers, permitted", crowded, owner1, few, Mentions{Channel: true}, ""},
		{"15 participants", quiet, ben, few, Mentions{Topic: true, Participants: 15}, ""},
		{"16 participants", quiet, ben, few, Mentions{Topic: true, Participants: 16}, topic},
		{"16 participants, permitted", quiet, owner1, few, Mentions{Topic: true, Participants: 16}, ""},
		{"no limit in direct messages", crowded, ben, nil, Mentions{Channel: true}, ""},
		{"group, permitted", quiet, anna, few, Mentions{Groups: []group.ID{101}}, ""},
		{"group, not permitted", quiet, ben, few, Mentions{Groups: []group.ID{101}}, crew},
		{"group, a bot has not its owner's right", quiet, annasBot, few, Mentions{Groups: []group.ID{101}}, crew},
		{"group in a direct message", quiet, ben, nil, Mentions{Groups: []group.ID{101}}, crew},
		{"system group", quiet, owner1, few, Mentions{Groups: []group.ID{group.Members}}, role},
		{"unknown group", quiet, ben, few, Mentions{Groups: []group.ID{999}}, ""},
	} {
		if got := text(CheckMentions(c.v, c.v.User(c.sender), c.c, c.m)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
