package channels

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

type archiveReq struct {
	ID channel.ID `json:"stream_id"`
}

// archive handles DELETE /streams/{stream_id}. An archived channel keeps its name, subscribers and messages, but no one
// can post to it.
func (s *service) archive(ctx context.Context, a kit.Actor, in archiveReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		v, old, err := s.administered(ctx, a, in.ID)
		if err != nil {
			return err
		}
		if old.Archived {
			return errs.Bad("Channel is already archived.")
		}
		now := *old
		now.Archived, now.Default = true, false
		if err := s.rows.EndAddresses(ctx, a.Realm, old.ID); err != nil {
			return err
		}
		return s.change(ctx, v, a, old, &now)
	})
}

type defaultReq struct {
	ID channel.ID `json:"stream_id"`
}

func (s *service) addDefault(ctx context.Context, a kit.Actor, in defaultReq) (kit.None, error) {
	return kit.None{}, s.setDefault(ctx, a, in.ID, true)
}

func (s *service) removeDefault(ctx context.Context, a kit.Actor, in defaultReq) (kit.None, error) {
	return kit.None{}, s.setDefault(ctx, a, in.ID, false)
}

// setDefault adds a channel to the default channels or removes it. It is idempotent and checks the caller's role again,
// in the current view. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) setDefault(ctx context.Context, a kit.Actor, id channel.ID, on bool) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		v, old, err := s.visibleChannel(ctx, a, id)
		switch {
		case err != nil:
			return err
		case permission.Role(v, a) > user.Admin:
			return permission.RoleRequired(user.Admin)
		case on && old.Private:
			return errs.Bad("Private channels cannot be made default.")
		case on && old.Archived:
			return channel.Invalid()
		}
		now := *old
		now.Default = on
		return s.change(ctx, v, a, old, &now)
	})
}
