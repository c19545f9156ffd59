package bots

import (
	"context"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// picture makes a picture of an uploaded file, nil for none, and gives what gives a bot the picture, inside the change.
// That a realm does not let people change their own pictures (avatar_changes_disabled) is no matter here. Errors:
// BadImage, Unavailable; BadRequest where no module keeps pictures.
func (s *service) picture(
	ctx context.Context,
	a kit.Actor,
	file *kit.File,
) (func(context.Context, user.ID) error, error) {
	if file == nil {
		return func(context.Context, user.ID) error { return nil }, nil
	}
	m := &user.Picturing{By: a, File: file}
	if err := s.Hooks.Run(ctx, m); err != nil {
		return nil, err
	}
	if m.Give == nil {
		return nil, errs.Bad("This server keeps no pictures of people.")
	}
	return m.Give, nil
}
