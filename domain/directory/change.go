package directory

import (
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
)

// Change is a change of shared facts as recorded in the log. It holds old and new values, so that every node can apply
// and undo it: the view at an earlier position is the current one with later changes undone. Exactly one field is set.
type Change struct {
	Realm      *Swap[realm.Realm]     `json:"realm,omitempty"`
	User       *Swap[user.User]       `json:"user,omitempty"`
	Group      *Swap[group.Group]     `json:"group,omitempty"`
	Channel    *Swap[channel.Channel] `json:"channel,omitempty"`
	Members    *Members               `json:"members,omitempty"`
	Subs       *Subs                  `json:"subs,omitempty"`
	Mute       *Mute                  `json:"mute,omitempty"`
	Introduced *Introduced            `json:"met,omitempty"`

	Traffic  []Traffic              `json:"traffic,omitempty"`
	Session  *Swap[session.Session] `json:"session,omitempty"`
	Sessions *SessionsEnded         `json:"sessions,omitempty"`

	Slot *SlotChange `json:"-"` // facts that a module adds to the view; MarshalJSON writes it
}

// SessionsEnded ends all sessions with an ID up to Last; previously, those up to Before had ended. There may be too
// many sessions to list them.
type SessionsEnded struct {
	Before session.ID `json:"before"`
	Last   session.ID `json:"last"`
}

// Traffic is the old and new traffic of a channel. It is separate from the channel's record so that one change can
// update many channels.
type Traffic struct {
	Channel  channel.ID `json:"channel"`
	Old      *int       `json:"old,omitempty"`
	New      *int       `json:"new,omitempty"`
	WasQuiet bool       `json:"was_quiet,omitempty"`
	Quiet    bool       `json:"quiet,omitempty"`
}

// Swap replaces a record. Old is nil for a new record, New for a deleted one.
type Swap[T any] struct {
	Old *T `json:"old,omitempty"`
	New *T `json:"new,omitempty"`
}

// Inverse returns the swap that undoes s.
func (s Swap[T]) Inverse() Swap[T] { return Swap[T]{Old: s.New, New: s.Old} }

// Members adds direct members to a user group, or removes them. It lists only users whose membership changes.
type Members struct {
	Group  group.ID `json:"group"`
	Add    user.Set `json:"add,omitempty"`
	Remove user.Set `json:"remove,omitempty"`
}

// Subs subscribes active users to a channel, or unsubscribes them. It lists only users whose subscription changes.
type Subs struct {
	Channel channel.ID `json:"channel"`
	Add     user.Set   `json:"add,omitempty"`
	Remove  user.Set   `json:"remove,omitempty"`
}

// Mute records that a user has muted another, or no longer does.
type Mute struct {
	User  user.ID `json:"user"`
	Muted user.ID `json:"muted"`
	On    bool    `json:"on"`
}

// Introduced records that a guest has exchanged direct messages with users, or received something from them, and may
// therefore see them. It lists only users whom the guest could not see before. It is recorded only in realms that
// restrict which users guests see.
type Introduced struct {
	Guest user.ID  `json:"guest"`
	With  user.Set `json:"with"`
	Not   bool     `json:"not,omitempty"` // undoes the fact
}

// OfUser returns the change of a user's record. In this and the following functions, old or now may be nil, but not
// both.
func OfUser(old, now *user.User) Change { return Change{User: &Swap[user.User]{old, now}} }

// OfRealm returns the change of the realm's record.
func OfRealm(old, now *realm.Realm) Change { return Change{Realm: &Swap[realm.Realm]{old, now}} }

// OfGroup returns the change of a group's record, except for its members.
func OfGroup(old, now *group.Group) Change { return Change{Group: &Swap[group.Group]{old, now}} }

// OfChannel returns the change of a channel's record.
func OfChannel(old, now *channel.Channel) Change {
	return Change{Channel: &Swap[channel.Channel]{old, now}}
}

// OfSession returns the change of a session: its start or its end.
func OfSession(old, now *session.Session) Change {
	return Change{Session: &Swap[session.Session]{old, now}}
}

func (c Change) inverse() Change {
	switch {
	case c.Realm != nil:
		return OfRealm(c.Realm.New, c.Realm.Old)
	case c.User != nil:
		return OfUser(c.User.New, c.User.Old)
	case c.Group != nil:
		return OfGroup(c.Group.New, c.Group.Old)
	case c.Channel != nil:
		return OfChannel(c.Channel.New, c.Channel.Old)
	case c.Members != nil:
		return Change{Members: &Members{c.Members.Group, c.Members.Remove, c.Members.Add}}
	case c.Subs != nil:
		return Change{Subs: &Subs{c.Subs.Channel, c.Subs.Remove, c.Subs.Add}}
	case c.Mute != nil:
		return Change{Mute: &Mute{c.Mute.User, c.Mute.Muted, !c.Mute.On}}
	case c.Session != nil:
		return OfSession(c.Session.New, c.Session.Old)
	case c.Sessions != nil:
		return Change{Sessions: &SessionsEnded{Before: c.Sessions.Last, Last: c.Sessions.Before}}
	case c.Introduced != nil:
		return Change{Introduced: &Introduced{c.Introduced.Guest, c.Introduced.With, !c.Introduced.Not}}
	case c.Traffic != nil:
		back := make([]Traffic, len(c.Traffic))
		for i, t := range c.Traffic {
			back[i] = Traffic{t.Channel, t.New, t.Old, t.Quiet, t.WasQuiet}
		}
		return Change{Traffic: back}
	case c.Slot != nil:
		return Change{Slot: c.Slot.inverse()}
	}
	return c
}

// Changed is a hook event that runs in a unit of work after entries that change shared facts were appended. Hooks
// append the entries that follow from the change: those of channels, for example, notify users who gain or lose access
// to a channel. An error fails the change. If a hook appends changes of shared facts, the event runs again for these.
type Changed struct {
	Realm         realm.ID
	Before, After *View
	Changes       []Change // of all appended entries, in order

	found map[any]any
}

// Once returns a value that several hooks need for the same change: the first call computes it with find, later calls
// return the same value. key has a type private to the caller.
func Once[T any](m *Changed, key any, find func() T) T {
	if known, ok := m.found[key]; ok {
		return known.(T)
	}
	t := find()
	if m.found == nil {
		m.found = map[any]any{}
	}
	m.found[key] = t
	return t
}
