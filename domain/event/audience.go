package event

import (
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
)

// Kind determines how an Audience is resolved.
type Kind int16

// The kinds, as they are stored; never renumber.
const (
	ToUser          Kind = 1 // the user ID
	ToUsers         Kind = 2 // the users listed
	ToRealm         Kind = 3 // all active users
	ToNonGuests     Kind = 4
	ToAdmins        Kind = 5 // administrators and owners
	ToSubscribers   Kind = 6 // of channel ID
	ToSeeingChannel Kind = 7 // users who can see that channel ID exists
	ToNobody        Kind = 8 // a change without events for clients
	ToSeeing        Kind = 9 // users who can see user ID
)

// Known reports whether this version knows the kind.
func (k Kind) Known() bool { return k >= ToUser && k <= ToSeeing }

// Audience is an expression for the receivers of an event, resolved at delivery with the view as of the event. List
// users only if no expression describes the receivers; lists are stored packed.
type Audience struct {
	Kind   Kind   `json:"kind"`
	ID     int64  `json:"id,omitempty"`
	Users  People `json:"users,omitempty"`  // additional receivers; for ToUsers the only ones
	Except People `json:"except,omitempty"` // excluded users
}

// People is a set of users in the log's encoding.
type People = idset.Packed[user.ID]

// To addresses one user.
func To(u user.ID) Audience { return Audience{Kind: ToUser, ID: int64(u)} }

// Each addresses the listed users.
func Each(us ...user.ID) Audience { return Audience{Kind: ToUsers, Users: People(idset.Of(us...))} }

// Everyone addresses all active users of the realm.
func Everyone() Audience { return Audience{Kind: ToRealm} }

// NonGuests addresses all active users except guests.
func NonGuests() Audience { return Audience{Kind: ToNonGuests} }

// Admins addresses administrators and owners.
func Admins() Audience { return Audience{Kind: ToAdmins} }

// Subscribers addresses the subscribers of a channel.
func Subscribers(c channel.ID) Audience { return Audience{Kind: ToSubscribers, ID: int64(c)} }

// SeeingChannel addresses the users who can see that a channel exists.
func SeeingChannel(c channel.ID) Audience { return Audience{Kind: ToSeeingChannel, ID: int64(c)} }

// Seeing addresses the users who can see a user.
func Seeing(u user.ID) Audience { return Audience{Kind: ToSeeing, ID: int64(u)} }

// None addresses nobody, for entries that only change shared facts.
func None() Audience { return Audience{Kind: ToNobody} }

// And adds users.
func (a Audience) And(us ...user.ID) Audience {
	a.Users = People(user.Set(a.Users).Union(idset.Of(us...)))
	return a
}

// But excludes users.
func (a Audience) But(us ...user.ID) Audience {
	a.Except = People(user.Set(a.Except).Union(idset.Of(us...)))
	return a
}

// Single returns the one addressed user, or 0.
func (a Audience) Single() user.ID {
	if a.Kind == ToUser {
		return user.ID(a.ID)
	}
	return 0
}

// Includes reports whether u is active and receives the event, according to v.
func (a Audience) Includes(v *directory.View, u user.ID) bool {
	receiver := v.User(u)
	if receiver == nil || !receiver.Active || user.Set(a.Except).Has(u) {
		return false
	}
	if user.Set(a.Users).Has(u) {
		return true
	}
	switch a.Kind {
	case ToUser:
		return user.ID(a.ID) == u
	case ToRealm:
		return true
	case ToSeeing:
		return permission.Sees(v, receiver, user.ID(a.ID))
	case ToNonGuests:
		return !receiver.IsGuest()
	case ToAdmins:
		return receiver.IsAdmin()
	case ToSubscribers:
		return v.Subscribed(u, channel.ID(a.ID))
	case ToSeeingChannel:
		return permission.SeesChannel(v, v.Channel(channel.ID(a.ID)), receiver)
	}
	return false
}

// Members returns all receivers, according to v.
func (a Audience) Members(v *directory.View) user.Set {
	var s user.Set
	switch a.Kind {
	case ToUser:
		s = idset.Of(user.ID(a.ID)).And(v.Active())
	case ToRealm:
		s = v.Active()
	case ToSeeing:
		if v.User(user.ID(a.ID)) != nil {
			s = permission.Seeing(v, user.ID(a.ID))
		}
	case ToNonGuests:
		s = v.Active().Minus(v.WithRole(user.Guest))
	case ToAdmins:
		s = v.WithRole(user.Owner).Union(v.WithRole(user.Admin))
	case ToSubscribers:
		s = v.Subscribers(channel.ID(a.ID))
	case ToSeeingChannel:
		s = permission.SeeingChannel(v, v.Channel(channel.ID(a.ID)))
	}
	return s.Union(user.Set(a.Users).And(v.Active())).Minus(user.Set(a.Except))
}
