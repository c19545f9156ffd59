package drafts

import (
	"context"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/draft"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

type listRes struct {
	Count  int     `json:"count"`
	Drafts []shown `json:"drafts"`
}

// list handles GET /drafts. Errors: BadRequest.
func (s *service) list(ctx context.Context, a kit.Actor, _ kit.None) (listRes, error) {
	if _, _, err := s.author(ctx, a); err != nil {
		return listRes{}, err
	}
	ds, err := s.rows.Of(ctx, a.User)
	return listRes{len(ds), show(ds)}, err
}

type section struct {
	Drafts []shown `json:"drafts"`
}

// section returns the newest drafts first. Users who have disabled drafts have none, nor do spectators.
func (s *service) section(ctx context.Context, a kit.Actor, _ event.Client) (section, error) {
	ds, err := s.rows.Of(ctx, a.User)
	slices.Reverse(ds)
	return section{show(ds)}, err
}

type addReq struct {
	Drafts []draft.Input `json:"drafts" default:"[]"`
}

type addRes struct {
	IDs []draft.ID `json:"ids"`
}

// add handles POST /drafts. It adds all drafts or none. Errors: BadRequest.
func (s *service) add(ctx context.Context, a kit.Actor, in addReq) (addRes, error) {
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (addRes, error) {
		ds, err := s.checkAndLock(ctx, a, in.Drafts...)
		if err != nil {
			return addRes{}, err
		}
		if len(ds) == 0 {
			return addRes{[]draft.ID{}}, nil
		}
		if err := s.checkLimits(ctx, a, 0, ds); err != nil {
			return addRes{}, err
		}
		ids, err := s.rows.Insert(ctx, a.Realm, a.User, ds)
		if err != nil {
			return addRes{}, err
		}
		return addRes{ids}, s.Log.Append(ctx, draftsAdded.To(a.Realm, event.To(a.User), added{IDs: ids}))
	})
}

type changeReq struct {
	ID    draft.ID    `json:"draft_id"`
	Draft draft.Input `json:"draft"`
}

// change handles PATCH /drafts/:draft_id. It replaces the whole draft. Errors: BadRequest.
func (s *service) change(ctx context.Context, a kit.Actor, in changeReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		ds, err := s.checkAndLock(ctx, a, in.Draft)
		if err != nil {
			return err
		}
		if has, err := s.rows.Has(ctx, a.Realm, a.User, in.ID); err != nil || !has {
			return missing(err)
		}
		if err := s.checkLimits(ctx, a, in.ID, ds); err != nil {
			return err
		}
		ds[0].ID = in.ID
		if err := s.rows.Update(ctx, a.Realm, ds[0]); err != nil {
			return err
		}
		return s.Log.Append(ctx, draftChanged.To(a.Realm, event.To(a.User), changed{ID: in.ID}))
	})
}

type removeReq struct {
	ID draft.ID `json:"draft_id"`
}

// remove handles DELETE /drafts/:draft_id. Errors: BadRequest.
func (s *service) remove(ctx context.Context, a kit.Actor, in removeReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		if _, err := s.checkAndLock(ctx, a); err != nil {
			return err
		}
		if had, err := s.rows.Delete(ctx, a.Realm, a.User, in.ID); err != nil || !had {
			return missing(err)
		}
		return s.Log.Append(ctx, draftRemoved.To(a.Realm, event.To(a.User), removed(in)))
	})
}

// missing returns err. If err is nil, it returns the error for a draft that does not exist or belongs to another user.
func missing(err error) error {
	if err != nil {
		return err
	}
	return errs.Absent("Draft does not exist")
}

// settingsChanged deletes the drafts of a person who disables them.
func (s *service) settingsChanged(ctx context.Context, m *user.SettingsChanged) error {
	if m.User.IsBot() || !m.Old.Settings.EnableDraftsSynchronization || m.User.Settings.EnableDraftsSynchronization {
		return nil
	}
	return s.rows.Clear(ctx, m.User.ID)
}

// catchUp deletes the drafts of users who have turned off synchronization while the module was left out.
func (s *service) catchUp(ctx context.Context, r realm.ID, _ time.Time) error {
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return err
	}
	var off []user.ID
	for u := range v.Users() {
		if !u.IsBot() && !u.Settings.EnableDraftsSynchronization {
			off = append(off, u.ID)
		}
	}
	for some := range slices.Chunk(off, 500) {
		if err := s.Work.Do(ctx, func(ctx context.Context) error { return s.rows.Clear(ctx, some...) }); err != nil {
			return err
		}
	}
	return nil
}

// forget deletes a user's drafts when the profile is deleted.
func (s *service) forget(ctx context.Context, m *user.ProfileDeleted) error {
	return s.rows.Clear(ctx, m.User.ID)
}

// checkAndLock checks the drafts before it locks the realm, since checking takes time. Call it inside Do. Errors:
// BadRequest, Unauthorized.
func (s *service) checkAndLock(ctx context.Context, a kit.Actor, in ...draft.Input) ([]draft.Draft, error) {
	v, u, err := s.author(ctx, a)
	if err != nil {
		return nil, err
	}
	ds := make([]draft.Draft, len(in))
	for i, one := range in {
		if ds[i], err = draft.New(v, u, one, s.Clock.Now()); err != nil {
			return nil, err
		}
	}
	_, err = s.Log.Lock(ctx, a.Realm)
	return ds, err
}

// checkLimits checks that drafts fit within the author's limits, without the draft that they replace. The realm must be
// locked. Errors: BadRequest.
func (s *service) checkLimits(ctx context.Context, a kit.Actor, replaced draft.ID, ds []draft.Draft) error {
	kept, err := s.rows.Usage(ctx, a.User, replaced)
	if err != nil {
		return err
	}
	return kept.Admit(ds...)
}

// author returns the caller. Bots have no settings of their own, so nothing disables their drafts. Errors: BadRequest
// if the caller has disabled drafts, Unauthorized.
func (s *service) author(ctx context.Context, a kit.Actor) (*directory.View, *user.User, error) {
	v, u, err := kit.Caller(ctx, s.Directory, a)
	switch {
	case err != nil:
		return nil, nil, err
	case !u.IsBot() && !u.Settings.EnableDraftsSynchronization:
		return nil, nil, errs.Bad("User has disabled synchronizing drafts.")
	}
	return v, u, nil
}
