package permission_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// The users of these tests.
const (
	olga user.ID = iota + 1
	adam
	mona
	alice
	bob // joined yesterday
	guest
	gone // deactivated
	bot  // owned by alice
	notices
	lone // a guest who shares no channel with alice
)

// The custom groups.
const (
	inner group.ID = iota + group.FirstCustom // alice
	outer                                     // inner, and guest
	ended                                     // deactivated: bob
	ringA                                     // holds ringB, which holds ringA
	ringB
	kept   // only administrators can change its members
	joined // any member may join
	around // holds both
)

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func view(change ...func(*realm.Realm)) *directory.View {
	r := &realm.Realm{ID: 1, MailDomain: "stoa.invalid", Settings: realm.Defaults()}
	for _, f := range change {
		f(r)
	}
	var b directory.Builder
	b.Realm(r)
	for _, u := range []user.User{
		{ID: olga, Role: user.Owner}, {ID: adam, Role: user.Admin}, {ID: mona, Role: user.Moderator},
		{ID: alice, Role: user.Member},
		{ID: bob, Role: user.Member, Joined: now.Add(-24 * time.Hour)}, {ID: guest, Role: user.Guest},
		{ID: gone, Role: user.Member},
		{ID: bot, Role: user.Member, BotType: user.GenericBot, BotOwner: alice},
		{ID: notices, Role: user.Member, BotType: user.GenericBot, System: true}, {ID: lone, Role: user.Guest},
	} {
		u.Active = u.ID != gone
		u.Settings = user.Defaults()
		u.DeliveryEmail = string(rune('a'+u.ID)) + "@example.com"
		b.User(&u)
	}
	b.Group(&group.Group{ID: inner, Name: "inner", Members: user.Set{alice}})
	b.Group(&group.Group{ID: outer, Name: "outer", Members: user.Set{guest}, Subgroups: group.Set{inner}})
	b.Group(&group.Group{ID: ended, Name: "ended", Members: user.Set{bob, gone}, Deactivated: true})
	b.Group(&group.Group{ID: kept, Name: "kept", Members: user.Set{alice}, Permissions: map[string]group.Setting{
		"can_manage_group": group.Named(group.Owners), "can_add_members_group": {Members: user.Set{adam}},
		"can_join_group":           group.Named(group.Nobody),
		"can_remove_members_group": group.Named(group.Administrators), "can_leave_group": group.Named(group.Everyone),
	}})
	b.Group(&group.Group{ID: joined, Name: "joined",
		Permissions: map[string]group.Setting{"can_join_group": group.Named(group.Members)}})
	b.Group(&group.Group{ID: around, Name: "around", Subgroups: group.Set{kept, joined}})
	b.Group(&group.Group{ID: ringA, Name: "ring a", Members: user.Set{mona}, Subgroups: group.Set{ringB}})
	b.Group(&group.Group{ID: ringB, Name: "ring b", Members: user.Set{adam}, Subgroups: group.Set{ringA}})
	b.Channel(&channel.Channel{ID: 1, Name: "general"})
	b.Subscriptions(alice, 1)
	b.Subscriptions(guest, 1)
	return b.View(1).AsOf(1, now)
}

