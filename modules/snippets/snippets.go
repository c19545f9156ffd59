package snippets

import (
	"context"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/snippet"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

type listRes struct {
	Snippets []wireSnippet `json:"saved_snippets"`
}

// list handles GET /saved_snippets.
func (s *service) list(ctx context.Context, a kit.Actor, _ kit.None) (listRes, error) {
	all, err := s.rows.Of(ctx, a.User)
	return listRes{toWire(all)}, err
}

// section returns the section saved_snippets of /register.
func (s *service) section(ctx context.Context, a kit.Actor, _ event.Client) (listRes, error) {
	return s.list(ctx, a, kit.None{})
}

type addReq struct {
	Title   string `json:"title"`
	Content string `json:"content"`
}

type addRes struct {
	ID snippet.ID `json:"saved_snippet_id"`
}

// add handles POST /saved_snippets. Errors: BadRequest.
func (s *service) add(ctx context.Context, a kit.Actor, in addReq) (addRes, error) {
	created, err := snippet.Change{Title: &in.Title, Content: &in.Content}.Of(snippet.Snippet{Created: s.Clock.Now()})
	if err != nil {
		return addRes{}, err
	}
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (addRes, error) {
		if err := s.checkLimits(ctx, a, created); err != nil {
			return addRes{}, err
		}
		id, err := s.rows.Insert(ctx, a.Realm, a.User, created)
		if err != nil {
			return addRes{}, err
		}
		return addRes{id}, s.Log.Append(ctx, snippetAdded.To(a.Realm, event.To(a.User), stored{ID: id}))
	})
}

type changeReq struct {
	ID      snippet.ID `json:"saved_snippet_id"`
	Title   *string    `json:"title"`
	Content *string    `json:"content"`
}

// change handles PATCH /saved_snippets/:saved_snippet_id. A request that changes nothing sends no event. Errors:
// BadRequest.
func (s *service) change(ctx context.Context, a kit.Actor, in changeReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		if _, err := s.Log.Lock(ctx, a.Realm); err != nil {
			return err
		}
		old, found, err := s.rows.Get(ctx, a.Realm, a.User, in.ID)
		if err != nil || !found {
			return notFound(err)
		}
		updated, err := snippet.Change{Title: in.Title, Content: in.Content}.Of(old)
		if err != nil || updated == old {
			return err
		}
		if err := s.checkLimits(ctx, a, updated); err != nil {
			return err
		}
		if err := s.rows.Update(ctx, a.Realm, updated); err != nil {
			return err
		}
		return s.Log.Append(ctx, snippetChanged.To(a.Realm, event.To(a.User), stored{ID: in.ID}))
	})
}

type removeReq struct {
	ID snippet.ID `json:"saved_snippet_id"`
}

// remove handles DELETE /saved_snippets/:saved_snippet_id. Errors: BadRequest.
func (s *service) remove(ctx context.Context, a kit.Actor, in removeReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		if found, err := s.rows.Delete(ctx, a.Realm, a.User, in.ID); err != nil || !found {
			return notFound(err)
		}
		return s.Log.Append(ctx, snippetRemoved.To(a.Realm, event.To(a.User), removed(in)))
	})
}

// checkLimits checks the caller's limits under the realm's lock, so that concurrent requests together cannot exceed
// them.
func (s *service) checkLimits(ctx context.Context, a kit.Actor, one snippet.Snippet) error {
	if _, err := s.Log.Lock(ctx, a.Realm); err != nil {
		return err
	}
	others, err := s.rows.Others(ctx, a.User, one.ID)
	if err != nil {
		return err
	}
	return others.Admit(one)
}

// profileDeleted deletes a user's snippets when the profile is deleted.
func (s *service) profileDeleted(ctx context.Context, m *user.ProfileDeleted) error {
	return s.rows.DeleteOf(ctx, m.User.ID)
}

// notFound returns err or, if it is nil, the error for a snippet that does not exist or belongs to another user.
func notFound(err error) error {
	if err != nil {
		return err
	}
	return errs.Absent("Saved snippet does not exist.")
}
