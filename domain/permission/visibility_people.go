package permission

import (
	"cmp"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/user"
)

// UserVisibility is a change of the set of users whom a user can see.
type UserVisibility struct {
	Guest        user.ID
	Gained, Lost user.Set
}

// UserVisibilityChanges returns the active users whose set of visible users changes: guests of realms that restrict
// them, and users who become or cease to be such guests, ordered by ID. For other realms and changes it computes
// nothing. All hooks of a change share one result.
func UserVisibilityChanges(m *directory.Changed) []UserVisibility {
	type key struct{}
	return directory.Once(m, key{}, func() []UserVisibility {
		return compareUserVisibility(m.Before, m.After, m.Changes)
	})
}

// VisibilityGroup holds guests who start to see the same users.
type VisibilityGroup struct{ Guests, Gained user.Set }

// VisibilityGroups groups the guests who start to see users by these users, so that one log entry covers each group.
// All hooks of a change share one result.
func VisibilityGroups(m *directory.Changed) []VisibilityGroup {
	type key struct{}
	return directory.Once(m, key{}, func() []VisibilityGroup {
		var all []VisibilityGroup
		for _, e := range UserVisibilityChanges(m) {
			if len(e.Gained) > 0 {
				all = append(all, VisibilityGroup{user.Set{e.Guest}, e.Gained})
			}
		}
		slices.SortStableFunc(all, func(a, b VisibilityGroup) int { return slices.Compare(a.Gained, b.Gained) })
		n := 0
		for i, c := range all {
			if i > 0 && slices.Equal(all[n-1].Gained, c.Gained) {
				all[n-1].Guests = append(all[n-1].Guests, c.Guests...)
				continue
			}
			all[n] = c
			n++
		}
		return all[:n]
	})
}

func compareUserVisibility(before, after *directory.View, changes []directory.Change) []UserVisibility {
	if !Restricts(before) && !Restricts(after) {
		return nil
	}
	compareAll := map[user.ID]bool{}      // readers to compare with all users
	compareSome := map[user.ID]user.Set{} // readers, and the users to compare
	for _, c := range changes {
		switch {
		case c.Realm != nil && Restricts(before) != Restricts(after):
			for _, g := range after.WithRole(user.Guest) {
				compareAll[g] = true
			}
		case c.User != nil && c.User.Old != nil && c.User.New != nil && c.User.Old.IsGuest() != c.User.New.IsGuest():
			compareAll[c.User.New.ID] = true
		case c.Introduced != nil:
			compareSome[c.Introduced.Guest] = compareSome[c.Introduced.Guest].Union(c.Introduced.With)
		case c.Subs != nil:
			moved := c.Subs.Add.Union(c.Subs.Remove)
			subscribers := before.Subscribers(c.Subs.Channel).Union(after.Subscribers(c.Subs.Channel))
			for _, g := range subscribers.And(after.WithRole(user.Guest)) {
				if moved.Has(g) {
					compareAll[g] = true // comparing each pair would be quadratic if a crowd joins
				} else {
					compareSome[g] = compareSome[g].Union(moved)
				}
			}
		}
	}
	var all []UserVisibility
	for u := range compareAll {
		delete(compareSome, u)
		had, has := visibleUsers(before, u), visibleUsers(after, u)
		all = appendUserVisibility(all, UserVisibility{u, has.Minus(had), had.Minus(has)})
	}
	for u, others := range compareSome {
		if !after.Active().Has(u) {
			continue
		}
		e := UserVisibility{Guest: u}
		for _, id := range others {
			switch had, has := Sees(before, before.User(u), id), Sees(after, after.User(u), id); {
			case has && !had:
				e.Gained = append(e.Gained, id)
			case had && !has:
				e.Lost = append(e.Lost, id)
			}
		}
		all = appendUserVisibility(all, e)
	}
	slices.SortFunc(all, func(a, b UserVisibility) int { return cmp.Compare(a.Guest, b.Guest) })
	return all
}

// appendUserVisibility appends e unless it is empty.
func appendUserVisibility(all []UserVisibility, e UserVisibility) []UserVisibility {
	if len(e.Gained)+len(e.Lost) == 0 {
		return all
	}
	return append(all, e)
}

// visibleUsers returns all users, except for bots, whom an active user can see; nil for inactive users.
func visibleUsers(v *directory.View, id user.ID) user.Set {
	u := v.User(id)
	if u == nil || !u.Active {
		return nil
	}
	limited := restricted(v, u)
	var all user.Set
	if !limited {
		for u := range v.Users() {
			all = append(all, u.ID)
		}
	} else {
		all = v.Partners(id).Union(user.Set{id})
		for _, c := range v.Subscriptions(id) {
			all = all.Union(v.Subscribers(c))
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(id user.ID) bool { return v.User(id).IsBot() })
}
