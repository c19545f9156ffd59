package navigation

import (
	"context"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/navigation"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// Payloads of the events, which only the user's own clients receive.
type (
	added struct {
		View navigation.View `json:"navigation_view"`
	}
	changed struct {
		Fragment string            `json:"fragment"`
		Data     navigation.Change `json:"data"`
	}
	removed struct {
		Fragment string `json:"fragment"`
	}
)

var (
	viewAdded   = kit.Event[added]("navigation_view", "add")
	viewChanged = kit.Event[changed]("navigation_view", "update")
	viewRemoved = kit.Event[removed]("navigation_view", "remove")
)

// list is the response to GET and the section of /register.
type list struct {
	Views []navigation.View `json:"navigation_views"`
}

func (s *service) list(ctx context.Context, a kit.Actor, _ kit.None) (list, error) {
	views, err := s.rows.Of(ctx, a.User)
	return list{views}, err
}

func (s *service) section(ctx context.Context, a kit.Actor, _ event.Client) (list, error) {
	return s.list(ctx, a, kit.None{})
}

type addReq struct {
	Fragment string  `json:"fragment"`
	Pinned   bool    `json:"is_pinned"`
	Name     *string `json:"name" forms:"string | null"`
}

// add handles POST /navigation_views. Errors: BadRequest.
func (s *service) add(ctx context.Context, a kit.Actor, in addReq) (kit.None, error) {
	if in.Name != nil && *in.Name == "null" { // clients send null as a string
		in.Name = nil
	}
	return kit.None{}, s.withViews(ctx, a, func(ctx context.Context, views []navigation.View) error {
		v, err := navigation.New(views, navigation.View{Fragment: in.Fragment, Pinned: in.Pinned, Name: in.Name})
		if err != nil {
			return err
		}
		if err := s.rows.Insert(ctx, a.Realm, a.User, v); err != nil {
			return err
		}
		return s.Log.Append(ctx, viewAdded.To(a.Realm, event.To(a.User), added{v}))
	})
}

type changeReq struct {
	Fragment string  `json:"fragment"`
	Pinned   *bool   `json:"is_pinned"`
	Name     *string `json:"name"`
}

// change handles PATCH /navigation_views/:fragment. It sends no event if nothing changes. Errors: BadRequest, NotFound.
func (s *service) change(ctx context.Context, a kit.Actor, in changeReq) (kit.None, error) {
	return kit.None{}, s.withViews(ctx, a, func(ctx context.Context, views []navigation.View) error {
		i := navigation.Find(views, in.Fragment)
		if i < 0 {
			return errNoView()
		}
		effective, v, err := navigation.Change{Pinned: in.Pinned, Name: in.Name}.Of(views, i)
		if err != nil || effective == (navigation.Change{}) {
			return err
		}
		if err := s.rows.Update(ctx, a.Realm, a.User, v); err != nil {
			return err
		}
		return s.Log.Append(ctx, viewChanged.To(a.Realm, event.To(a.User), changed{v.Fragment, effective}))
	})
}

type removeReq struct {
	Fragment string `json:"fragment"`
}

// remove handles DELETE /navigation_views/:fragment. Errors: NotFound.
func (s *service) remove(ctx context.Context, a kit.Actor, in removeReq) (kit.None, error) {
	return kit.None{}, s.withViews(ctx, a, func(ctx context.Context, views []navigation.View) error {
		if navigation.Find(views, in.Fragment) < 0 {
			return errNoView()
		}
		if err := s.rows.Delete(ctx, a.Realm, a.User, in.Fragment); err != nil {
			return err
		}
		return s.Log.Append(ctx, viewRemoved.To(a.Realm, event.To(a.User), removed(in)))
	})
}

// forget deletes a user's views when the user's profile is deleted.
func (s *service) forget(ctx context.Context, m *user.ProfileDeleted) error {
	return s.rows.Clear(ctx, m.User.ID)
}

func errNoView() error { return errs.New(errs.NotFound, "Navigation view does not exist.") }

// withViews locks the realm and calls do with the caller's views, in a unit of work.
func (s *service) withViews(
	ctx context.Context,
	a kit.Actor,
	do func(ctx context.Context, views []navigation.View) error,
) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		if _, err := s.Log.Lock(ctx, a.Realm); err != nil {
			return err
		}
		views, err := s.rows.Of(ctx, a.User)
		if err != nil {
			return err
		}
		return do(ctx, views)
	})
}