// Anonymous values can name a limited number of users and groups, in every scope.
func TestSettingSize(t *testing.T) {
	var many []directory.Change
	all := group.Setting{}
	for i := range user.ID(group.MaxNamed) {
		u := user.User{ID: 1000 + i, Role: user.Member, Active: true, DeliveryEmail: fmt.Sprint("many", i)}
		many, all.Members = append(many, directory.OfUser(nil, &u)), append(all.Members, u.ID)
	}
	v := view().Apply(2, many...)
	more := group.Setting{Members: all.Members, Subgroups: group.Set{inner}}
	for scope, name := range map[group.Scope]string{group.OfRealm: "can_invite_users_group",
		group.OfStream: "can_subscribe_group", group.OfGroup: "can_join_group"} {
		if err := permission.CheckSetting(v, scope, name, all); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := permission.CheckSetting(v, scope, name, more); !errs.Is(err, errs.BadRequest) {
			t.Errorf("%s: %v", name, err)
		}
		if err := permission.CheckUpdate(v, scope, name, all, group.Update{New: more}); !errs.Is(err, errs.BadRequest) {
			t.Errorf("%s: %v", name, err)
		}
		// A value that predates the limit.
		if err := permission.CheckUpdate(v, scope, name, more, group.Update{New: more}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCheckSetting(t *testing.T) {
	v := view()
	named, anyone := group.Named, func(us ...user.ID) group.Setting { return group.Setting{Members: idset.Of(us...)} }
	with := func(gs ...group.ID) group.Setting {
		return group.Setting{Members: user.Set{alice}, Subgroups: idset.Of(gs...)}
	}
	for _, c := range []struct {
		scope group.Scope
		name  string
		value group.Setting
		want  errs.Code // "": accepted
	}{
		{group.OfRealm, "can_invite_users_group", named(group.Nobody), ""},
		{group.OfRealm, "can_invite_users_group", named(group.Everyone), errs.BadRequest},
		{group.OfRealm, "can_invite_users_group", named(group.Internet), errs.BadRequest},
		{group.OfRealm, "can_invite_users_group", named(outer), ""},
		{group.OfRealm, "can_invite_users_group", named(ended), errs.BadRequest},
		{group.OfRealm, "can_invite_users_group", named(999), errs.BadRequest},
		{group.OfRealm, "can_invite_users_group", named(50), errs.BadRequest},
		{group.OfRealm, "can_invite_users_group", anyone(alice, guest), ""},
		{group.OfRealm, "can_invite_users_group", anyone(gone), errs.BadRequest},
		{group.OfRealm, "can_invite_users_group", anyone(999), errs.BadRequest},
		{group.OfRealm, "can_invite_users_group", anyone(notices), errs.BadRequest},
		{group.OfRealm, "can_invite_users_group", with(inner, group.Moderators), ""},
		{group.OfRealm, "can_invite_users_group", with(group.Everyone), errs.BadRequest},
		{group.OfRealm, "can_invite_users_group", with(ended), errs.BadRequest},
		{group.OfRealm, "can_manage_all_groups", named(group.Nobody), errs.BadRequest},
		{group.OfRealm, "can_manage_all_groups", group.Setting{}, errs.BadRequest}, // means role:nobody
		{group.OfRealm, "can_delete_own_message_group", named(group.Everyone), ""},
		{group.OfRealm, "can_access_all_users_group", named(group.Members), ""},
		{group.OfRealm, "can_access_all_users_group", named(group.Owners), errs.BadRequest},
		{group.OfRealm, "can_access_all_users_group", named(inner), errs.SystemGroupRequired},
		{group.OfRealm, "can_access_all_users_group", anyone(alice), errs.SystemGroupRequired},
		{group.OfRealm, "can_create_web_public_channel_group", named(group.Nobody), ""},
		{group.OfRealm, "can_create_web_public_channel_group", named(group.Members), errs.BadRequest},
		{group.OfRealm, "no_such_setting", named(group.Members), errs.BadRequest},
		{group.OfRealm, "workplace_users_group", named(group.FullMembers), ""},
		{group.OfRealm, "workplace_users_group", named(kept), ""},
		{group.OfRealm, "workplace_users_group", with(kept), ""},
		{group.OfRealm, "workplace_users_group", named(joined), errs.BadRequest},
		{group.OfRealm, "workplace_users_group", named(around), errs.BadRequest},
		{group.OfRealm, "workplace_users_group", with(around), errs.BadRequest},
		{group.OfGroup, "can_mention_group", named(group.Everyone), ""},
		{group.OfGroup, "can_mention_group", named(group.Owners), errs.BadRequest},
		{group.OfGroup, "can_manage_group", named(group.Owners), ""},
		{group.OfGroup, "can_manage_group", named(group.Everyone), errs.BadRequest},
		{group.OfStream, "can_send_message_group", named(group.Everyone), ""},
		{group.OfStream, "can_subscribe_group", named(group.Everyone), errs.BadRequest},
	} {
		err := permission.CheckSetting(v, c.scope, c.name, c.value)
		if c.want == "" && err != nil || c.want != "" && !errs.Is(err, c.want) {
			t.Errorf("%s %s = %+v: %v, want %q", c.scope, c.name, c.value, err, c.want)
		}
	}
}

// If users who are not administrators manage all groups, no custom group counts as reserved to administrators.
func TestGuardedByManagersOfAll(t *testing.T) {
	for who, want := range map[group.ID]errs.Code{group.Owners: "", group.Administrators: "",
		group.Moderators: errs.BadRequest} {
		v := view(func(r *realm.Realm) { r.Settings.Groups["can_manage_all_groups"] = group.Named(who) })
		const kept = group.FirstCustom + 50
		v = v.Apply(v.Seq()+1, directory.OfGroup(nil, &group.Group{ID: kept, Name: "kept"}))
		err := permission.CheckSetting(v, group.OfRealm, "workplace_users_group", group.Named(kept))
		if want == "" && err != nil || want != "" && !errs.Is(err, want) {
			t.Errorf("%d manages all groups: %v, want %q", who, err, want)
		}
		if err := permission.CheckSetting(v, group.OfRealm, "workplace_users_group",
			group.Named(group.FullMembers)); err != nil {
			t.Errorf("%d manages all: %v", who, err)
		}
	}
}

func TestCheckUpdate(t *testing.T) {
	v, was := view(), group.Named(group.Members)
	stale, same := group.Named(group.Owners), group.Setting{Subgroups: group.Set{group.Members}}
	for _, c := range []struct {
		up   group.Update
		want errs.Code
	}{
		{group.Update{New: group.Named(group.Moderators)}, ""},
		{group.Update{New: group.Named(group.Moderators), Old: &same}, ""},
		{group.Update{New: group.Named(group.Moderators), Old: &stale}, errs.Expectation},
		{group.Update{New: group.Named(group.Everyone)}, errs.BadRequest},
	} {
		err := permission.CheckUpdate(v, group.OfRealm, "can_invite_users_group", was, c.up)
		if c.want == "" && err != nil || c.want != "" && !errs.Is(err, c.want) {
			t.Errorf("%+v: %v, want %q", c.up, err, c.want)
		}
	}
	// Clients do not see deactivated users.
	both, seen := group.Setting{Members: idset.Of(alice, gone)}, group.Setting{Members: user.Set{alice}}
	for _, old := range []group.Setting{both, seen} {
		if err := permission.CheckUpdate(v, group.OfRealm, "can_invite_users_group", both,
			group.Update{New: was, Old: &old}); err != nil {
			t.Errorf("old as %+v: %v", old, err)
		}
	}
}

func TestAllowed(t *testing.T) {
	v := view(func(r *realm.Realm) { r.Settings.WaitingPeriodThreshold = 3 })
	for _, c := range []struct {
		name  string // only can_delete_own_message_group admits guests
		value group.Setting
		who   []user.ID
	}{
		{"can_invite_users_group", group.Named(group.Nobody), nil},
		{"can_invite_users_group", group.Named(group.Owners), []user.ID{olga}},
		{"can_invite_users_group", group.Named(group.Moderators), []user.ID{olga, adam, mona}},
		{"can_invite_users_group", group.Named(group.FullMembers), []user.ID{olga, adam, mona, alice, bot, notices}},
		{"can_invite_users_group", group.Named(group.Members), []user.ID{olga, adam, mona, alice, bob, bot, notices}},
		{"can_invite_users_group", group.Named(outer), []user.ID{alice}}, // guests never pass
		{"can_delete_own_message_group", group.Named(outer), []user.ID{alice, guest}},
		{"can_delete_own_message_group", group.Named(ended), []user.ID{bob}}, // gone is not active
		{"can_delete_own_message_group", group.Named(ringA), []user.ID{mona, adam}},
		{"can_delete_own_message_group", group.Named(group.Everyone),
			[]user.ID{olga, adam, mona, alice, bob, guest, bot, notices, lone}},
		{"can_invite_users_group", group.Setting{Members: idset.Of(guest, gone, bob), Subgroups: group.Set{inner}},
			[]user.ID{alice, bob}},
	} {
		want := idset.Of(c.who...)
		for id := olga; id <= lone; id++ {
			if got := permission.Allowed(v, group.OfRealm, c.name, c.value, id); got != want.Has(id) {
				t.Errorf("%s = %+v: user %d allowed %v", c.name, c.value, id, got)
			}
		}
	}
	if permission.Allowed(v, group.OfRealm, "can_invite_users_group", group.Named(group.Everyone), 999) {
		t.Error("a missing user is allowed")
	}
}

// In and Members agree.
func TestInAgreesWithMembers(t *testing.T) {
	v := view(func(r *realm.Realm) { r.Settings.WaitingPeriodThreshold = 3 })
	values := []group.Setting{{}, {Members: user.Set{alice, gone}, Subgroups: group.Set{ringB, group.Moderators}},
		group.Named(999), {Subgroups: group.Set{7, 50}}}
	for g := range v.Groups() {
		values = append(values, group.Named(g.ID))
	}
	for _, s := range values {
		members := permission.Members(v, s)
		for id := olga; id <= lone; id++ {
			if id != notices && permission.In(v, s, id) != members.Has(id) {
				t.Errorf("%+v: user %d in %v, member %v", s, id, permission.In(v, s, id), members.Has(id))
			}
		}
		if members.Has(notices) {
			t.Errorf("%+v lists a system bot", s)
		}
	}
}

func TestSubgroups(t *testing.T) {
	v := view()
	for id, want := range map[group.ID]group.Set{
		outer: {inner}, ringA: {ringB}, inner: nil, 999: nil, group.Moderators: {group.Owners, group.Administrators},
	} {
		if got := permission.Subgroups(v, id); len(got) != len(want) || len(got.Minus(want)) != 0 {
			t.Errorf("%d: %v, want %v", id, got, want)
		}
	}
}

func TestShown(t *testing.T) {
	v := view()
	if got := permission.Shown(v, group.Setting{Members: user.Set{alice,
		gone}}); !got.Equal(group.Setting{Members: user.Set{alice}}) {
		t.Errorf("a deactivated user is shown: %+v", got)
	}
	if got := permission.Shown(v, group.Setting{Members: user.Set{gone}}); got.Group != group.Nobody {
		t.Errorf("no users are left, but it is %+v", got)
	}
}
