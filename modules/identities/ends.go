package identities

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
)

// LogOut ends the sessions that began with an identity; see ports.Identities.
func (s *service) LogOut(ctx context.Context, r realm.ID, p signin.Provider, subject, sid string) error {
	if subject == "" && sid == "" {
		return nil
	}
	return s.Work.Do(ctx, func(ctx context.Context) error {
		if p.RevokeKeys {
			if err := s.revokeKeys(ctx, r, p, subject, sid); err != nil {
				return err
			}
		}
		ids, err := s.rows.Sessions(ctx, r, p.ID, subject, sid)
		if err != nil || len(ids) == 0 {
			return err
		}
		return s.SignIns.End(ctx, r, ids...)
	})
}

// revokeKeys revokes the API keys of the people with an identity, or with a session that began with it. It must be
// called inside Do.
func (s *service) revokeKeys(ctx context.Context, r realm.ID, p signin.Provider, subject, sid string) error {
	people, err := s.rows.People(ctx, r, p.ID, subject, sid)
	if err != nil {
		return err
	}
	if subject != "" {
		known, err := s.rows.BySubject(ctx, r, p.ID, subject)
		if err != nil {
			return err
		}
		if known != nil && !slices.Contains(people, known.UserID) {
			people = append(people, known.UserID)
		}
	}
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return err
	}
	for _, id := range people {
		if u := v.User(id); u == nil || !u.Active {
			continue
		}
		if err := s.Keys.RevokeKeys(ctx, user.Actor{Realm: r, System: true, Client: "Internal"}, id); err != nil {
			return err
		}
	}
	return nil
}
