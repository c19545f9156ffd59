package linkifiers

import (
	"context"
	"reflect"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/linkifier"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/quota"
	"github.com/stoachat/stoa/modules/kit"
)

type addReq struct {
	Pattern      string    `json:"pattern"`
	URLTemplate  string    `json:"url_template"`
	ExampleInput *string   `json:"example_input"`
	Reverse      *string   `json:"reverse_template"`
	Alternatives *[]string `json:"alternative_url_templates"`
}

// applyTo returns l with the requested changes. Optional texts are unchanged if absent or null, and removed if empty.
func (in addReq) applyTo(l linkifier.Linkifier) *linkifier.Linkifier {
	l.Pattern, l.URLTemplate = in.Pattern, in.URLTemplate
	for _, f := range []struct {
		to   **string
		sent *string
	}{{&l.ExampleInput, in.ExampleInput}, {&l.Reverse, in.Reverse}} {
		switch {
		case f.sent == nil || *f.sent == "null": // some clients send null as a string
		case *f.sent == "":
			*f.to = nil
		default:
			*f.to = f.sent
		}
	}
	if in.Alternatives != nil {
		l.Alternatives = nil
		if len(*in.Alternatives) > 0 {
			l.Alternatives = *in.Alternatives
		}
	}
	return &l
}

type addRes struct {
	ID linkifier.ID `json:"id"`
}

// add handles POST /realm/filters. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) add(ctx context.Context, a kit.Actor, in addReq) (addRes, error) {
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (addRes, error) {
		v, err := kit.AdminView(ctx, s.Directory, a)
		if err != nil {
			return addRes{}, err
		}
		existing := linkifier.In(v)
		l := in.applyTo(linkifier.Linkifier{Order: existing.Next()})
		if err := existing.Check(l); err != nil {
			return addRes{}, err
		}
		most := quota.Limit{What: "linkifiers", Total: s.cfg.MaxPerRealm}
		if err := most.Admit(permission.Role(v, a), quota.Count{All: len(existing.All())}, 1); err != nil {
			return addRes{}, err
		}
		if err := s.rows.Insert(ctx, a.Realm, l); err != nil {
			return addRes{}, err
		}
		return addRes{l.ID}, s.publish(ctx, a, linkifier.Change(nil, l))
	})
}

type updateReq struct {
	ID linkifier.ID `json:"filter_id"`
	addReq
}

// update handles PATCH /realm/filters/{filter_id}. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) update(ctx context.Context, a kit.Actor, in updateReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		v, old, err := s.find(ctx, a, in.ID)
		if err != nil {
			return err
		}
		now := in.applyTo(*old)
		if err := linkifier.In(v).Check(now); err != nil {
			return err
		}
		if reflect.DeepEqual(old, now) {
			return nil
		}
		if err := s.rows.Write(ctx, a.Realm, now); err != nil {
			return err
		}
		return s.publish(ctx, a, linkifier.Change(old, now))
	})
}

type removeReq struct {
	ID linkifier.ID `json:"filter_id"`
}

// remove handles DELETE /realm/filters/{filter_id}. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) remove(ctx context.Context, a kit.Actor, in removeReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		_, old, err := s.find(ctx, a, in.ID)
		if err != nil {
			return err
		}
		if err := s.rows.Delete(ctx, a.Realm, in.ID); err != nil {
			return err
		}
		return s.publish(ctx, a, linkifier.Change(old, nil))
	})
}

type reorderReq struct {
	Order []linkifier.ID `json:"ordered_linkifier_ids"`
}

// reorder handles PATCH /realm/linkifiers. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) reorder(ctx context.Context, a kit.Actor, in reorderReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := kit.AdminView(ctx, s.Directory, a)
		if err != nil {
			return err
		}
		moved, err := linkifier.In(v).Reorder(in.Order)
		if err != nil || len(moved) == 0 {
			return err
		}
		now, changes := make([]*linkifier.Linkifier, len(moved)), make([]directory.Change, len(moved))
		for i, m := range moved {
			now[i], changes[i] = m.New, linkifier.Change(m.Old, m.New)
		}
		if err := s.rows.Write(ctx, a.Realm, now...); err != nil {
			return err
		}
		return s.publish(ctx, a, changes...)
	})
}

// find returns the view and an existing linkifier. Errors: linkifier.ErrNotFound and those of adminView.
func (s *service) find(
	ctx context.Context,
	a kit.Actor,
	id linkifier.ID,
) (*directory.View, *linkifier.Linkifier, error) {
	v, err := kit.AdminView(ctx, s.Directory, a)
	if err != nil {
		return nil, nil, err
	}
	l := linkifier.In(v).Get(id)
	if l == nil {
		return nil, nil, linkifier.ErrNotFound()
	}
	return v, l.Linkifier, nil
}

func (s *service) publish(ctx context.Context, a kit.Actor, changes ...directory.Change) error {
	return s.Log.Append(ctx, changedList.To(a.Realm, event.Everyone(), kit.None{}).Changing(changes...))
}
