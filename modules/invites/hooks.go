package invites

import (
	"context"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/invite"
	"github.com/stoachat/stoa/domain/realm"
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
	return s.endFor(ctx, m.Realm, keys)
}

// catchUp ends invitations for addresses of accounts that were created while the module was left out.
func (s *service) catchUp(ctx context.Context, r realm.ID, _ time.Time) error {
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return err
	}
	var keys []string
	for u := range v.Users() {
		keys = append(keys, user.EmailKey(u.DeliveryEmail))
	}
	for some := range slices.Chunk(keys, 500) {
		if err := s.Work.Do(ctx, func(ctx context.Context) error { return s.endFor(ctx, r, some) }); err != nil {
			return err
		}
	}
	return nil
}

// endFor ends invitations and confirmations for addresses.
func (s *service) endFor(ctx context.Context, r realm.ID, keys []string) error {
	inviters, err := s.store.EndFor(ctx, r, keys, s.Clock.Now())
	if err != nil || len(inviters) == 0 {
		return err
	}
	return s.publish(ctx, user.Actor{Realm: r}, inviters...)
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
