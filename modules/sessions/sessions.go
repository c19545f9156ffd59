package sessions

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// Session returns the user for a cookie's value; see ports.Sessions.
func (s *service) Session(ctx context.Context, r realm.ID, cookie string) (user.Actor, error) {
	id, secret, ok := session.Parse(cookie)
	if !ok {
		return user.Actor{}, errs.NotLoggedIn()
	}
	v, err := s.Directory.View(ctx, r)
	if errs.Is(err, errs.NotFound) {
		return user.Actor{}, errs.NotLoggedIn()
	}
	if err != nil {
		return user.Actor{}, err
	}
	one := v.Session(id)
	if one == nil || !one.Has(secret) {
		return user.Actor{}, errs.NotLoggedIn()
	}
	u := v.User(one.User)
	if u == nil || !u.Active {
		return user.Actor{}, user.LoginDeactivated()
	}
	s.used.add(id)
	return user.Actor{Realm: r, User: u.ID, Role: u.Role, Bot: u.BotType, Session: id}, nil
}

// Begin logs a browser in; see ports.Sessions.
func (s *service) Begin(ctx context.Context, by user.Actor, id user.ID) (session.Begun, error) {
	return s.begin(ctx, by, id, signin.Flow{})
}

// begin logs a browser in. If the user has too many sessions, the oldest one ends.
func (s *service) begin(ctx context.Context, by user.Actor, id user.ID, f signin.Flow) (session.Begun, error) {
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (session.Begun, error) {
		v, err := s.Directory.View(ctx, by.Realm)
		if err != nil {
			return session.Begun{}, err
		}
		if _, err := activeUser(v, id); err != nil {
			return session.Begun{}, err
		}
		old, err := s.rows.Of(ctx, id)
		if err != nil {
			return session.Begun{}, err
		}
		if err := s.end(ctx, by.Realm, old[:max(0, len(old)-s.cfg.MaxPerUser+1)]); err != nil {
			return session.Begun{}, err
		}
		now, secret := s.Clock.Now(), session.NewSecret()
		one := &row{
			RealmID: by.Realm, UserID: id, Hash: session.Hash(secret), Agent: session.Agent(by.Agent),
			CreatedAt: now.Unix(), UsedAt: now.Unix(), LimitAt: limit(f.Ends),
		}
		last, next := s.horizon(v, one)
		one.EndsAt = next.Unix()
		if err := s.rows.Insert(ctx, one); err != nil {
			return session.Begun{}, err
		}
		begins := changed.To(by.Realm, event.None(), kit.None{}).Changing(directory.OfSession(nil, one.session()))
		if err := s.Log.Append(ctx, begins); err != nil {
			return session.Begun{}, err
		}
		cookie := session.Cookie(one.ID, secret)
		owner := session.Owner(v.Realm().UUID, id)
		return session.Begun{Cookie: cookie, CSRF: session.CSRF(cookie), Owner: owner, Ends: last},
			s.Hooks.Run(ctx, &user.SessionBegun{
				Realm: by.Realm, By: by, User: id, Session: one.ID, Origin: f.Origin,
			})
	})
}

// activeUser returns an active human user of an active organization. Errors: BadRequest, RealmDeactivated.
func activeUser(v *directory.View, id user.ID) (*user.User, error) {
	u := v.User(id)
	switch {
	case v.Realm() == nil || v.Realm().Deactivated:
		return nil, errs.New(errs.RealmDeactivated, "This organization has been deactivated")
	case u == nil || u.System || u.IsBot() || !u.Active:
		return nil, errs.Bad("No such user")
	}
	return u, nil
}

// end ends sessions of a realm. It must be called inside Do, after the view has been read.
func (s *service) end(ctx context.Context, r realm.ID, all []*row) error {
	if len(all) == 0 {
		return nil
	}
	ids := make([]session.ID, len(all))
	changes := make([]directory.Change, len(all))
	for i, one := range all {
		ids[i], changes[i] = one.ID, directory.OfSession(one.session(), nil)
	}
	if err := s.rows.Delete(ctx, ids); err != nil {
		return err
	}
	return s.Log.Append(ctx, changed.To(r, event.None(), kit.None{}).Changing(changes...))
}

// endAllExcept ends all sessions of a user except one; 0 ends all of them. It must be called inside Do.
func (s *service) endAllExcept(ctx context.Context, r realm.ID, u user.ID, except session.ID) error {
	if _, err := s.Directory.View(ctx, r); err != nil { // serializes changes in the realm
		return err
	}
	all, err := s.rows.Of(ctx, u)
	if err != nil {
		return err
	}
	var ended []*row
	for _, one := range all {
		if one.ID != except {
			ended = append(ended, one)
		}
	}
	return s.end(ctx, r, ended)
}
