package invite_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/invite"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

var now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// Users, by ID.
const (
	owner, admin, mod, member, guest, gone, other, robot user.ID = 1, 2, 3, 4, 5, 6, 7, 8
)

// Channels and groups, by ID.
const (
	public, private, standard, archived, administered channel.ID = 1, 2, 3, 4, 5

	team, closed group.ID = 101, 102
)

// view returns a view of a realm with at least one user of each role.
func view(settings map[string]group.Setting, more ...directory.Change) *directory.View {
	set := realm.Defaults().Grouped(settings)
	changes := []directory.Change{directory.OfRealm(nil, &realm.Realm{ID: 1, Settings: set})}
	for id, role := range map[user.ID]user.Role{
		owner: user.Owner, admin: user.Admin, mod: user.Moderator, member: user.Member, guest: user.Guest, gone: user.Member,
		other: user.Member,
	} {
		changes = append(changes, directory.OfUser(nil,
			&user.User{ID: id, Role: role, Active: id != gone, Joined: now.Add(-72 * time.Hour)}))
	}
	changes = append(changes, directory.OfUser(nil,
		&user.User{ID: robot, Role: user.Owner, Active: true, BotType: user.GenericBot, BotOwner: owner}))
	for _, c := range []*channel.Channel{
		{ID: public, Name: "public"}, {ID: private, Name: "private", Private: true},
		{ID: standard, Name: "standard", Default: true},
		{ID: archived, Name: "archived", Archived: true},
		{ID: administered, Name: "administered",
			Permissions: map[string]group.Setting{"can_administer_channel_group": {Members: user.Set{other}}}},
	} {
		changes = append(changes, directory.OfChannel(nil, c))
	}
	for _, g := range []*group.Group{
		{ID: team, Name: "team", Permissions: map[string]group.Setting{"can_add_members_group": {Members: user.Set{member}}}},
		{ID: closed, Name: "closed", Deactivated: true},
	} {
		changes = append(changes, directory.OfGroup(nil, g))
	}
	return directory.Empty().Apply(1, append(changes, more...)...).AsOf(1, now)
}

func TestMay(t *testing.T) {
	everyRole := []user.Role{user.Owner, user.Admin, user.Moderator, user.Member, user.Guest}
	for name, c := range map[string]struct {
		who  user.ID
		kind invite.Kind
		set  map[string]group.Setting
		may  []user.Role
	}{
		"owner by mail":     {owner, invite.ByMail, nil, everyRole},
		"owner by link":     {owner, invite.ByLink, nil, everyRole},
		"admin by mail":     {admin, invite.ByMail, nil, everyRole[1:]},
		"admin by link":     {admin, invite.ByLink, nil, everyRole[1:]},
		"moderator by mail": {mod, invite.ByMail, nil, everyRole[2:]},
		"moderator by link": {mod, invite.ByLink, nil, nil},
		"moderator by link, if allowed": {mod, invite.ByLink,
			map[string]group.Setting{"create_multiuse_invite_group": group.Named(group.Moderators)}, everyRole[2:]},
		"member by mail": {member, invite.ByMail, nil, everyRole[3:]},
		"member by link": {member, invite.ByLink, nil, nil},
		"member by link, if allowed": {member, invite.ByLink,
			map[string]group.Setting{"create_multiuse_invite_group": {Members: user.Set{member}}}, everyRole[3:]},
		"member by mail, if not": {member, invite.ByMail,
			map[string]group.Setting{"can_invite_users_group": group.Named(group.Administrators)}, nil},
		"owner by mail, if not": {owner, invite.ByMail,
			map[string]group.Setting{"can_invite_users_group": group.Named(group.Nobody)}, nil},
		"guest by mail, though named": {guest, invite.ByMail,
			map[string]group.Setting{"can_invite_users_group": {Members: user.Set{guest}}}, nil},
		"guest by link, though named": {guest, invite.ByLink,
			map[string]group.Setting{"create_multiuse_invite_group": {Members: user.Set{guest}}}, nil},
		"deactivated user": {gone, invite.ByMail, nil, nil},
		"nobody":           {99, invite.ByMail, nil, nil},
		"a bot, by mail":   {robot, invite.ByMail, nil, everyRole},
		"a bot, by link":   {robot, invite.ByLink, nil, everyRole},
	} {
		for _, role := range []user.Role{0, 100, 200, 300, 400, 500, 600, -1} {
			err := invite.CheckCreate(view(c.set), c.who, c.kind, role)
			if ok := slices.Contains(c.may, role); ok != (err == nil) || !ok && !errs.Is(err, errs.BadRequest) {
				t.Errorf("%s as %d: %v", name, role, err)
			}
		}
	}
}

