// Package directory holds a realm's shared facts at one position of its log: users, groups, channels, subscriptions,
// and facts that modules add. A View is immutable and answers without I/O; permission checks, audiences, authentication
// and most of /register are computed from it. Changes, which the log records, turn one view into the next.
package directory

import (
	"iter"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
)

// View is one version of a realm's facts. Its records are shared and must not be modified.
type View struct {
	seq   int64
	at    time.Time
	realm *realm.Realm
	key   func(name string) string // nil: user.NameKey

	users         intMap[user.ID, entry[user.User]]
	emails        nameMap[user.ID]
	names         intMap[int64, user.Set] // by hash of the name's key; several users may have the same name
	active        user.Set
	byRole        map[user.Role]user.Set // active ones
	groups        intMap[group.ID, *group.Group]
	memberOf      intMap[user.ID, *belonging] // user groups
	nesting       *lazyNesting
	channels      intMap[channel.ID, entry[channel.Channel]]
	channelNames  nameMap[channel.Set] // several per key only if they predate the rule that keys are unique
	subscribers   intMap[channel.ID, user.Set]
	subscriptions intMap[user.ID, channel.Set]
	muted         intMap[user.ID, user.Set] // by user
	muters        intMap[user.ID, user.Set] // by muted user
	partners      intMap[user.ID, user.Set] // by guest
	sessions      intMap[session.ID, *session.Session]
	sessionsEnded session.ID // sessions up to this ID have ended, even if they are in sessions
	facts         []fact     // of slots: few, so that a linear search is faster than a map
}

// Empty returns the view of a realm before anything is loaded. It contains only the system groups.
func Empty() *View {
	v := &View{byRole: map[user.Role]user.Set{}, nesting: newNesting(&recentNestings{})}
	for _, g := range group.System() {
		v.groups = v.groups.with(g.ID, g)
	}
	return v
}

// Seq returns the position in the log.
func (v *View) Seq() int64 { return v.seq }

// Now returns the time at which the view was handed out, for rules that depend on time (full members).
func (v *View) Now() time.Time { return v.at }

// AsOf returns the same facts with another position and time.
func (v *View) AsOf(seq int64, at time.Time) *View {
	c := *v
	c.seq, c.at = seq, at
	return &c
}

// Realm returns the realm's record.
func (v *View) Realm() *realm.Realm { return v.realm }

// User returns a user's record, nil if there is none.
func (v *View) User(id user.ID) *user.User { e, _ := v.users.get(id); return e.record }

// UserByEmail returns the user with a delivery email address, compared without case; nil if there is none.
func (v *View) UserByEmail(email string) *user.User {
	id, ok := v.emails.get(user.EmailKey(email))
	if !ok {
		return nil
	}
	return v.User(id)
}

// SystemBot returns a system bot by the local part of its address; nil if the realm has none.
func (v *View) SystemBot(name string) *user.User {
	if v.realm == nil {
		return nil
	}
	u := v.UserByEmail(name + "@" + v.realm.MailDomain)
	if u == nil || !u.System || !u.Active {
		return nil
	}
	return u
}

// SystemActor returns a system bot as the sender of the server's own messages; false if the realm has none.
func (v *View) SystemActor(name string) (user.Actor, bool) {
	u := v.SystemBot(name)
	if u == nil {
		return user.Actor{}, false
	}
	return v.Actor(u.ID)
}

// Actor returns a user or a bot as the one on whose behalf the server acts; false if there is no such active account.
func (v *View) Actor(id user.ID) (user.Actor, bool) {
	u := v.User(id)
	if u == nil || !u.Active || v.realm == nil {
		return user.Actor{}, false
	}
	return user.Actor{Realm: v.realm.ID, User: u.ID, Role: u.Role, Bot: u.BotType, Client: "Internal"}, true
}

// Responsible returns the user to whose limits something made by id counts: the owner of a bot, otherwise id itself.
func (v *View) Responsible(id user.ID) user.ID {
	if u := v.User(id); u != nil && u.BotOwner != 0 {
		return u.BotOwner
	}
	return id
}

