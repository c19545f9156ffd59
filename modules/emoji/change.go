package emoji

import (
	"context"

	"github.com/stoachat/stoa/domain/emoji"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/quota"
	"github.com/stoachat/stoa/modules/kit"
)

type addReq struct {
	Name string   `json:"emoji_name"`
	File kit.File `file:"file"`
}

// add handles POST /realm/emoji/{emoji_name}. Permissions are checked before the image is converted, which is
// expensive, and again inside the unit of work, since they may have changed. Errors: BadRequest, BadImage, Unavailable.
func (s *service) add(ctx context.Context, a kit.Actor, in addReq) (kit.None, error) {
	name, err := emoji.CheckName(in.Name)
	if err != nil {
		return kit.None{}, err
	}
	if err := s.mayAdd(ctx, a, name); err != nil {
		return kit.None{}, err
	}
	paths, err := s.store(ctx, a.Realm, in.File)
	if err != nil {
		return kit.None{}, err
	}
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		if err := s.mayAdd(ctx, a, name); err != nil {
			return err
		}
		return s.insert(ctx, a, &emoji.Custom{Name: name, Author: a.User}, paths)
	})
}

// mayAdd checks that the caller is allowed to add emoji, and that the name is free. Errors: BadRequest.
func (s *service) mayAdd(ctx context.Context, a kit.Actor, name string) error {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return err
	}
	me := v.User(a.User)
	if !a.System && !permission.AddsEmoji(v, me) {
		return errs.Bad("Insufficient permission")
	}
	if emoji.In(v).Named(name) != nil {
		return errs.Bad("A custom emoji with this name already exists.")
	}
	if _, unicode := s.Emoji.Code(name); (unicode || name == emoji.Extra) && !a.System && !me.IsAdmin() {
		return errs.Bad("Only administrators can override default emoji.")
	}
	var now quota.Count
	author := v.Responsible(a.User)
	for _, e := range emoji.In(v).All() {
		if !e.Deactivated {
			now.All++
		}
		if v.Responsible(e.Author) == author {
			now.Own++
		}
	}
	l := quota.Limit{What: "custom emoji", Total: s.cfg.MaxPerRealm, Author: s.cfg.MaxPerAuthor}
	return l.Admit(permission.Role(v, a), now, 1)
}

type removeReq struct {
	Name string `json:"emoji_name"`
}

// remove handles DELETE /realm/emoji/{emoji_name}. Errors: BadRequest, with 404 if there is no active emoji with that
// name.
func (s *service) remove(ctx context.Context, a kit.Actor, in removeReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, a.Realm)
		if err != nil {
			return err
		}
		old := emoji.In(v).Named(in.Name)
		if old == nil {
			return errs.Absent("Emoji '%.100s' does not exist", in.Name)
		}
		if !a.System && !permission.RemovesEmoji(v.User(a.User), old.Author) {
			return errs.Bad("Must be an organization administrator or emoji author")
		}
		if err := s.rows.Deactivate(ctx, a.Realm, old.ID); err != nil {
			return err
		}
		now := *old
		now.Deactivated = true
		return s.publish(ctx, a, changedOne, old, &now)
	})
}

func (s *service) publish(
	ctx context.Context, a kit.Actor, single kit.EventType[changedEmoji], old, now *emoji.Custom,
) error {
	return s.Log.Append(ctx,
		changedMap.To(a.Realm, event.Everyone(), kit.None{}).Changing(emoji.Change(old, now)),
		single.To(a.Realm, event.Everyone(), changedEmoji{now.ID}))
}
