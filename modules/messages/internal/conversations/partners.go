package conversations

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// In realms that restrict which users guests can see, guests can see the users with whom they have exchanged direct
// messages. The directory contains these pairs, but only in such realms.

// introduced is the log entry for new pairs. Clients are notified of the users by events of the accounts module.
var introduced = kit.Event[kit.None]("guests", "met").Internal()

// Partners returns the changes that add a realm's pairs to a view when it is loaded.
func (s *Service) Partners(ctx context.Context, v *directory.View) ([]directory.Change, error) {
	if !permission.Restricts(v) {
		return nil, nil
	}
	return s.partnersOf(ctx, v, v.WithRole(user.Guest))
}

// partnersOf returns the changes that add the guests' missing pairs to the view.
func (s *Service) partnersOf(ctx context.Context, v *directory.View, guests user.Set) ([]directory.Change, error) {
	if len(guests) == 0 {
		return nil, nil
	}
	all, err := s.Store.Partners(ctx, v.Realm().ID, guests)
	if err != nil {
		return nil, err
	}
	var changes []directory.Change
	for _, g := range guests {
		if more := withoutBots(v, all[g]).Minus(v.Partners(g)); len(more) > 0 {
			changes = append(changes, directory.Change{Introduced: &directory.Introduced{Guest: g, With: more}})
		}
	}
	return changes, nil
}

// restrictionChanged adds the pairs of guests who become restricted, by the realm's setting or by their role, and
// removes those of guests who cease to be restricted. Thus all nodes have the same pairs, whenever they were started.
func (s *Service) restrictionChanged(ctx context.Context, m *directory.Changed) error {
	if !permission.Restricts(m.Before) && !permission.Restricts(m.After) {
		return nil
	}
	var before, after user.Set
	for _, c := range m.Changes {
		switch {
		case c.Realm != nil:
			before, after = before.Union(m.Before.WithRole(user.Guest)), after.Union(m.After.WithRole(user.Guest))
		case c.User != nil:
			if u := c.User.Old; u != nil && u.Active && u.IsGuest() {
				before = before.Union(user.Set{u.ID})
			}
			if u := c.User.New; u != nil && u.Active && u.IsGuest() {
				after = after.Union(user.Set{u.ID})
			}
		}
	}
	if !permission.Restricts(m.Before) {
		before = nil
	}
	if !permission.Restricts(m.After) {
		after = nil
	}
	if len(after.Minus(before)) > 0 { // no conversation may be created before the commit; see Of
		if _, err := s.Log.Lock(ctx, m.Realm); err != nil {
			return err
		}
	}
	changes, err := s.partnersOf(ctx, m.After, after.Minus(before))
	if err != nil {
		return err
	}
	for _, u := range before.Minus(after) {
		if with := m.After.Partners(u); len(with) > 0 {
			changes = append(changes, directory.Change{Introduced: &directory.Introduced{Guest: u, With: with, Not: true}})
		}
	}
	if len(changes) == 0 {
		return nil
	}
	return s.Log.Append(ctx, introduced.To(m.Realm, event.None(), kit.None{}).Changing(changes...))
}

// newPairs returns the changes that add a new conversation's pairs to the view.
func newPairs(v *directory.View, members user.Set) []directory.Change {
	if !permission.Restricts(v) {
		return nil
	}
	var changes []directory.Change
	for _, id := range members {
		u := v.User(id)
		if u == nil || !u.IsGuest() {
			continue
		}
		if more := withoutBots(v, members).Minus(user.Set{id}).Minus(v.Partners(id)); len(more) > 0 {
			changes = append(changes, directory.Change{Introduced: &directory.Introduced{Guest: id, With: more}})
		}
	}
	return changes
}

// withoutBots returns us without bots, which everyone can see.
func withoutBots(v *directory.View, us user.Set) user.Set {
	var all user.Set
	for _, id := range us {
		if u := v.User(id); u != nil && !u.IsBot() {
			all = append(all, id)
		}
	}
	return all
}