// Accounts returns the user responsible for id, and that user's bots.
func (v *View) Accounts(id user.ID) []user.ID {
	me := v.Responsible(id)
	all := []user.ID{me}
	for u := range v.Users() {
		if u.ID != me && u.BotOwner == me {
			all = append(all, u.ID)
		}
	}
	return all
}

// Users iterates over all users, including deactivated ones, in order of ID.
func (v *View) Users() iter.Seq[*user.User] { return records(v.users) }

// Active returns the active users, including bots.
func (v *View) Active() user.Set { return v.active }

// WithRole returns the active users with exactly that role.
func (v *View) WithRole(r user.Role) user.Set { return v.byRole[r] }

// Group returns a group's record, nil if there is none. The members of system groups follow from roles
// (permission.Members).
func (v *View) Group(id group.ID) *group.Group { g, _ := v.groups.get(id); return g }

// Groups iterates over all groups, including deactivated ones, in order of ID.
func (v *View) Groups() iter.Seq[*group.Group] { return values(v.groups) }

// Channel returns a channel's record, which may be archived; nil if there is none.
func (v *View) Channel(id channel.ID) *channel.Channel { e, _ := v.channels.get(id); return e.record }

// Channels iterates over all channels, including archived ones, in order of ID.
func (v *View) Channels() iter.Seq[*channel.Channel] { return records(v.channels) }

// Subscribers returns the active subscribers of a channel.
func (v *View) Subscribers(c channel.ID) user.Set { s, _ := v.subscribers.get(c); return s }

// Subscriptions returns the channels to which a user subscribes, including archived ones.
func (v *View) Subscriptions(u user.ID) channel.Set { s, _ := v.subscriptions.get(u); return s }

// Subscribed reports whether u subscribes to c.
func (v *View) Subscribed(u user.ID, c channel.ID) bool { return v.Subscriptions(u).Has(c) }

// Muted returns the users whom u has muted.
func (v *View) Muted(u user.ID) user.Set { s, _ := v.muted.get(u); return s }

// Muters returns the users who have muted u.
func (v *View) Muters(u user.ID) user.Set { s, _ := v.muters.get(u); return s }

// Session returns a session that has neither ended nor expired; nil if there is none.
func (v *View) Session(id session.ID) *session.Session {
	s, _ := v.sessions.get(id)
	if s == nil || id <= v.sessionsEnded || s.Over(v.at) {
		return nil
	}
	return s
}

// SessionsEnded returns the ID up to which all sessions have ended.
func (v *View) SessionsEnded() session.ID { return v.sessionsEnded }

// Partners returns the users with whom a guest has exchanged direct messages. It is recorded in realms that restrict
// guests.
func (v *View) Partners(guest user.ID) user.Set { s, _ := v.partners.get(guest); return s }

func values[K ~int64, V any](m intMap[K, V]) iter.Seq[V] {
	return func(yield func(V) bool) {
		for _, x := range m.all() {
			if !yield(x) {
				return
			}
		}
	}
}

func records[K ~int64, T any](m intMap[K, entry[T]]) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for e := range values(m) {
			if !yield(e.record) {
				return
			}
		}
	}
}

// Apply returns the view after the changes of the entry at seq.
func (v *View) Apply(seq int64, changes ...Change) *View {
	c := *v
	for _, ch := range changes {
		c.apply(ch)
	}
	c.seq = seq
	return &c
}

// Undo returns the view before the changes of the entry at seq, which must be the last applied.
func (v *View) Undo(seq int64, changes ...Change) *View {
	c := *v
	for i := len(changes) - 1; i >= 0; i-- {
		c.apply(changes[i].inverse())
	}
	c.seq = seq - 1
	return &c
}

