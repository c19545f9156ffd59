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

// visibilityChanged notifies users when changes of roles, subscriptions, direct conversations or the realm's rules for
// guests affect which users or addresses they can see. It also notifies users of new users whom they cannot see.
func (s *service) visibilityChanged(ctx context.Context, m *directory.Changed) error {
	events := visibilityEvents(m.Realm, permission.UserVisibilityChanges(m))
	for _, c := range m.Changes {
		if u := c.User; u != nil && u.Old == nil && u.New != nil {
			if excluded := m.After.Active().Minus(permission.Seeing(m.After, u.New.ID)); len(excluded) > 0 {
				events = append(events, userAdded.To(m.Realm, event.Each(excluded...), added{Unseen: u.New.ID}))
			}
		}
		if u := c.User; u != nil && u.Old != nil && u.New != nil && u.Old.Role != u.New.Role && u.New.Active {
			if change := (&roleChange{u.New.ID, u.Old.Role, u.New.Role}); change.affectsAddresses(m.After) {
				events = append(events, userUpdated.To(m.Realm, event.To(u.New.ID), changed{RoleChange: change}))
			}
		}
	}
	return s.Log.Append(ctx, events...)
}

// visibilityEvents returns the events for changes of visibility. Receivers who can newly see the same users, or no
// longer see them, share an event.
func visibilityEvents(r realm.ID, all []permission.UserVisibility) []event.Event {
	type group struct {
		lost   bool
		people user.Set
		to     []user.ID
	}
	var groups []*group
	at := map[string]*group{}
	add := func(lost bool, people user.Set, to user.ID) {
		if len(people) == 0 {
			return
		}
		key := fmt.Sprint(lost, people)
		if at[key] == nil {
			at[key] = &group{lost: lost, people: people}
			groups = append(groups, at[key])
		}
		at[key].to = append(at[key].to, to)
	}
	for _, e := range all {
		add(true, e.Lost, e.Guest)
		add(false, e.Gained, e.Guest)
	}
	events := make([]event.Event, len(groups))
	for i, c := range groups {
		if c.lost {
			events[i] = userRemoved.To(r, event.Each(c.to...), removed{event.People(c.people)})
		} else {
			events[i] = userAdded.To(r, event.Each(c.to...),
				added{Seen: event.People(c.people), Receivers: event.People(idset.Of(c.to...))})
		}
	}
	return events
}

// removed is the log entry of realm_user/remove events: users whom the receivers can no longer see.
type removed struct {
	Users event.People `json:"gone"`
}

type removeEvent struct {
	Person removedPerson `json:"person"`
}

type removedPerson struct {
	UserID   user.ID `json:"user_id"`
	FullName string  `json:"full_name"`
}

var userRemoved = kit.Event[removed]("realm_user", "remove").Sends(removeEvent{}).
	Forms(func(_ context.Context, v *directory.View, _ event.Client, p *removed) []any {
		var all []any
		for _, id := range p.Users {
			if u := v.User(id); u != nil {
				all = append(all, removeEvent{removedPerson{id, u.FullName}})
			}
		}
		return all
	})

// roleChange is a change of a user's role that affects which email addresses the user can see.
type roleChange struct {
	User user.ID   `json:"user"`
	Was  user.Role `json:"was"`
	Is   user.Role `json:"is"`
}

// affectsAddresses reports whether the change reveals or hides any address.
func (r *roleChange) affectsAddresses(v *directory.View) bool {
	was, is := &user.User{ID: r.User, Role: r.Was}, &user.User{ID: r.User, Role: r.Is}
	for u := range v.Users() {
		if permission.SeesEmail(was, u) != permission.SeesEmail(is, u) {
			return true
		}
	}
	return false
}

// addresses returns an event for each address that the change reveals or hides. v is the view after the change. Events
// are nil for addresses that have been hidden since, according to head.
func (r *roleChange) addresses(v, head *directory.View) []any {
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
				all = append(all, nil) // so that the IDs of the other events do not change
				continue
			}
			person["delivery_email"] = now.DeliveryEmail
		}
		all = append(all, personChange{person})
	}
	return all
}

// becameVisible returns the events about users who have become visible to guests. Profiles are read at delivery, when a
// user may be invisible again, so records include the profile only if withProfile returns true.
func (p *added) becameVisible(v *directory.View, c event.Client, withProfile func(user.ID) bool) []any {
	reader := &user.User{Role: user.Guest}
	h := format{gravatar: c.ClientGravatar, profile: true, active: true, profiles: p.profiles}
	var all []any
	for _, id := range p.Seen {
		then, now := v.User(id), p.head.User(id)
		if then == nil || now == nil {
			continue
		}
		h := h
		if !withProfile(id) {
			h.profiles = nil
		}
		all = append(all, introduce(record(v, reader, asOf(then, now), h)))
	}
	return all
}

// perReceiver returns the events for one receiver. It returns false if all receivers can still see all of p.Seen and
// get the same events.
func (p *added) perReceiver(r event.Receiver) ([]any, bool) {
	if len(p.Seen) == 0 || !p.unseen {
		return nil, false
	}
	me := r.Head.User(r.User.ID)
	return p.becameVisible(r.View, r.Queue.Client, func(id user.ID) bool { return permission.Sees(r.Head, me, id) }), true
}

// placeholder returns the event about a new user whom the receivers cannot see, for clients that need a record for
// every ID.
func (p *added) placeholder(v *directory.View, c event.Client) []any {
	u := v.User(p.Unseen)
	if u == nil || c.UserListIncomplete {
		return nil
	}
	return []any{introduce(unknown(v, u, format{gravatar: c.ClientGravatar, profile: true, active: true}))}
}

// anyUnseen reports whether any of p.Receivers can no longer see all of p.Seen.
func (p *added) anyUnseen() bool {
	return slices.ContainsFunc(p.Receivers, func(g user.ID) bool {
		return slices.ContainsFunc(p.Seen, func(id user.ID) bool { return !permission.Sees(p.head, p.head.User(g), id) })
	})
}