func TestOldEnough(t *testing.T) {
	v := view(nil)
	for age, want := range map[time.Duration]bool{72 * time.Hour: true, 72*time.Hour + 1: false, 0: true} {
		if got := invite.OldEnough(v, member, age); got != want {
			t.Errorf("after %v: %v", age, got)
		}
	}
	if !invite.OldEnough(v, admin, 1000*time.Hour) || invite.OldEnough(v, 99, 0) {
		t.Error("administrators need not wait, and a missing user may not invite")
	}
	for holder, want := range map[user.ID]bool{admin: true, member: true, other: false} {
		v := view(nil,
			directory.OfUser(nil, &user.User{ID: other, Role: user.Member, Active: true, Joined: now}),
			directory.OfUser(nil, &user.User{ID: robot, Role: user.Member, Active: true, Joined: now,
				BotType: user.GenericBot, BotOwner: holder}))
		if got := invite.OldEnough(v, robot, 72*time.Hour); got != want {
			t.Errorf("a new bot of %d: %v", holder, got)
		}
	}
}

func TestSeesAndMayRevoke(t *testing.T) {
	v := view(nil)
	for name, c := range map[string]struct {
		i           invite.Invite
		sees, takes []user.ID
	}{
		"a member's": {invite.Invite{Kind: invite.ByMail, Inviter: member,
			Terms: invite.Terms{Role: user.Member}}, []user.ID{owner, admin, member}, []user.ID{owner, admin, member}},
		"a guest's, from before": {invite.Invite{Kind: invite.ByMail, Inviter: guest,
			Terms: invite.Terms{Role: user.Member}}, []user.ID{owner, admin}, []user.ID{owner, admin}},
		"by a deactivated user": {invite.Invite{Kind: invite.ByLink, Inviter: gone, Terms: invite.Terms{Role: user.Member}},
			[]user.ID{owner, admin}, []user.ID{owner, admin}},
		"an owner, by mail": {invite.Invite{Kind: invite.ByMail, Inviter: owner, Terms: invite.Terms{Role: user.Owner}},
			[]user.ID{owner, admin}, []user.ID{owner}},
		"an owner, by link": {invite.Invite{Kind: invite.ByLink, Inviter: owner, Terms: invite.Terms{Role: user.Owner}},
			[]user.ID{owner}, []user.ID{owner}},
		"an administrator's link": {invite.Invite{Kind: invite.ByLink, Inviter: admin, Terms: invite.Terms{Role: user.Admin}},
			[]user.ID{owner, admin}, []user.ID{owner, admin}},
	} {
		for _, who := range []user.ID{owner, admin, mod, member, guest, gone, other, 99} {
			if got := invite.Sees(v, &c.i, who); got != slices.Contains(c.sees, who) {
				t.Errorf("%s: %d sees it: %v", name, who, got)
			}
			if err := invite.CheckRevoke(v, &c.i, who); (err == nil) != slices.Contains(c.takes, who) {
				t.Errorf("%s: %d: %v", name, who, err)
			}
		}
	}
}

func TestHolds(t *testing.T) {
	reader := func(c *channel.Channel, who user.ID) *channel.Channel {
		c.Permissions = map[string]group.Setting{"can_subscribe_group": {Members: user.Set{who}}}
		return c
	}
	shelved := []directory.Change{
		directory.OfChannel(nil, reader(&channel.Channel{ID: 11, Name: "shelved", Private: true, Archived: true}, admin)),
		directory.OfChannel(nil, reader(&channel.Channel{ID: 12, Name: "read", Private: true}, admin)),
		directory.OfGroup(nil, &group.Group{ID: 103, Name: "over", Deactivated: true,
			Permissions: map[string]group.Setting{"can_add_members_group": {Members: user.Set{admin}}}}),
	}
	everybody := []user.ID{owner, admin, mod, member, guest, gone, other, 99}
	for name, c := range map[string]struct {
		by    user.ID
		set   map[string]group.Setting
		terms invite.Terms
		want  []user.ID
	}{
		"of nothing": {member, nil, invite.Terms{Role: user.Member}, []user.ID{owner, admin, member}},
		"public": {member, nil,
			invite.Terms{Role: user.Member, Channels: []channel.ID{public, standard, administered, 99}},
			[]user.ID{owner, admin, member}},
		"private": {member, nil,
			invite.Terms{Role: user.Member, Channels: []channel.ID{public, private}}, []user.ID{member}},
		"private, and read": {member, nil, invite.Terms{Role: user.Member, Channels: []channel.ID{12}},
			[]user.ID{admin, member}},
		"archived": {member, nil, invite.Terms{Role: user.Member, Channels: []channel.ID{archived}},
			[]user.ID{owner, admin, member}},
		"archived and private": {member, nil, invite.Terms{Role: user.Member, Channels: []channel.ID{11}},
			[]user.ID{admin, member}},
		"a group": {member, nil, invite.Terms{Role: user.Member, Groups: []group.ID{team}},
			[]user.ID{owner, member}},
		"a deactivated group": {member, nil, invite.Terms{Role: user.Member, Groups: []group.ID{closed, 999}},
			[]user.ID{owner, member}},
		"another user's deactivated group": {member, nil, invite.Terms{Role: user.Member, Groups: []group.ID{103}},
			[]user.ID{owner, admin, member}},
		"administrators": {owner, nil, invite.Terms{Role: user.Admin}, []user.ID{owner, admin}},
		"owners":         {owner, nil, invite.Terms{Role: user.Owner}, []user.ID{owner}},
		"an administrator's group, by others": {admin, nil, invite.Terms{Role: user.Member, Groups: []group.ID{team}},
			[]user.ID{owner, admin}},
		"links restricted to a few": {member,
			map[string]group.Setting{"create_multiuse_invite_group": {Members: user.Set{member}}},
			invite.Terms{Role: user.Member}, []user.ID{member}},
		"defaults, by a user who cannot add subscribers": {member,
			map[string]group.Setting{"can_add_subscribers_group": group.Named(group.Nobody)},
			invite.Terms{Role: user.Member, Channels: []channel.ID{standard}, Defaults: true}, []user.ID{owner, admin, member}},
	} {
		i := invite.Invite{Kind: invite.ByLink, Inviter: c.by, Terms: c.terms}
		for _, who := range everybody {
			if got := invite.SeesLink(view(c.set, shelved...), &i, who); got != slices.Contains(c.want, who) {
				t.Errorf("%s: %d may get it: %v", name, who, got)
			}
		}
	}
}

