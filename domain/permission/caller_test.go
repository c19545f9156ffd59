package permission_test

import (
	"testing"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
)

func TestCaller(t *testing.T) {
	b := &directory.Builder{}
	for _, u := range []user.User{
		{ID: 1, Active: true, Keys: []user.KeyHash{"one", "two"}}, {ID: 2, Active: true},
		{ID: 3, Keys: []user.KeyHash{"three"}},
	} {
		b.User(&u)
	}
	v := b.View(1)
	for _, c := range []struct {
		a   user.Actor
		msg string
	}{
		{user.Actor{User: 1, Key: "one"}, ""}, {user.Actor{User: 1, Key: "two"}, ""},
		{user.Actor{User: 1, Key: "three"}, "Invalid API key"},
		{user.Actor{User: 1}, ""}, {user.Actor{User: 2}, ""}, {user.Actor{User: 2, Key: "one"}, "Invalid API key"},
		{user.Actor{User: 3, Key: "three"}, "Account is deactivated"}, {user.Actor{User: 9}, "Account is deactivated"},
		{user.Actor{}, "Account is deactivated"},
	} {
		u, err := permission.Caller(v, c.a)
		switch {
		case c.msg == "" && (err != nil || u == nil || u.ID != c.a.User):
			t.Errorf("%+v: %v, %v", c.a, u, err)
		case c.msg != "" && (u != nil || !errs.Is(err, errs.Unauthorized) || err.Error() != c.msg):
			t.Errorf("%+v: %v, %v", c.a, u, err)
		}
	}
}
