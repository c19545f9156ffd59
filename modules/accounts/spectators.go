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

// Spectators, who are not logged in, can see users who sent messages in web-public channels. Records for spectators
// omit the email address, profile, time zone, and the time of day at which the user joined.

// listForSpectators handles GET /users without login.
func (s *service) listForSpectators(ctx context.Context, a kit.Actor, in listReq) (kit.Object, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return nil, err
	}
	var all []shown
	add := func(id user.ID) {
		if u := permission.ShownToSpectators(v, id); u != nil && !u.System {
			all = append(all, shown{User: u})
		}
	}
	if in.UserIDs != nil {
		for _, id := range idset.Of(*in.UserIDs...) {
			add(id)
		}
	} else {
		for u := range v.Users() {
			add(u.ID)
		}
	}
	return kit.Object{"members": kit.Compressible(newList(v, nil, format{active: true}, all...))}, nil
}

// forSpectators returns a user's record for spectators, who must be allowed to see the user.
func forSpectators(v *directory.View, u *user.User, h format) person {
	p := record(v, nil, u, h)
	p.DateJoined = u.Joined.UTC().Format(time.DateOnly)
	p.Timezone = nil
	return p
}

// usersForSpectators returns the section realm_user for spectators. It describes the caller as a guest without a name.
func (s *service) usersForSpectators(ctx context.Context, a kit.Actor) (users, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return users{}, err
	}
	out := users{
		Users:     newList(v, nil, format{}),
		Inactive:  newList(v, nil, format{}),
		CrossBots: newList(v, nil, format{active: true}),
		IsGuest:   true,
	}
	for u := range v.Users() {
		one, to := permission.ShownToSpectators(v, u.ID), out.Users
		switch {
		case one == nil:
			continue
		case u.System:
			to = out.CrossBots
		case !u.Active:
			to = out.Inactive
		}
		to.users = append(to.users, shown{User: one})
	}
	return out, nil
}

// settingsForSpectators returns the realm's default settings for new users.
func (s *service) settingsForSpectators(ctx context.Context, a kit.Actor) (map[string]any, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return nil, err
	}
	return map[string]any{"user_settings": v.Realm().NewUserSettings().Choices()}, nil
}
