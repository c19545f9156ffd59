package permission_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// rooms adds channels whose visibility depends on groups.
func rooms(v *directory.View) *directory.View {
	for i, s := range []group.Setting{
		group.Named(inner), group.Named(outer), {Members: user.Set{mona}, Subgroups: group.Set{inner}},
		group.Named(group.FullMembers),
		group.Named(ringA), {Members: user.Set{guest, lone}},
	} {
		c := channel.Channel{ID: channel.ID(10 + i), Private: true,
			Permissions: map[string]group.Setting{"can_subscribe_group": s}}
		v = v.Apply(v.Seq()+1, directory.OfChannel(nil, &c))
	}
	open := channel.Channel{ID: 20, HistoryPublic: true,
		Permissions: map[string]group.Setting{"can_subscribe_group": group.Named(inner)}}
	return v.Apply(v.Seq()+1, directory.OfChannel(nil, &open))
}

func format(all []permission.VisibilityChange) string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = fmt.Sprint(s.Channel.ID, "+", s.Gained, "-", s.Lost)
	}
	return strings.Join(out, " ")
}

func TestVisibilityChanges(t *testing.T) {
	v := rooms(view(func(r *realm.Realm) { r.Settings.WaitingPeriodThreshold = 2 }))
	ranked := func(id user.ID, role user.Role) []directory.Change {
		now := *v.User(id)
		now.Role = role
		return []directory.Change{directory.OfUser(v.User(id), &now)}
	}
	within := func(g group.ID, subs ...group.ID) []directory.Change {
		now := *v.Group(g)
		now.Subgroups = idset.Of(subs...)
		return []directory.Change{directory.OfGroup(v.Group(g), &now)}
	}
	waiting := func(days int) []directory.Change {
		now := *v.Realm()
		now.Settings.WaitingPeriodThreshold = days
		return []directory.Change{directory.OfRealm(v.Realm(), &now)}
	}
	of := func(g group.ID, add, remove user.Set) []directory.Change {
		return []directory.Change{{Members: &directory.Members{Group: g, Add: add, Remove: remove}}}
	}
	joined := func(id user.ID, at time.Time) []directory.Change {
		now := *v.User(id)
		now.Joined = at
		return []directory.Change{directory.OfUser(v.User(id), &now)}
	}
	inactive := *v.User(alice)
	inactive.Active = false
	for name, c := range map[string]struct {
		changes []directory.Change
		want    string
	}{
		"joins a group within one":     {of(inner, user.Set{bob}, nil), "10+[5]-[] 11+[5]-[] 12+[5]-[]"},
		"leaves it":                    {of(inner, nil, user.Set{alice}), "10+[]-[4] 11+[]-[4] 12+[]-[4]"},
		"one replaced by another":      {of(inner, user.Set{bob}, user.Set{alice}), "10+[5]-[4] 11+[5]-[4] 12+[5]-[4]"},
		"a guest joins":                {of(inner, user.Set{lone}, nil), ""},
		"an administrator joins":       {of(inner, user.Set{adam}, nil), ""},
		"a group that nothing names":   {of(ended, user.Set{mona}, nil), ""},
		"a ring":                       {of(ringB, user.Set{bob}, nil), "14+[5]-[]"},
		"a subgroup is removed":        {within(outer), "11+[]-[4]"},
		"a subgroup is added":          {within(outer, inner, ended), "11+[5]-[]"},
		"nothing of a group's members": {within(outer, inner), ""},
		"a guest's promotion":          {ranked(guest, user.Member), "11+[6]-[] 13+[6]-[] 15+[6]-[] 20+[6]-[]"},
		"to be a guest":                {ranked(alice, user.Guest), "10+[]-[4] 11+[]-[4] 12+[]-[4] 13+[]-[4] 20+[]-[4]"},
		"to be an administrator": {ranked(bob, user.Admin),
			"10+[5]-[] 11+[5]-[] 12+[5]-[] 13+[5]-[] 14+[5]-[] 15+[5]-[]"},
		"a new member to be moderator": {ranked(bob, user.Moderator), "13+[5]-[]"},
		"an old account counts as new": {joined(alice, now), "13+[]-[4]"},
		"a new one counts as old":      {joined(bob, time.Time{}), "13+[5]-[]"},
		"a moderator's counts as new":  {joined(mona, now), ""},
		"a shorter waiting period":     {waiting(1), "13+[5]-[]"},
		"the waiting period is longer": {waiting(3), ""},
		"someone is deactivated":       {[]directory.Change{directory.OfUser(v.User(alice), &inactive)}, ""},
		"a new channel is announced by its creation": {[]directory.Change{directory.OfChannel(nil, &channel.Channel{ID: 30})},
			""},
		"several": {slices.Concat(of(inner, user.Set{bob}, nil), ranked(alice, user.Guest)),
			"10+[5]-[4] 11+[5]-[4] 12+[5]-[4] 13+[]-[4] 20+[]-[4]"},
	} {
		if got := format(permission.VisibilityChanges(v, v.Apply(v.Seq()+1, c.changes...), c.changes)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	at := func(d time.Duration) *directory.View { return v.AsOf(v.Seq(), now.Add(d)) }
	const day = 24 * time.Hour
	if got := format(permission.VisibleByAge(at(0), at(day-time.Second))); got != "" {
		t.Errorf("too young: %s", got)
	}
	if got := format(permission.VisibleByAge(at(0), at(day))); got != "13+[5]-[]" {
		t.Errorf("old enough: %s", got)
	}
	if got := format(permission.VisibleByAge(at(day), at(2*day))); got != "" {
		t.Errorf("announced twice: %s", got)
	}
}
