package permission

import (
	"cmp"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/user"
)

// Encounter is what becomes of whom a guest may know of.
type Encounter struct {
	Guest        user.ID
	Gained, Lost user.Set
}

// Encounters gives the active people who come to know of others by changes, or may know of them no more: guests of
// realms that restrict them, and who becomes such a guest or ceases to be one. They come by id. In other realms, and
// for changes of anything else, nothing is computed; all hooks of a change share one answer.
func Encounters(m *directory.Changed) []Encounter {
	type encounters struct{}
	return directory.Once(m, encounters{}, func() []Encounter { return meet(m.Before, m.After, m.Changes) })
}

// Crowd is guests who come to know of the same people at once.
type Crowd struct{ Guests, Gained user.Set }

// Crowds gives those of the encounters by which somebody is gained, with those who gain the same put together, so that
// one entry of the log tells all of them. All hooks of a change share one answer.
func Crowds(m *directory.Changed) []Crowd {
	type crowds struct{}
	return directory.Once(m, crowds{}, func() []Crowd {
		var all []Crowd
		for _, e := range Encounters(m) {
			if len(e.Gained) > 0 {
				all = append(all, Crowd{user.Set{e.Guest}, e.Gained})
			}
		}
		slices.SortStableFunc(all, func(a, b Crowd) int { return slices.Compare(a.Gained, b.Gained) })
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

func meet(before, after *directory.View, changes []directory.Change) []Encounter {
	if !Restricts(before) && !Restricts(after) {
		return nil
	}
	everything := map[user.ID]bool{} // readers for whom everybody is compared
	some := map[user.ID]user.Set{}   // readers, and whom to compare
	for _, c := range changes {
		switch {
		case c.Realm != nil && Restricts(before) != Restricts(after):
			for _, g := range after.WithRole(user.Guest) {
				everything[g] = true
			}
		case c.User != nil && c.User.Old != nil && c.User.New != nil && c.User.Old.IsGuest() != c.User.New.IsGuest():
			everything[c.User.New.ID] = true
		case c.Met != nil:
			some[c.Met.Guest] = some[c.Met.Guest].Union(c.Met.With)
		case c.Subs != nil:
			moved := c.Subs.Add.Union(c.Subs.Remove)
			there := before.Subscribers(c.Subs.Channel).Union(after.Subscribers(c.Subs.Channel))
			for _, g := range there.And(after.WithRole(user.Guest)) {
				if moved.Has(g) {
					everything[g] = true // a few unions; to look at each pair is quadratic where a crowd joins
				} else {
					some[g] = some[g].Union(moved)
				}
			}
		}
	}
	var all []Encounter
	for u := range everything {
		delete(some, u)
		had, has := known(before, u), known(after, u)
		all = appendEncounter(all, Encounter{u, has.Minus(had), had.Minus(has)})
	}
	for u, others := range some {
		if !after.Active().Has(u) {
			continue
		}
		e := Encounter{Guest: u}
		for _, id := range others {
			switch had, has := Sees(before, before.User(u), id), Sees(after, after.User(u), id); {
			case has && !had:
				e.Gained = append(e.Gained, id)
			case had && !has:
				e.Lost = append(e.Lost, id)
			}
		}
		all = appendEncounter(all, e)
	}
	slices.SortFunc(all, func(a, b Encounter) int { return cmp.Compare(a.Guest, b.Guest) })
	return all
}

// appendEncounter leaves out who hears of nothing: those for whom nothing changes, and who is not here.
func appendEncounter(all []Encounter, e Encounter) []Encounter {
	if len(e.Gained)+len(e.Lost) == 0 {
		return all
	}
	return append(all, e)
}

// known gives everybody, bots aside, whom an active person may know of.
func known(v *directory.View, id user.ID) user.Set {
	u := v.User(id)
	if u == nil || !u.Active {
		return nil
	}
	blind := restricted(v, u)
	var all user.Set
	if !blind {
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