func (v *View) apply(c Change) {
	switch {
	case c.Realm != nil:
		v.realm = c.Realm.New
	case c.User != nil:
		v.swapUser(c.User.Old, c.User.New)
	case c.Group != nil:
		if c.Group.New == nil {
			v.swapGroup(v.Group(c.Group.Old.ID), nil)
			return
		}
		g := *c.Group.New
		had := v.Group(g.ID)
		if had != nil && c.Group.Old != nil { // members have changes of their own
			g.Members = had.Members
		}
		v.swapGroup(had, &g)
	case c.Channel != nil:
		v.swapChannel(c.Channel.Old, c.Channel.New)
	case c.Members != nil:
		if had := v.Group(c.Members.Group); had != nil {
			g := *had
			g.Members = g.Members.Minus(c.Members.Remove).Union(c.Members.Add)
			v.swapGroup(had, &g)
		}
	case c.Subs != nil:
		v.subs(c.Subs)
	case c.Mute != nil:
		v.mute(c.Mute)
	case c.Session != nil:
		if now := c.Session.New; now != nil {
			v.sessions = v.sessions.with(now.ID, now)
		} else {
			v.sessions = v.sessions.without(c.Session.Old.ID)
		}
	case c.Sessions != nil:
		v.sessionsEnded = c.Sessions.Last
	case c.Introduced != nil:
		had := v.Partners(c.Introduced.Guest)
		if c.Introduced.Not {
			v.partners = v.partners.with(c.Introduced.Guest, had.Minus(c.Introduced.With))
		} else {
			v.partners = v.partners.with(c.Introduced.Guest, had.Union(c.Introduced.With))
		}
	case c.Slot != nil:
		v.change(c.Slot)
	case c.Traffic != nil:
		for _, t := range c.Traffic {
			if had := v.Channel(t.Channel); had != nil {
				now := *had
				now.Weekly, now.Quiet = t.New, t.Quiet
				v.channels = v.channels.with(now.ID, newEntry(&now))
			}
		}
	}
}

func (v *View) swapUser(old, now *user.User) {
	if old != nil {
		if id, _ := v.emails.get(user.EmailKey(old.DeliveryEmail)); id == old.ID {
			v.emails = v.emails.without(user.EmailKey(old.DeliveryEmail))
		}
		v.unindexName(old)
		v.users = v.users.without(old.ID)
		v.setRole(old.ID, 0)
	}
	if now == nil {
		return
	}
	v.users = v.users.with(now.ID, newEntry(now))
	v.emails = v.emails.with(user.EmailKey(now.DeliveryEmail), now.ID)
	v.indexName(now)
	if now.Active {
		v.setRole(now.ID, now.Role)
	}
}

// setRole records u as an active user with a role, or as an inactive user if r is 0.
func (v *View) setRole(u user.ID, r user.Role) {
	one := idset.Of(u)
	by := make(map[user.Role]user.Set, len(v.byRole)+1)
	for role, s := range v.byRole {
		if s.Has(u) {
			s = s.Minus(one)
		}
		by[role] = s
	}
	if r != 0 {
		by[r] = by[r].Union(one)
		v.active = v.active.Union(one)
	} else {
		v.active = v.active.Minus(one)
	}
	v.byRole = by
}

func (v *View) swapChannel(old, now *channel.Channel) {
	if old != nil {
		v.unindexChannelName(old)
		v.channels = v.channels.without(old.ID)
	}
	if now != nil {
		v.channels = v.channels.with(now.ID, newEntry(now))
		v.indexChannelName(now)
	}
}

func (v *View) subs(s *Subs) {
	c := idset.Of(s.Channel)
	v.subscribers = v.subscribers.with(s.Channel, v.Subscribers(s.Channel).Minus(s.Remove).Union(s.Add))
	for _, u := range s.Remove {
		v.subscriptions = v.subscriptions.with(u, v.Subscriptions(u).Minus(c))
	}
	for _, u := range s.Add {
		v.subscriptions = v.subscriptions.with(u, v.Subscriptions(u).Union(c))
	}
}

func (v *View) mute(m *Mute) {
	muted, muters := v.Muted(m.User), v.Muters(m.Muted)
	if m.On {
		muted, muters = muted.Union(idset.Of(m.Muted)), muters.Union(idset.Of(m.User))
	} else {
		muted, muters = muted.Minus(idset.Of(m.Muted)), muters.Minus(idset.Of(m.User))
	}
	v.muted, v.muters = v.muted.with(m.User, muted), v.muters.with(m.Muted, muters)
}
