package permission_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
)

// nested returns a view with 10,000 users and 1,000 private channels with 100 subscribers each. The channels name
// groups of ten users each: a single group without nesting, or the topmost of a chain of n groups.
func nested(groups int) *directory.View {
	var d directory.Builder
	var all user.Set
	for i := range 10_000 {
		d.User(&user.User{ID: user.ID(i + 1), Role: user.Member, Active: true, FullName: fmt.Sprint("Person ", i),
			DeliveryEmail: fmt.Sprintf("p%d@example.com", i)})
		all = append(all, user.ID(i+1))
	}
	for i := range 1500 {
		g := &group.Group{ID: group.FirstCustom + group.ID(i), Members: all[i*5 : i*5+10]}
		if i+1 < groups {
			g.Subgroups = group.Set{g.ID + 1}
		}
		d.Group(g)
	}
	for i := range 1000 {
		top := group.Named(group.FirstCustom)
		if groups == 0 {
			top = group.Named(group.FirstCustom + group.ID(i))
		}
		d.Channel(&channel.Channel{ID: channel.ID(i + 1), Name: fmt.Sprint("channel ", i), Private: true,
			Permissions: map[string]group.Setting{
				"can_subscribe_group": top, "can_add_subscribers_group": top, "can_administer_channel_group": top,
			}})
		for n := range 100 {
			d.Subscriptions(all[(i*7+n*13)%len(all)], channel.ID(i+1))
		}
	}
	return d.View(1)
}

func BenchmarkNested(b *testing.B) {
	for _, groups := range []int{0, 1500} {
		v := nested(groups)
		last := v.User(10_000) // in none of the groups
		b.Run(fmt.Sprintf("%d/one person and all channels", groups), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for c := range v.Channels() {
					permission.SeesChannel(v, c, last)
				}
			}
		})
		b.Run(fmt.Sprintf("%d/2,000 people and a channel", groups), func(b *testing.B) {
			b.ReportAllocs()
			c := v.Channel(999)
			for b.Loop() {
				for u := range user.ID(2000) {
					permission.SeesChannel(v, c, v.User(5*u+1))
				}
			}
		})
		b.Run(fmt.Sprintf("%d/all who know of a channel", groups), func(b *testing.B) {
			b.ReportAllocs()
			c := v.Channel(999)
			for b.Loop() {
				permission.SeeingChannel(v, c)
			}
		})
		last1499 := group.FirstCustom + 1499
		b.Run(fmt.Sprintf("%d/a member more", groups), func(b *testing.B) {
			b.ReportAllocs()
			changes := []directory.Change{{Members: &directory.Members{Group: last1499, Add: user.Set{1}}}}
			for b.Loop() {
				permission.VisibilityChanges(v, v.Apply(2, changes...), changes)
			}
		})
		b.Run(fmt.Sprintf("%d/1,000 members more", groups), func(b *testing.B) {
			b.ReportAllocs()
			changes := []directory.Change{{Members: &directory.Members{Group: last1499, Add: v.Active()[:1000]}}}
			for b.Loop() {
				v.Apply(2, changes...)
			}
		})
		b.Run(fmt.Sprintf("%d/a subgroup more", groups), func(b *testing.B) {
			b.ReportAllocs()
			more := group.Group{ID: last1499 + 1, Members: user.Set{9999}}
			old := v.Group(last1499)
			now := *old
			now.Subgroups = group.Set{more.ID}
			before := v.Apply(2, directory.OfGroup(nil, &more))
			changes := []directory.Change{directory.OfGroup(old, &now)}
			for b.Loop() {
				permission.VisibilityChanges(before, before.Apply(3, changes...), changes)
			}
		})
	}
}
