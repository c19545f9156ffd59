package images

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/picture"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// profileDeleted releases the avatar of a user whose profile is deleted, whether or not the module that sets avatars
// runs.
func (s *service) profileDeleted(ctx context.Context, m *user.ProfileDeleted) error {
	if m.Old.Avatar == "" {
		return nil
	}
	return s.Release(ctx, m.Old.Avatar, picture.Medium(m.Old.Avatar))
}

// catchUp releases the avatars of users whose profiles were deleted while the module was left out: those that no user
// has any longer.
func (s *service) catchUp(ctx context.Context, r realm.ID, _ time.Time) error {
	for after := ""; ; {
		some, err := s.rows.KeysOf(ctx, r, after, batch)
		if err != nil || len(some) == 0 {
			return err
		}
		after = some[len(some)-1].Key
		if err := s.Work.Do(ctx, func(ctx context.Context) error { return s.releaseUnused(ctx, r, some) }); err != nil {
			return err
		}
	}
}

// releaseUnused releases those of the images that are avatars of nobody. Avatars are in no folder.
func (s *service) releaseUnused(ctx context.Context, r realm.ID, some []row) error {
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return err
	}
	used := map[string]bool{}
	for u := range v.Users() {
		used[u.Avatar], used[picture.Medium(u.Avatar)] = true, true
	}
	var unused []string
	for _, one := range some {
		at := strings.TrimPrefix(one.Key, keyPrefix)
		name, own := strings.CutPrefix(at, strconv.FormatInt(int64(r), 10)+"/")
		if own && one.State == claimed && !strings.Contains(name, "/") && !used[prefix+at] {
			unused = append(unused, prefix+at)
		}
	}
	return s.Release(ctx, unused...)
}
