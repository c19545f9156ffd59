package subscribing

import (
	"context"

	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/channels/internal/defaults"
)

// joined subscribes a new user to the channels of the invitation and, unless the user is a guest or a bot, to the
// default channels.
func (s *Service) joined(ctx context.Context, m *user.Joined) error {
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	channels := idset.Of(m.Channels...)
	if !m.User.IsBot() && !m.User.IsGuest() && !m.User.System && !m.NoDefaultChannels {
		channels = channels.Union(idset.Of(defaults.Channels(v)...))
	}
	by := m.By
	by.Realm = m.Realm
	joins, err := missingSubscriptions(v, channels, user.Set{m.User.ID})
	if err != nil {
		return err
	}
	_, err = s.join(ctx, v, join{by: by, joins: joins, silent: true})
	return err
}

// deactivated ends a user's subscriptions but leaves the rows active, so that they can be restored.
func (s *Service) deactivated(ctx context.Context, m *user.Deactivated) error {
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	var leaves []channelUsers
	for _, id := range v.Subscriptions(m.User) {
		if c := v.Channel(id); c != nil {
			leaves = append(leaves, channelUsers{c, user.Set{m.User}})
		}
	}
	if _, err = s.leave(ctx, v, m.Realm, leaves, true); err != nil {
		return err
	}
	return s.updateNamed(ctx, v, m.Realm, m.User, false)
}

// reactivated restores the subscriptions that the user had when deactivated.
func (s *Service) reactivated(ctx context.Context, m *user.Reactivated) error {
	v, err := s.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	ids, err := s.rows.Active(ctx, m.User)
	if err != nil {
		return err
	}
	var joins []channelUsers
	for _, id := range ids {
		if c := v.Channel(id); c != nil && !v.Subscribed(m.User, id) {
			joins = append(joins, channelUsers{c, user.Set{m.User}})
		}
	}
	by := m.By
	by.Realm = m.Realm
	if _, err = s.join(ctx, v, join{by: by, joins: joins, silent: true}); err != nil {
		return err
	}
	return s.updateNamed(ctx, v, m.Realm, m.User, true)
}
