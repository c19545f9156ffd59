package invites

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/invite"
	"github.com/stoachat/stoa/domain/user"
)

// endForAddresses ends invitations and confirmations for addresses that now belong to accounts. They can no longer be
// used, but would still be listed and counted.
func (s *service) endForAddresses(ctx context.Context, m *directory.Changed) error {
	var keys []string
	for _, c := range m.Changes {
		if c.User == nil || c.User.New == nil {
			continue
		}
		was, is := "", user.EmailKey(c.User.New.DeliveryEmail)
		if c.User.Old != nil {
			was = user.EmailKey(c.User.Old.DeliveryEmail)
		}
		if is != was {
			keys = append(keys, is)
		}
	}
	inviters, err := s.store.EndFor(ctx, m.Realm, keys, s.Clock.Now())
	if err != nil || len(inviters) == 0 {
		return err
	}
	return s.publish(ctx, user.Actor{Realm: m.Realm}, inviters...)
}

// deactivated revokes the invitations of a deactivated user.
func (s *service) deactivated(ctx context.Context, m *user.Deactivated) error {
	if _, err := s.Directory.View(ctx, m.Realm); err != nil { // exclude concurrent uses of the invitations
		return err
	}
	any, err := s.store.EndOf(ctx, m.Realm, m.User, s.Clock.Now())
	if err != nil || !any {
		return err
	}
	return s.publish(ctx, user.Actor{Realm: m.Realm})
}

// roleChanged revokes invitations that a user could no longer create after being demoted.
func (s *service) roleChanged(ctx context.Context, m *user.RoleChanged) error {
	if m.User.Role <= m.Old.Role {
		return nil
	}
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	now := s.Clock.Now()
	all, err := s.store.Pending(ctx, m.Realm, m.User.ID, now, s.cfg.MaxPending)
	if err != nil {
		return err
	}
	var over []invite.ID
	for _, i := range all {
		if !canInvite(v, i) {
			over = append(over, i.ID)
		}
	}
	if len(over) == 0 {
		return nil
	}
	if err := s.store.End(ctx, now, over...); err != nil {
		return err
	}
	return s.publish(ctx, user.Actor{Realm: m.Realm}, m.User.ID)
}
