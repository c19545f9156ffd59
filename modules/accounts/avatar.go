package accounts

import (
	"context"

	"github.com/stoachat/stoa/domain/user"
)

// SetAvatar implements ports.UserSettings.
func (s *service) SetAvatar(ctx context.Context, by user.Actor, id user.ID, address string) (*user.User, error) {
	v, err := s.Directory.View(ctx, by.Realm)
	if err != nil {
		return nil, err
	}
	old := v.User(id)
	if old == nil {
		return nil, errNoSuchUser()
	}
	now := *old
	now.Avatar, now.AvatarSource = address, user.Uploaded
	if address == "" {
		now.AvatarSource = v.Realm().Settings.DefaultAvatarSource
	}
	if now.Avatar == old.Avatar && now.AvatarSource == old.AvatarSource {
		return old, nil
	}
	now.AvatarVersion++
	return &now, s.save(ctx, by, old, &now)
}
