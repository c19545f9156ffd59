package scim

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// changed is the hook that refuses changes by hand of what a client manages. Changes by the operator, by clients and by
// other modules that act for the server have no caller.
func (s *service) changed(ctx context.Context, m *directory.Changed) error {
	if _, byHand := ports.Caller(ctx); !byHand {
		return nil
	}
	for _, c := range m.Changes {
		var err error
		switch {
		case c.User != nil && c.User.Old != nil && c.User.New != nil:
			err = s.keepUser(ctx, m, c.User.Old, c.User.New)
		case c.Group != nil && c.Group.Old != nil:
			err = s.keepGroup(ctx, m, c.Group.Old.ID)
		case c.Members != nil:
			err = s.keepGroup(ctx, m, c.Members.Group)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *service) keepUser(ctx context.Context, m *directory.Changed, old, now *user.User) error {
	renamed := old.FullName != now.FullName && now.FullName != user.DeletedName // the profile can always be deleted
	moved := old.DeliveryEmail != now.DeliveryEmail
	if !renamed && !moved && old.Role == now.Role || !provisioned(old) {
		return nil
	}
	p, err := s.rows.Person(ctx, m.Realm, old.ID)
	if err != nil || p == nil {
		return err
	}
	if managed, err := s.manages(ctx, m.Realm, p.Manager); err != nil || !managed {
		return err
	}
	switch {
	case renamed, moved:
		return errs.Bad("This account is managed by %s. Change its name and address there.", p.Manager)
	case p.SetsRole:
		return errs.Bad("This account is managed by %s. Change its role there.", p.Manager)
	}
	return nil
}

func (s *service) keepGroup(ctx context.Context, m *directory.Changed, id group.ID) error {
	all, err := s.rows.Groups(ctx, m.Realm)
	if err != nil || all[id] == nil {
		return err
	}
	if managed, err := s.manages(ctx, m.Realm, all[id].Manager); err != nil || !managed {
		return err
	}
	return errs.Bad("This user group is managed by %s. Change it there.", all[id].Manager)
}

// manages reports whether a client still manages anything: it has a token.
func (s *service) manages(ctx context.Context, r realm.ID, manager string) (bool, error) {
	if manager == "" {
		return false, nil
	}
	all, err := s.rows.Tokens(ctx, r)
	now := s.Clock.Now()
	return slices.ContainsFunc(all, func(t *token) bool { return t.Name == manager && t.valid(now) }), err
}

// profileDeleted is the hook that forgets what clients have said about a deleted user.
func (s *service) profileDeleted(ctx context.Context, m *user.ProfileDeleted) error {
	return s.rows.ForgetPerson(ctx, m.User.ID)
}

// reactivated is the hook that makes an account a resource again that a client has removed.
func (s *service) reactivated(ctx context.Context, m *user.Reactivated) error {
	p, err := s.rows.Person(ctx, m.Realm, m.User)
	if err != nil || p == nil || !p.Removed {
		return err
	}
	p.Removed = false
	return s.rows.SavePerson(ctx, p)
}
