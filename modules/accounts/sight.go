package accounts

import (
	"context"
	"fmt"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// seen tells people of others whom they see now, or see no more, and of addresses, since roles, subscriptions, direct
// conversations or the realm's rule for guests have changed, and of new users whom they do not see.
func (s *service) seen(ctx context.Context, m *directory.Changed) error {
	events := tellEncounters(m.Realm, permission.Encounters(m))
	for _, c := range m.Changes {
		if u := c.User; u != nil && u.Old == nil && u.New != nil {
			if blind := m.After.Active().Minus(permission.Seeing(m.After, u.New.ID)); len(blind) > 0 {
				events = append(events, userAdded.To(m.Realm, event.Each(blind...), added{Unseen: u.New.ID}))
			}
		}
		if u := c.User; u != nil && u.Old != nil && u.New != nil && u.Old.Role != u.New.Role && u.New.Active {
			if rank := (&rankChange{u.New.ID, u.Old.Role, u.New.Role}); rank.matters(m.After) {
				events = append(events, userUpdated.To(m.Realm, event.To(u.New.ID), changed{Rank: rank}))
			}
		}
	}
	return s.Log.Append(ctx, events...)
}

// tellEncounters makes one entry for all who see the same people, however many these are.
func tellEncounters(r realm.ID, all []permission.Encounter) []event.Event {
	type crowd struct {
		lost   bool
		people user.Set
		to     []user.ID
	}
	var crowds []*crowd
	at := map[string]*crowd{}
	add := func(lost bool, people user.Set, to user.ID) {
		if len(people) == 0 {
			return
		}
		key := fmt.Sprint(lost, people)
		if at[key] == nil {
			at[key] = &crowd{lost: lost, people: people}
			crowds = append(crowds, at[key])
		}
		at[key].to = append(at[key].to, to)
	}
	for _, e := range all {
		add(true, e.Lost, e.Guest)
		add(false, e.Gained, e.Guest)
	}
	events := make([]event.Event, len(crowds))
	for i, c := range crowds {
		if c.lost {
			events[i] = userRemoved.To(r, event.Each(c.to...), removed{event.People(c.people)})
		} else {
			events[i] = userAdded.To(r, event.Each(c.to...), added{Seen: event.People(c.people), Told: event.People(idset.Of(c.to...))})
		}
	}
	return events
}

// removed tells people of others whom they no longer see.
type removed struct {
	Gone event.People `json:"gone"`
}

type goneEvent struct {
	Person gonePerson `json:"person"`
}

type gonePerson struct {
	UserID   user.ID `json:"user_id"`
	FullName string  `json:"full_name"`
}

var userRemoved = kit.Event[removed]("realm_user", "remove").
	Forms(func(_ context.Context, v *directory.View, _ event.Client, p *removed) []any {
		var all []any
		for _, id := range p.Gone {
			if u := v.User(id); u != nil {
				all = append(all, goneEvent{gonePerson{id, u.FullName}})
			}
		}
		return all
	})

// rankChange is a person whose role has changed, who therefore sees other addresses than before.
type rankChange struct {
	User user.ID   `json:"user"`
	Was  user.Role `json:"was"`
	Is   user.Role `json:"is"`
}

// matters tells whether there is an address that the change shows or hides.
func (r *rankChange) matters(v *directory.View) bool {
	was, is := &user.User{ID: r.User, Role: r.Was}, &user.User{ID: r.User, Role: r.Is}
	for u := range v.Users() {
		if permission.SeesEmail(was, u) != permission.SeesEmail(is, u) {
			return true
		}
	}
	return false
}

// addresses are the events of the addresses that the person has come to see, and of those that are hidden now. What has
// been hidden since then, in head, be it by another role, stays so.
func (r *rankChange) addresses(v, head *directory.View) []any {
	me := v.User(r.User)
	if me == nil {
		return nil
	}
	was, is := &user.User{ID: r.User, Role: r.Was}, &user.User{ID: r.User, Role: r.Is}
	var all []any
	for u := range v.Users() {
		saw, sees := permission.SeesEmail(was, u), permission.SeesEmail(is, u)
		if saw == sees || !permission.Sees(v, me, u.ID) {
			continue
		}
		person := map[string]any{"user_id": u.ID, "delivery_email": nil}
		if sees {
			reader, now := head.User(r.User), head.User(u.ID)
			if !permission.SeesEmail(reader, now) || !permission.Sees(head, reader, u.ID) {
				all = append(all, nil) // the others keep their numbers
				continue
			}
			person["delivery_email"] = now.DeliveryEmail
		}
		all = append(all, personChange{person})
	}
	return all
}

// strangers are the records of people whom guests have come to see, as guests see them. What is said in a profile is
// read now, perhaps after the last time that they saw it: only of whom says is it told.
func (p *added) strangers(v *directory.View, c event.Client, says func(user.ID) bool) []any {
	reader := &user.User{Role: user.Guest}
	h := how{gravatar: c.ClientGravatar, profile: true, active: true, profiles: p.profiles}
	var all []any
	for _, id := range p.Seen {
		then, now := v.User(id), p.head.User(id)
		if then == nil || now == nil {
			continue
		}
		h := h
		if !says(id) {
			h.profiles = nil
		}
		all = append(all, introduce(record(v, reader, late(then, now), h)))
	}
	return all
}

// apart gives those who are told of people whom not all of them see any more each their own.
func (p *added) apart(r event.Receiver) ([]any, bool) {
	if len(p.Seen) == 0 || !p.unseen {
		return nil, false
	}
	me := r.Head.User(r.User.ID)
	return p.strangers(r.View, r.Queue.Client, func(id user.ID) bool { return permission.Sees(r.Head, me, id) }), true
}

// placeholder is what clients that must know every id are told of a new user whom the receivers may not see, as in
// /register.
func (p *added) placeholder(v *directory.View, c event.Client) []any {
	u := v.User(p.Unseen)
	if u == nil || c.UserListIncomplete {
		return nil
	}
	return []any{introduce(unknown(v, u, how{gravatar: c.ClientGravatar, profile: true, active: true}))}
}

// someUnseen tells whether one of those who are told may not know of all of the people any more.
func (p *added) someUnseen() bool {
	return slices.ContainsFunc(p.Told, func(g user.ID) bool {
		return slices.ContainsFunc(p.Seen, func(id user.ID) bool { return !permission.Sees(p.head, p.head.User(g), id) })
	})
}
