package directory

import (
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
)

// Change is a change of shared facts as the log records it, with old and new value, so that any node can apply it and
// any node can undo it: a view as of an earlier position is the present one with the later changes undone. Exactly one
// field is set.
type Change struct {
	Realm   *Swap[realm.Realm]     `json:"realm,omitempty"`
	User    *Swap[user.User]       `json:"user,omitempty"`
	Group   *Swap[group.Group]     `json:"group,omitempty"`
	Channel *Swap[channel.Channel] `json:"channel,omitempty"`
	Members *Members               `json:"members,omitempty"`
	Subs    *Subs                  `json:"subs,omitempty"`
	Mute    *Mute                  `json:"mute,omitempty"`
	Met     *Introduced            `json:"met,omitempty"`

	Traffic  []Traffic              `json:"traffic,omitempty"`
	Session  *Swap[session.Session] `json:"session,omitempty"`
	Sessions *SessionsEnded         `json:"sessions,omitempty"`

	Slot *SlotChange `json:"-"` // facts that a module adds to the view; MarshalJSON writes it
}

// SessionsEnded ends all sessions with an ID up to Last; before, those up to Before had ended. There may be too many
// to name them.
type SessionsEnded struct {
	Before session.ID `json:"before"`
	Last   session.ID `json:"last"`
}

// Traffic is how much is sent to a channel, before and now. It travels apart from the channel's record, for many at
// once.
type Traffic struct {
	Channel  channel.ID `json:"channel"`
	Old      *int       `json:"old,omitempty"`
	New      *int       `json:"new,omitempty"`
	WasQuiet bool       `json:"was_quiet,omitempty"`
	Quiet    bool       `json:"quiet,omitempty"`
}

// Swap replaces one record. Old is nil when it is new, New is nil when it is gone.
type Swap[T any] struct {
	Old *T `json:"old,omitempty"`
	New *T `json:"new,omitempty"`
}

// Inverse returns the swap that undoes s.
func (s Swap[T]) Inverse() Swap[T] { return Swap[T]{Old: s.New, New: s.Old} }

// Members adds direct members to a group made by people, or removes them. Only users who really change are listed.
type Members struct {
	Group  group.ID `json:"group"`
	Add    user.Set `json:"add,omitempty"`
	Remove user.Set `json:"remove,omitempty"`
}

// Subs makes active users subscribers of a channel, or ends it. Only users who really change are listed.
type Subs struct {
	Channel channel.ID `json:"channel"`
	Add     user.Set   `json:"add,omitempty"`
	Remove  user.Set   `json:"remove,omitempty"`
}

// Mute says that a user has muted another, or has ceased to.
type Mute struct {
	User  user.ID `json:"user"`
	Muted user.ID `json:"muted"`
	On    bool    `json:"on"`
}

// Introduced says that a guest has written with others directly, or has received something from them, and may
// therefore know of them. Only users who are new to the guest are listed. It is kept for guests in realms that
// restrict them, and for nobody else.
type Introduced struct {
	Guest user.ID  `json:"guest"`
	With  user.Set `json:"with"`
	Not   bool     `json:"not,omitempty"` // it was never so
}

// OfUser is the change of a user's record. Here and below old or now may be nil, not both.
func OfUser(old, now *user.User) Change { return Change{User: &Swap[user.User]{old, now}} }

// OfRealm is the change of the realm's record.
func OfRealm(old, now *realm.Realm) Change { return Change{Realm: &Swap[realm.Realm]{old, now}} }

// OfGroup is the change of a group's record, its members aside.
func OfGroup(old, now *group.Group) Change { return Change{Group: &Swap[group.Group]{old, now}} }

// OfChannel is the change of a channel's record.
func OfChannel(old, now *channel.Channel) Change {
	return Change{Channel: &Swap[channel.Channel]{old, now}}
}

// OfSession is the begin of a session, or its end.
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
	case c.Met != nil:
		return Change{Met: &Introduced{c.Met.Guest, c.Met.With, !c.Met.Not}}
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

// Changed is a moment: it runs in a unit of work whenever entries that change shared facts have been appended, right
// after them. Hooks append the entries that tell of what follows (channels: who has come to know of a channel, or does
// so no more). An error fails the change. What a hook appends may change facts as well, and runs the moment again.
type Changed struct {
	Realm         realm.ID
	Before, After *View
	Changes       []Change // of all these entries, in order

	found map[any]any
}

// Once gives what several hooks must know of a change: the first that asks has it found out, the others are given the
// same. key is of a type of its own.
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
