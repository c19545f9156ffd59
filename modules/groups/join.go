package groups

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
)

// AddMembers implements [ports.Members].
func (s *service) AddMembers(ctx context.Context, by user.Actor, gs []group.ID, us []user.ID) error {
	if len(gs) == 0 || len(us) == 0 {
		return nil
	}
	return s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, by.Realm)
		if err != nil {
			return err
		}
		who := idset.Of(us...)
		if err := checkMembers(v, who); err != nil {
			return err
		}
		var rows []memberRow
		var entries []event.Event
		for _, id := range idset.Of(gs...) {
			g := v.Group(id)
			switch {
			case g == nil:
				return errs.Bad("Invalid user group")
			case g.Deactivated:
				return errs.Bad("User group is deactivated.")
			case g.System || !by.System && !permission.AddsTo(v, g, by.User):
				return denied()
			}
			add := who.Minus(g.Members)
			if len(add) == 0 {
				continue
			}
			for _, u := range add {
				rows = append(rows, memberRow{GroupID: id, UserID: u, RealmID: by.Realm})
			}
			entries = append(entries, membersAdded.To(by.Realm, event.Everyone(), memberChange{id, add}).
				Changing(directory.Change{Members: &directory.Members{Group: id, Add: add}}))
		}
		if len(rows) == 0 {
			return nil
		}
		if err := s.store.Join(ctx, rows); err != nil {
			return err
		}
		return s.Log.Append(ctx, entries...)
	})
}
