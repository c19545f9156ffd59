package permission_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
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

const (
	crowd = 150 // above the limit for checking users one by one
	teams = 8
)

func randomTeam(r *rand.Rand) group.ID { return group.FirstCustom + group.ID(r.IntN(teams)) }

func randomUsers(r *rand.Rand, most int) user.Set {
	var us []user.ID
	for range r.IntN(most) {
		us = append(us, user.ID(1+r.IntN(crowd)))
	}
	return idset.Of(us...)
}

func randomSetting(r *rand.Rand) group.Setting {
	switch r.IntN(4) {
	case 0:
		return group.Named(randomTeam(r))
	case 1:
		return group.Named(group.ID(1 + r.IntN(7)))
	}
	return group.Setting{Members: randomUsers(r, 4),
		Subgroups: idset.Of(randomTeam(r), randomTeam(r), group.ID(1+r.IntN(7)))[r.IntN(3):]}.Normal()
}

func randomView(r *rand.Rand) *directory.View {
	var b directory.Builder
	b.Realm(&realm.Realm{ID: 1, Settings: realm.Defaults()})
	for i := range user.ID(crowd) {
		roles := []user.Role{user.Guest, user.Guest, user.Moderator, user.Admin, user.Owner, user.Member, user.Member,
			user.Member, user.Member, user.Member}
		b.User(&user.User{ID: i + 1, Role: roles[r.IntN(len(roles))], Active: r.IntN(9) > 0,
			Joined: now.AddDate(0, 0, -r.IntN(9)), DeliveryEmail: fmt.Sprint("p", i)})
	}
	for i := range group.ID(teams) {
		g := &group.Group{ID: group.FirstCustom + i, Members: randomUsers(r, 9)}
		if r.IntN(2) == 0 {
			g.Subgroups = idset.Of(randomTeam(r), randomTeam(r), group.ID(1+r.IntN(7)))[r.IntN(3):]
		}
		b.Group(g)
	}
	for i := range channel.ID(12) {
		b.Channel(&channel.Channel{ID: i + 1, Name: fmt.Sprint(i), Private: i > 0, Permissions: map[string]group.Setting{
			"can_add_subscribers_group":    randomSetting(r),
			"can_subscribe_group":          randomSetting(r),
			"can_administer_channel_group": randomSetting(r),
		}})
		for _, u := range randomUsers(r, 20) {
			b.Subscriptions(u, i+1)
		}
	}
	return b.View(1).AsOf(1, now)
}

func randomChange(r *rand.Rand, v *directory.View) directory.Change {
	old := v.Group(randomTeam(r))
	switch r.IntN(4) {
	case 0:
		now := *old
		now.Subgroups = idset.Of(randomTeam(r), randomTeam(r), group.ID(1+r.IntN(7)))[r.IntN(3):]
		return directory.OfGroup(old, &now)
	case 1:
		was := v.Realm()
		is := *was
		is.Settings.WaitingPeriodThreshold = r.IntN(9)
		return directory.OfRealm(was, &is)
	case 2:
		was := v.User(user.ID(1 + r.IntN(crowd)))
		is := *was
		is.Role = []user.Role{user.Owner, user.Moderator, user.Member, user.Guest}[r.IntN(4)]
		return directory.OfUser(was, &is)
	}
	add, remove := randomUsers(r, 300), randomUsers(r, 300)
	return directory.Change{Members: &directory.Members{Group: old.ID, Add: add.Minus(old.Members),
		Remove: remove.And(old.Members).Minus(add)}}
}

// memberByWalk reports whether a value includes u, by traversing its groups.
func memberByWalk(v *directory.View, s group.Setting, u *user.User, seen map[group.ID]bool) bool {
	if s.Members.Has(u.ID) {
		return true
	}
	groups := s.Subgroups
	if s.Group != 0 {
		groups = group.Set{s.Group}
	}
	return slices.ContainsFunc(groups, func(id group.ID) bool {
		g := v.Group(id)
		if g == nil || seen[id] {
			return false
		}
		seen[id] = true
		return permission.DirectMembers(v, id).Has(u.ID) ||
			memberByWalk(v, group.Setting{Members: g.Members, Subgroups: g.Subgroups}, u, seen)
	})
}

// For any nesting of groups, members are the users found by traversing the groups, and a change's visibility changes
// are the differences in metadata access before and after it.
func TestRandomNestings(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 5))
		before := randomView(r)
		for range 20 {
			changes := []directory.Change{randomChange(r, before)}
			after := before.Apply(before.Seq()+1, changes...)
			if r.IntN(3) == 0 {
				more := randomChange(r, after)
				changes, after = append(changes, more), after.Apply(after.Seq()+1, more)
			}
			s := randomSetting(r)
			members := permission.Members(after, s)
			for u := range after.Users() {
				want := u.Active && memberByWalk(after, s, u, map[group.ID]bool{})
				if permission.In(after, s, u.ID) != want || members.Has(u.ID) != want {
					t.Fatalf("seed %d, %+v: user %d is a member: %v", seed, s, u.ID, want)
				}
			}
			checkVisibility(t, before, after, permission.VisibilityChanges(before, after, changes))
			later := after.AsOf(after.Seq(), after.Now().Add(24*time.Hour))
			checkVisibility(t, after, later, permission.VisibleByAge(after, later))
			if t.Failed() {
				t.Fatalf("seed %d: %+v", seed, changes)
			}
			before = later
		}
	}
}

func checkVisibility(t *testing.T, before, after *directory.View, changes []permission.VisibilityChange) {
	t.Helper()
	found := map[channel.ID]permission.VisibilityChange{}
	for _, s := range changes {
		found[s.Channel.ID] = s
	}
	for c := range after.Channels() {
		var gained, lost user.Set
		for _, u := range after.Active() {
			switch had, has := permission.SeesChannel(before, c, before.User(u)),
				permission.SeesChannel(after, c, after.User(u)); {
			case has && !had:
				gained = append(gained, u)
			case had && !has:
				lost = append(lost, u)
			}
		}
		for _, us := range []user.Set{after.Active(), after.Active()[:20]} {
			unaware := permission.WithoutMetadataAccess(after, c, us)
			for _, u := range us {
				if unaware.Has(u) == permission.SeesChannel(after, c, after.User(u)) {
					t.Errorf("channel %d, %d users: user %d cannot see it: %v", c.ID, len(us), u, unaware.Has(u))
				}
			}
		}
		if s := found[c.ID]; !slices.Equal(s.Gained, gained) || !slices.Equal(s.Lost, lost) {
			t.Errorf("channel %d: +%v -%v, want +%v -%v", c.ID, s.Gained, s.Lost, gained, lost)
		}
	}
}
