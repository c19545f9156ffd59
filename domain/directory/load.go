package directory

import (
	"context"
	"maps"
	"slices"

	"github.com/stoachat/stoa/domain/alertword"
	"github.com/stoachat/stoa/domain/bot"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/emoji"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/linkifier"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Part is what a module loads of a realm's view. Load runs once per realm and node inside one read snapshot; afterwards
// the log's Changes keep the view right, whichever module wrote them. Then runs after all Loads, for what depends on the rest.
// Either may be nil.
type Part struct {
	Name string
	Load func(ctx context.Context, r realm.ID, b *Builder) error
	Then func(ctx context.Context, v *View) ([]Change, error)
}

// Builder collects what the parts load, in any order.
type Builder struct {
	realm    *realm.Realm
	users    []*user.User
	groups   []*group.Group
	channels []*channel.Channel
	subs     map[channel.ID][]user.ID
	mutes    []Mute
	emoji    []*emoji.Custom
	words    map[user.ID][]string
	links    []*linkifier.Linkifier
	bots     []*bot.Bot
}

// Realm sets the realm's record.
func (b *Builder) Realm(r *realm.Realm) { b.realm = r }

// User adds a user.
func (b *Builder) User(u *user.User) { b.users = append(b.users, u) }

// Group adds a group made by people, with its members.
func (b *Builder) Group(g *group.Group) { b.groups = append(b.groups, g) }

// Channel adds a channel.
func (b *Builder) Channel(c *channel.Channel) { b.channels = append(b.channels, c) }

// Subscription adds subscriptions to a channel; that of a user who is not active counts for nothing.
func (b *Builder) Subscription(c channel.ID, us ...user.ID) {
	if b.subs == nil {
		b.subs = map[channel.ID][]user.ID{}
	}
	b.subs[c] = append(b.subs[c], us...)
}

// Mute adds that u has muted another.
func (b *Builder) Mute(u, muted user.ID) {
	b.mutes = append(b.mutes, Mute{User: u, Muted: muted, On: true})
}

// Emoji adds an emoji of the realm.
func (b *Builder) Emoji(e *emoji.Custom) { b.emoji = append(b.emoji, e) }

// Linkifier adds a linkifier of the realm.
func (b *Builder) Linkifier(l *linkifier.Linkifier) { b.links = append(b.links, l) }

// Bot adds what a bot uses unless it says otherwise.
func (b *Builder) Bot(x *bot.Bot) { b.bots = append(b.bots, x) }

// AlertWord adds an alert word of a user, by key.
func (b *Builder) AlertWord(u user.ID, key string) {
	if b.words == nil {
		b.words = map[user.ID][]string{}
	}
	b.words[u] = append(b.words[u], key)
}

// View gives the view as of seq. It is made in place, since nobody else has it yet.
func (b *Builder) View(seq int64) *View {
	v := Empty()
	v.seq, v.realm = seq, b.realm
	b.people(v)
	for _, g := range b.groups {
		v.groups.put(g.ID, g)
	}
	for _, c := range b.channels {
		v.channels.put(c.ID, keep(c))
		v.channelNames.put(channel.NameKey(c.Name), c.ID)
	}
	b.subscriptions(v)
	for _, m := range b.mutes {
		v.mute(&m)
	}
	for _, e := range b.emoji {
		v.swapEmoji(nil, e)
	}
	for _, x := range b.bots {
		v.bots.put(x.ID, x)
	}
	v.words = alertword.NewIndex(b.words)
	v.linkifiers = linkifier.NewList(b.links...)
	return v
}

func (b *Builder) people(v *View) {
	roles := map[user.Role][]user.ID{}
	var active []user.ID
	for _, u := range b.users {
		v.users.put(u.ID, keep(u))
		v.emails.put(user.EmailKey(u.DeliveryEmail), u.ID)
		name := hash(user.NameKey(u.FullName))
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

// subscriptions turns the subscribers of channels round, of whom there may be hundreds of thousands.
func (b *Builder) subscriptions(v *View) {
	place := make(map[user.ID]int, len(v.active))
	for i, u := range v.active {
		place[u] = i
	}
	of := make([]channel.Set, len(v.active))
	for _, c := range slices.Sorted(maps.Keys(b.subs)) {
		all := b.subs[c]
		if !slices.IsSorted(all) {
			slices.Sort(all)
		}
		active := make(user.Set, 0, len(all))
		for _, u := range slices.Compact(all) {
			if i, is := place[u]; is {
				active = append(active, u)
				of[i] = append(of[i], c)
			}
		}
		v.subscribers.put(c, active)
	}
	for i, cs := range of {
		if len(cs) > 0 {
			v.subscriptions.put(v.active[i], slices.Clone(cs))
		}
	}
}
