package skeleton

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// maxText is the maximum length of an item's text in code points.
const maxText = 1000

// item is an item in responses and events.
type item struct {
	ID   int64  `json:"id"`
	Text string `json:"text"`
}

type (
	added struct {
		Item item `json:"item"`
	}
	removed struct {
		ID int64 `json:"item_id"`
	}
)

var (
	itemAdded   = kit.Event[added]("skeleton", "add")
	itemRemoved = kit.Event[removed]("skeleton", "remove")
)

type listRes struct {
	Items []item `json:"skeleton"`
}

// list handles GET /skeleton.
func (s *service) list(ctx context.Context, a kit.Actor, _ kit.None) (listRes, error) {
	all, err := s.rows.Of(ctx, a.User)
	return listRes{all}, err
}

// section returns the section skeleton of /register.
func (s *service) section(ctx context.Context, a kit.Actor, _ event.Client) (listRes, error) {
	return s.list(ctx, a, kit.None{})
}

type addReq struct {
	Text string `json:"text"`
}

type addRes struct {
	ID int64 `json:"item_id"`
}

// add handles POST /skeleton. Errors: BadRequest.
func (s *service) add(ctx context.Context, a kit.Actor, in addReq) (addRes, error) {
	text := strings.TrimSpace(in.Text)
	switch {
	case text == "":
		return addRes{}, errs.Bad("text cannot be blank")
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return addRes{}, errs.Bad("text must be valid text without null bytes")
	case utf8.RuneCountInString(text) > maxText:
		return addRes{}, errs.Bad("text is too long (limit: %d characters)", maxText)
	}
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (addRes, error) {
		// Under the realm's lock, concurrent requests together cannot exceed the limit.
		if _, err := s.Log.Lock(ctx, a.Realm); err != nil {
			return addRes{}, err
		}
		if n, err := s.rows.Count(ctx, a.User); err != nil {
			return addRes{}, err
		} else if n >= s.cfg.MaxPerUser {
			return addRes{}, errs.Bad("You already have %d items. Delete some first.", n)
		}
		one := item{Text: text}
		var err error
		if one.ID, err = s.rows.Insert(ctx, a.Realm, a.User, text); err != nil {
			return addRes{}, err
		}
		return addRes{one.ID}, s.Log.Append(ctx, itemAdded.To(a.Realm, event.To(a.User), added{one}))
	})
}

type removeReq struct {
	ID int64 `json:"item_id"`
}

// remove handles DELETE /skeleton/:item_id. Errors: BadRequest.
func (s *service) remove(ctx context.Context, a kit.Actor, in removeReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		found, err := s.rows.Delete(ctx, a.User, in.ID)
		if err != nil {
			return err
		}
		if !found {
			return errs.Absent("Item does not exist.")
		}
		return s.Log.Append(ctx, itemRemoved.To(a.Realm, event.To(a.User), removed(in)))
	})
}

// profileDeleted deletes a user's items when the profile is deleted.
func (s *service) profileDeleted(ctx context.Context, m *user.ProfileDeleted) error {
	return s.rows.DeleteOf(ctx, m.User.ID)
}
