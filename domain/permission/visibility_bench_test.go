package permission_test

import (
	"testing"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
)

// BenchmarkVisibilityChanges measures VisibilityChanges after a user joined a group and after a user's role changed,
// with 10,000 users and 1,000 private channels with 100 subscribers each.
func BenchmarkVisibilityChanges(b *testing.B) {
	var d directory.Builder
	var all user.Set
	for i := range 10_000 {
		u := user.User{ID: user.ID(i + 1), Role: user.Member, Active: true}
		d.User(&u)
		all = append(all, u.ID)
	}
	const free, used = group.FirstCustom, group.FirstCustom + 1
	d.Group(&group.Group{ID: free, Name: "free", Members: all[:5000]})
	d.Group(&group.Group{ID: used, Name: "used", Members: all[:5000]})
	for i := range 1000 {
		c := channel.Channel{ID: channel.ID(i + 1), Private: true,
			Permissions: map[string]group.Setting{"can_subscribe_group": group.Named(group.Nobody)}}
		if i%10 == 0 {
			c.Permissions["can_subscribe_group"] = group.Named(used)
		}
		d.Channel(&c)
		for n := range 100 {
			d.Subscriptions(all[(i*7+n*13)%len(all)], c.ID)
		}
	}
	v := d.View(1)
	promoted := *v.User(9000)
	promoted.Role = user.Admin
	for name, c := range map[string]struct {
		change directory.Change
		want   int
	}{
		"group that no channel names": {directory.Change{Members: &directory.Members{Group: free, Add: user.Set{9000}}}, 0},
		"group that 100 name":         {directory.Change{Members: &directory.Members{Group: used, Add: user.Set{9000}}}, 99},
		"role":                        {directory.OfUser(v.User(9000), &promoted), 990},
	} {
		after := v.Apply(2, c.change)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if n := len(permission.VisibilityChanges(v, after, []directory.Change{c.change})); n < c.want {
					b.Fatalf("%d channels, want %d", n, c.want)
				}
			}
		})
	}
}
