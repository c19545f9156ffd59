package bots

import (
	"context"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// storeAvatar stores an uploaded avatar and returns a function that assigns it to a bot. The function must be called in
// a unit of work. It does nothing if file is nil. The realm's avatar_changes_disabled does not apply to bots. Errors:
// BadImage, Unavailable; BadRequest if no module stores avatars.
func (s *service) storeAvatar(
	ctx context.Context,
	a kit.Actor,
	file *kit.File,
) (user.SetAvatar, error) {
	if file == nil {
		return func(context.Context, user.ID) error { return nil }, nil
	}
	set, ok, err := s.Avatar.Ask(ctx, user.UploadedAvatar{By: a, File: file})
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errs.Bad("This server does not store avatars.")
	}
	return set, nil
}
