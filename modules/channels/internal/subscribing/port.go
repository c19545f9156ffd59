package subscribing

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/channels/internal/access"
	"github.com/stoachat/stoa/ports"
)

// Create implements [ports.Channels].
func (s *Service) Create(
	ctx context.Context,
	by user.Actor,
	c ports.NewChannel,
	subscribers []user.ID,
) (channel.ID, error) {
	how := creation{Private: c.Private, WebPublic: c.WebPublic, Default: c.Default}
	if c.Private {
		how.HistoryPublic = &c.HistoryPublic
	}
	if c.TopicsPolicy != "" {
		how.TopicsPolicy = &c.TopicsPolicy
	}
	if c.Folder != 0 {
		how.Folder = &c.Folder
	}
	settings := how.settings()
	for name, value := range c.Permissions {
		s := settings[name]
		if s == nil {
			return 0, errs.Bad("Invalid setting: %s", name)
		}
		*s = &value
	}
	return s.createWith(ctx, by, wanted{Name: c.Name, Description: c.Description}, subscribers, how)
}

// Subscribe implements [ports.Channels].
func (s *Service) Subscribe(ctx context.Context, by user.Actor, us []user.ID, cs ...channel.ID) error {
	return s.named(ctx, by, us, cs, func(ctx context.Context, v *directory.View, names []string) error {
		all := make([]wanted, len(names))
		for i, name := range names {
			all[i] = wanted{Name: name}
		}
		sub, err := s.validate(all, &principals{IDs: us}, creation{Tell: true})
		if err != nil {
			return err
		}
		sub.fatal = true
		_, _, err = s.subscribeIn(ctx, v, by, sub)
		return err
	})
}

// Unsubscribe implements [ports.Channels].
func (s *Service) Unsubscribe(ctx context.Context, by user.Actor, us []user.ID, cs ...channel.ID) error {
	return s.named(ctx, by, us, cs, func(ctx context.Context, v *directory.View, names []string) error {
		_, err := s.unsubscribeIn(ctx, v, by, names, &principals{IDs: us})
		return err
	})
}

// named calls fn in a unit of work with the names of channels, by which requests name them. Errors: BadRequest for a
// channel that a cannot see; those of fn.
func (s *Service) named(
	ctx context.Context,
	a user.Actor,
	us []user.ID,
	cs []channel.ID,
	fn func(context.Context, *directory.View, []string) error,
) error {
	if len(us) == 0 || len(cs) == 0 {
		return nil // a request without users concerns the caller
	}
	return s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, a.Realm)
		if err != nil {
			return err
		}
		names := make([]string, len(cs))
		for i, id := range cs {
			c := v.Channel(id)
			if !access.Sees(v, c, a) {
				return channel.Invalid()
			}
			names[i] = c.Name
		}
		return fn(ctx, v, names)
	})
}
