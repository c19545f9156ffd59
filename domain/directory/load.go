package directory

import (
	"cmp"
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
)

// Part is a module's contribution to a realm's view. Load runs once per realm and node, in any order and concurrently
// with other parts, in transactions that see one position of the log. From then on, changes in the log keep the view
// current, whichever module writes them. Then runs after all Loads, for facts that depend on others. Either may be nil.
type Part struct {
	Name string
	Slot AnySlot // set by Slot.Part
	Load func(ctx context.Context, r realm.ID, b *Builder) error
	Then func(ctx context.Context, v *View) ([]Change, error)
}

// Builder collects the facts that parts load.
type Builder struct {
	realm    *realm.Realm
	users    []*user.User
	groups   []*group.Group
	channels []*channel.Channel
	subs     []subscribed
	mutes    []Mute
	sessions []*session.Session
	facts    []fact
	key      func(name string) string
}

// Join merges builders.
func Join(parts ...Builder) *Builder {
	all := &Builder{}
	for _, p := range parts {
		if p.realm != nil {
			all.realm = p.realm
		}
		all.users = append(all.users, p.users...)
		all.groups = append(all.groups, p.groups...)
		all.channels = append(all.channels, p.channels...)
		all.subs = append(all.subs, p.subs...)
		all.mutes = append(all.mutes, p.mutes...)
		all.sessions = append(all.sessions, p.sessions...)
		all.facts = append(all.facts, p.facts...)
	}
	return all
}

// Names sets the function behind View.NameKey.
func (b *Builder) Names(key func(name string) string) { b.key = key }

// Realm sets the realm's record.
func (b *Builder) Realm(r *realm.Realm) { b.realm = r }

// User adds a user.
func (b *Builder) User(u *user.User) { b.users = append(b.users, u) }

// Group adds a user group with its members.
func (b *Builder) Group(g *group.Group) { b.groups = append(b.groups, g) }

// Channel adds a channel.
func (b *Builder) Channel(c *channel.Channel) { b.channels = append(b.channels, c) }

// Subscriptions adds a user's subscriptions. They are ignored if the user is not active.
func (b *Builder) Subscriptions(u user.ID, cs ...channel.ID) {
	b.subs = append(b.subs, subscribed{u, cs})
}

type subscribed struct {
	user     user.ID
	channels []channel.ID
}

// Mute records that u has muted another user.
func (b *Builder) Mute(u, muted user.ID) {
	b.mutes = append(b.mutes, Mute{User: u, Muted: muted, On: true})
}

// Session adds a login session.
func (b *Builder) Session(x *session.Session) { b.sessions = append(b.sessions, x) }

// View returns the view at position seq. It is built in place, since no other version exists yet.
func (b *Builder) View(seq int64) *View {
	v := Empty()
	v.seq, v.realm, v.key = seq, b.realm, b.key
	b.addUsers(v)
	b.addGroups(v)
	for _, c := range b.channels {
		v.channels.put(c.ID, newEntry(c))
		key := v.NameKey(c.Name)
		same, _ := v.channelNames.get(key)
		v.channelNames.put(key, same.Union(channel.Set{c.ID}))
	}
	b.addSubscriptions(v)
	for _, m := range b.mutes {
		v.mute(&m)
	}
	for _, x := range b.sessions {
		v.sessions.put(x.ID, x)
	}
	v.facts = b.facts
	return v
}

func (b *Builder) addUsers(v *View) {
	roles := map[user.Role][]user.ID{}
	var active []user.ID
	for _, u := range b.users {
		v.users.put(u.ID, newEntry(u))
		v.emails.put(user.EmailKey(u.DeliveryEmail), u.ID)
		name := hash(v.NameKey(u.FullName))
		same, _ := v.names.get(name)
		v.names.put(name, same.Union(user.Set{u.ID}))
		if u.Active {
			roles[u.Role] = append(roles[u.Role], u.ID)
			active = append(active, u.ID)
		}
	}
	v.active = idset.Of(active...)
	for r, ids := range roles {
		v.byRole[r] = idset.Of(ids...)
	}
}

// addGroups adds the groups and indexes them by member.
func (b *Builder) addGroups(v *View) {
	slices.SortFunc(b.groups, func(x, y *group.Group) int { return cmp.Compare(x.ID, y.ID) })
	for _, g := range b.groups {
		v.groups.put(g.ID, g)
		for _, u := range g.Members {
			in, ok := v.memberOf.get(u)
			if !ok {
				in = &belonging{}
				v.memberOf.put(u, in)
			}
			in.groups = append(in.groups, g.ID)
		}
	}
}

// addSubscriptions adds the subscriptions, of which there may be hundreds of thousands, and indexes them by channel.
func (b *Builder) addSubscriptions(v *View) {
	slices.SortStableFunc(b.subs, func(x, y subscribed) int { return cmp.Compare(x.user, y.user) })
	of := map[channel.ID]*user.Set{}
	for i, s := range b.subs {
		if !v.active.Has(s.user) {
			continue
		}
		cs := idset.Of(s.channels...)
		if i > 0 && b.subs[i-1].user == s.user {
			had, _ := v.subscriptions.get(s.user)
			cs = cs.Minus(had)
			v.subscriptions.put(s.user, had.Union(cs))
		} else {
			v.subscriptions.put(s.user, cs)
		}
		for _, c := range cs {
			all := of[c]
			if all == nil {
				all = new(user.Set)
				of[c] = all
			}
			*all = append(*all, s.user)
		}
	}
	for c, us := range of {
		v.subscribers.put(c, slices.Clip(*us))
	}
}
