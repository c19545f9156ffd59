package permission_test

import (
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

func TestAnnouncesFullMembers(t *testing.T) {
	of := func(id user.ID, set func(*user.User)) func(*directory.View) directory.Change {
		return func(v *directory.View) directory.Change {
			u := *v.User(id)
			set(&u)
			return directory.OfUser(v.User(id), &u)
		}
	}
	waiting := func(days int) func(*directory.View) directory.Change {
		return func(v *directory.View) directory.Change {
			r := *v.Realm()
			r.Settings.WaitingPeriodThreshold = days
			return directory.OfRealm(v.Realm(), &r)
		}
	}
	room := func(was, is bool) func(*directory.View) directory.Change {
		return func(*directory.View) directory.Change {
			return directory.OfChannel(&channel.Channel{ID: 30, Private: was}, &channel.Channel{ID: 30, Private: is})
		}
	}
	for _, c := range []struct {
		name   string
		days   int // waiting period before the change
		change func(*directory.View) directory.Change
		want   bool
	}{
		{"a role", 2, of(alice, func(u *user.User) { u.Role = user.Moderator }), true},
		{"a changed join date", 2, of(alice, func(u *user.User) { u.Joined = now.Add(-time.Hour) }), true},
		{"a name", 2, of(alice, func(u *user.User) { u.FullName = "Alison" }), false},
		{"a new user", 2, func(*directory.View) directory.Change { return directory.OfUser(nil, &user.User{ID: 99}) },
			false},
		{"the wait is longer", 2, waiting(3), true},
		{"no waiting period any more", 2, waiting(0), true},
		{"a new waiting period", 0, waiting(2), true},
		{"the same wait", 2, waiting(2), false},
		{"a channel is public", 2, room(true, false), true},
		{"a channel is private", 2, room(false, true), false},
		{"another change of a channel", 2, room(true, true), false},
		{"a public channel without a waiting period", 0, room(true, false), false},
		{"a role without a waiting period", 0, of(alice, func(u *user.User) { u.Role = user.Moderator }), false},
	} {
		before := view(func(r *realm.Realm) { r.Settings.WaitingPeriodThreshold = c.days })
		change := c.change(before)
		m := &directory.Changed{Before: before, After: before.Apply(before.Seq()+1, change),
			Changes: []directory.Change{change}}
		if got := permission.AnnouncesFullMembers(m); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
