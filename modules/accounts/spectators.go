package accounts

import (
	"context"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// Who is not logged in, where the realm lets everybody on the web read, is told who the people are whose messages are there to be
// read: no address, no profile, no time zone, and of when they joined only the day (users-and-groups.md §2, §5).

// listForSpectators is GET /users without login.
func (s *service) listForSpectators(ctx context.Context, a kit.Actor, in listReq) (listRes, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return listRes{}, err
	}
	res := listRes{[]person{}}
	add := func(id user.ID) {
		if u := permission.ShownToSpectators(v, id); u != nil && !u.System {
			res.Members = append(res.Members, forSpectators(v, u, how{active: true}))
		}
	}
	if in.UserIDs != nil {
		for _, id := range idset.Of(*in.UserIDs...) {
			add(id)
		}
		return res, nil
	}
	for u := range v.Users() {
		add(u.ID)
	}
	return res, nil
}

// forSpectators is the record of a user whom permission has shown.
func forSpectators(v *directory.View, u *user.User, h how) person {
	p := record(v, nil, u, h)
	p.DateJoined = u.Joined.UTC().Format(time.DateOnly)
	p.Timezone = nil
	return p
}

// usersForSpectators is their part of /register, in which they are a guest without a name (events-and-register.md §3.2).
func (s *service) usersForSpectators(ctx context.Context, a kit.Actor) (users, error) {
	out := users{Users: []person{}, Inactive: []person{}, CrossBots: []person{}, IsGuest: true}
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return out, err
	}
	for u := range v.Users() {
		shown := permission.ShownToSpectators(v, u.ID)
		switch {
		case shown == nil:
		case u.System:
			out.CrossBots = append(out.CrossBots, forSpectators(v, shown, how{active: true}))
		case u.Active:
			out.Users = append(out.Users, forSpectators(v, shown, how{}))
		default:
			out.Inactive = append(out.Inactive, forSpectators(v, shown, how{}))
		}
	}
	return out, nil
}

// settingsForSpectators are those with which people begin in the realm.
func (s *service) settingsForSpectators(ctx context.Context, a kit.Actor) (map[string]any, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return nil, err
	}
	return map[string]any{"user_settings": v.Realm().NewUserSettings().Choices()}, nil
}
