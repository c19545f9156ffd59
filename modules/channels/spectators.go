package channels

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Admits implements [ports.Spectators].
func (s *service) Admits(ctx context.Context, r realm.ID) (bool, error) {
	if !s.cfg.WebPublic {
		return false, nil
	}
	v, err := s.Directory.View(ctx, r)
	return err == nil && v.Realm() != nil && v.Realm().Settings.EnableSpectatorAccess, err
}

// describeRealm answers realm.Description: whether the server allows web-public channels, and whether the realm has
// any.
func (s *service) describeRealm(ctx context.Context, q realm.Description) (map[string]any, error) {
	const server, here = "server_web_public_streams_enabled", "realm_web_public_access_enabled"
	out := map[string]any{}
	if q.Asks(server) {
		out[server] = s.cfg.WebPublic
	}
	if !q.Asks(here) || q.Realm == 0 {
		return out, nil
	}
	admits, err := s.Admits(ctx, q.Realm)
	if err != nil || !admits {
		return out, err
	}
	v, err := s.Directory.View(ctx, q.Realm)
	if err != nil {
		return nil, err
	}
	for c := range v.Channels() {
		if c.WebPublic && !c.Archived {
			out[here] = true
			break
		}
	}
	return out, nil
}

// forSpectators returns the web-public channels as subscriptions of a client without login. It omits the subscribers.
func forSpectators(v *directory.View, c event.Client) subscriptionSection {
	web := &list{v: v}
	for _, ch := range visible(v, user.Actor{}, c) {
		p := channel.Personal{}.WithColor()
		if !c.NotificationSettingsNull {
			p = p.Filled(user.Defaults())
		}
		web.all = append(web.all, entry{Channel: ch, own: &p})
	}
	return subscriptionSection{web, &list{v: v}, &list{v: v}}
}