func TestCheckChannels(t *testing.T) {
	none := map[string]group.Setting{"can_add_subscribers_group": group.Named(group.Nobody)}
	for name, c := range map[string]struct {
		who user.ID
		set map[string]group.Setting
		ids []channel.ID
		bad string
	}{
		"nothing":        {member, none, nil, ""},
		"visible to all": {member, nil, []channel.ID{public, standard, administered}, ""},
		"invisible": {member, nil, []channel.ID{public, private},
			"Invalid channel ID 2. No invites were sent."},
		"missing": {member, nil, []channel.ID{99}, "Invalid channel ID 99. No invites were sent."},
		"archived": {admin, nil, []channel.ID{archived},
			"Invalid channel ID 4. No invites were sent."},
		"metadata access only": {admin, nil, []channel.ID{private},
			"You do not have permission to subscribe other users to channels."},
		"without the right": {member, none, []channel.ID{public},
			"You do not have permission to subscribe other users to channels."},
		"without the right, a default": {member, none, []channel.ID{standard}, ""},
		"with the right for one":       {other, none, []channel.ID{administered}, ""},
		"with the right for one, and more": {other, none, []channel.ID{administered, public},
			"You do not have permission to subscribe other users to channels."},
		"for one, and a default": {other, none, []channel.ID{administered, standard}, ""},
		"an administrator":       {admin, none, []channel.ID{public, standard}, ""},
	} {
		err := invite.CheckChannels(view(c.set), c.who, c.ids)
		if got := text(err); got != c.bad {
			t.Errorf("%s: %q, want %q", name, got, c.bad)
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestCheckGroups(t *testing.T) {
	for name, c := range map[string]struct {
		who user.ID
		ids []group.ID
		bad string
	}{
		"nothing":              {member, nil, ""},
		"a member's":           {member, []group.ID{team}, ""},
		"another user's":       {other, []group.ID{team}, "Insufficient permission"},
		"a manager of all":     {owner, []group.ID{team}, ""},
		"missing":              {owner, []group.ID{team, 999}, "Invalid user group"},
		"deactivated":          {owner, []group.ID{closed}, "User group is deactivated."},
		"one that has a role":  {owner, []group.ID{group.Owners}, "Insufficient permission"},
		"one that all have":    {owner, []group.ID{group.Everyone}, "Insufficient permission"},
		"an impossible number": {owner, []group.ID{-1}, "Invalid user group"},
	} {
		if got := text(invite.CheckGroups(view(nil), c.who, c.ids)); got != c.bad {
			t.Errorf("%s: %q, want %q", name, got, c.bad)
		}
	}
}

func TestGranted(t *testing.T) {
	promised := invite.Terms{Channels: []channel.ID{administered, public, private, standard, archived, 99},
		Groups: []group.ID{closed, team, 999, group.Owners}}
	none := map[string]group.Setting{"can_add_subscribers_group": group.Named(group.Nobody)}
	for name, c := range map[string]struct {
		who      user.ID
		set      map[string]group.Setting
		terms    invite.Terms
		channels []channel.ID
		groups   []group.ID
	}{
		"unchanged":           {member, nil, promised, []channel.ID{public, standard, administered}, []group.ID{team}},
		"a right is lost":     {member, none, promised, []channel.ID{standard}, []group.ID{team}},
		"another user's":      {other, none, promised, []channel.ID{standard, administered}, nil},
		"inviter deactivated": {gone, nil, promised, []channel.ID{standard}, nil},
		"defaults":            {0, nil, invite.Terms{Defaults: true}, []channel.ID{standard}, nil},
		"nothing":             {member, nil, invite.Terms{}, nil, nil},
	} {
		cs, gs := invite.Granted(view(c.set), &invite.Invite{Inviter: c.who, Terms: c.terms})
		if !slices.Equal(cs, c.channels) || !slices.Equal(gs, c.groups) {
			t.Errorf("%s: %v, %v", name, cs, gs)
		}
	}
}
