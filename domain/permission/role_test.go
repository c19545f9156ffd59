package permission_test

import (
	"testing"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
)

func TestCheckRole(t *testing.T) {
	b := &directory.Builder{}
	for id, u := range map[user.ID]user.User{
		1: {Active: true, Role: user.Owner}, 2: {Active: true, Role: user.Admin}, 3: {Active: true, Role: user.Moderator},
		4: {Active: true, Role: user.Member}, 5: {Role: user.Owner},
	} {
		u.ID = id
		b.User(&u)
	}
	v := b.View(1)
	const owner, admin, moderator = "Must be an organization owner", "Must be an organization administrator",
		"Must be an organization moderator"
	for _, c := range []struct {
		a                       user.Actor
		owner, admin, moderator string
	}{
		{user.Actor{System: true}, "", "", ""},
		{user.Actor{User: 1}, "", "", ""},
		{user.Actor{User: 2, Role: user.Owner}, owner, "", ""}, // demoted since the request was admitted
		{user.Actor{User: 3}, owner, admin, ""},
		{user.Actor{User: 4}, owner, admin, moderator},
		{user.Actor{User: 5, Role: user.Owner}, owner, admin, moderator}, // deactivated
		{user.Actor{User: 9, Role: user.Owner}, owner, admin, moderator}, // does not exist
		{user.Actor{}, owner, admin, moderator},
	} {
		for least, want := range map[user.Role]string{
			user.Owner: c.owner, user.Admin: c.admin, user.Moderator: c.moderator,
		} {
			err := permission.CheckRole(v, c.a, least)
			if want == "" && err != nil || want != "" && (!errs.Is(err, errs.UnauthorizedPrincipal) || err.Error() != want) {
				t.Errorf("%+v, %d: got %v, want %q", c.a, least, err, want)
			}
		}
	}
}
