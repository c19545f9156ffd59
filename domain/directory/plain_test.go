package directory_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/alertword"
	"github.com/stoachat/stoa/domain/bot"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/linkifier"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
)

// plain is a model of a view that holds the same facts in plain maps.
type plain struct {
	realm    *realm.Realm
	users    map[user.ID]user.User
	groups   map[group.ID]group.Group
	channels map[channel.ID]channel.Channel
	subs     map[channel.ID]map[user.ID]bool
	mutes    map[[2]user.ID]bool
	alerts   map[user.ID]map[string]bool
	links    map[linkifier.ID]linkifier.Linkifier
	bots     map[user.ID]bot.Bot
	sessions map[session.ID]session.Session
}

func newPlain() *plain {
	return &plain{
		users: map[user.ID]user.User{}, groups: map[group.ID]group.Group{}, channels: map[channel.ID]channel.Channel{},
		subs: map[channel.ID]map[user.ID]bool{}, mutes: map[[2]user.ID]bool{},
		alerts: map[user.ID]map[string]bool{}, links: map[linkifier.ID]linkifier.Linkifier{}, bots: map[user.ID]bot.Bot{},
		sessions: map[session.ID]session.Session{},
	}
}

const (
	people    = 40
	rooms     = 70 // more than one level of the tree
	teams     = 5
	bigID     = 5_000_000
	firstRoom = 1000
)

var roles = []user.Role{user.Owner, user.Admin, user.Moderator, user.Member, user.Guest}

func pick[K comparable, V any](r *rand.Rand, m map[K]V, less func(a, b K) int) (K, bool) {
	keys := slices.SortedFunc(maps.Keys(m), less)
	if len(keys) == 0 {
		var none K
		return none, false
	}
	return keys[r.IntN(len(keys))], true
}

func ids[T ~int64](a, b T) int { return int(a - b) }

// step applies a random valid change to p and returns it.
func (p *plain) step(r *rand.Rand) []directory.Change {
	switch r.IntN(13) {
	case 0, 1:
		return p.changeUser(r)
	case 2:
		return p.changeChannel(r)
	case 3:
		return p.changeGroup(r)
	case 4, 5:
		return p.changeSubs(r)
	case 6:
		return p.changeMute(r)
	case 7:
		return p.changeWord(r)
	case 8:
		return p.changeLinkifier(r)
	case 9:
		return p.changeBot(r)
	case 12:
		return p.changeSession(r)
	case 10:
		return p.changeTraffic(r)
	}
	old := p.realm
	p.realm = &realm.Realm{ID: 1, StringID: fmt.Sprint(r.IntN(100))}
	return []directory.Change{directory.OfRealm(old, p.realm)}
}

func (p *plain) changeUser(r *rand.Rand) []directory.Change {
	id := user.ID(1 + r.IntN(people))
	if r.IntN(10) == 0 {
		id += bigID
	}
	now := user.User{ID: id, Role: roles[r.IntN(len(roles))], Active: r.IntN(4) > 0,
		DeliveryEmail: fmt.Sprintf("U%d-%d@Example.com", id, r.IntN(3))}
	had, ok := p.users[id]
	var changes []directory.Change
	var old *user.User
	if ok {
		old = &had
	}
	if ok && had.Active && !now.Active { // deactivated users have no subscriptions
		for _, c := range slices.Sorted(maps.Keys(p.subs)) {
			if p.subs[c][id] {
				delete(p.subs[c], id)
				changes = append(changes, directory.Change{Subs: &directory.Subs{Channel: c, Remove: user.Set{id}}})
			}
		}
	}
	p.users[id] = now
	return append(changes, directory.OfUser(old, &now))
}

func (p *plain) changeChannel(r *rand.Rand) []directory.Change {
	if id, ok := pick(r, p.channels, ids); ok && r.IntN(3) > 0 {
		old := p.channels[id]
		now := old
		now.Name, now.Private = fmt.Sprintf("Room %d-%d", id, r.IntN(3)), r.IntN(2) == 0
		p.channels[id] = now
		return []directory.Change{directory.OfChannel(&old, &now)}
	}
	id := channel.ID(firstRoom + r.IntN(rooms))
	if _, ok := p.channels[id]; ok {
		return nil
	}
	now := channel.Channel{ID: id, Name: fmt.Sprintf("room %d", id)}
	p.channels[id] = now
	return []directory.Change{directory.OfChannel(nil, &now)}
}

// changeTraffic changes the traffic of several channels in one entry.
func (p *plain) changeTraffic(r *rand.Rand) []directory.Change {
	var all []directory.Traffic
	for range 3 {
		id, ok := pick(r, p.channels, ids)
		if !ok || slices.ContainsFunc(all, func(t directory.Traffic) bool { return t.Channel == id }) {
			continue
		}
		c, n := p.channels[id], r.IntN(100)
		t := directory.Traffic{Channel: id, Old: c.Weekly, WasQuiet: c.Quiet, New: &n, Quiet: r.IntN(2) == 0}
		if n < 10 {
			t.New = nil
		}
		c.Weekly, c.Quiet = t.New, t.Quiet
		p.channels[id] = c
		all = append(all, t)
	}
	if all == nil {
		return nil
	}
	return []directory.Change{{Traffic: all}}
}

// traffic formats a channel's traffic.
func traffic(c *channel.Channel) string {
	if c.Weekly == nil {
		return fmt.Sprint("- ", c.Quiet)
	}
	return fmt.Sprint(*c.Weekly, c.Quiet)
}

func (p *plain) changeSubs(r *rand.Rand) []directory.Change {
	c, ok := pick(r, p.channels, ids)
	if !ok {
		return nil
	}
	s := &directory.Subs{Channel: c}
	if p.subs[c] == nil {
		p.subs[c] = map[user.ID]bool{}
	}
	for range 1 + r.IntN(4) {
		u, ok := pick(r, p.users, ids)
		if !ok || !p.users[u].Active || s.Add.Has(u) || s.Remove.Has(u) {
			continue
		}
		if p.subs[c][u] {
			s.Remove = s.Remove.Union(user.Set{u})
			delete(p.subs[c], u)
		} else {
			s.Add = s.Add.Union(user.Set{u})
			p.subs[c][u] = true
		}
	}
	return []directory.Change{{Subs: s}}
}

func (p *plain) changeMute(r *rand.Rand) []directory.Change {
	m := &directory.Mute{User: user.ID(1 + r.IntN(people)), Muted: user.ID(1 + r.IntN(people))}
	k := [2]user.ID{m.User, m.Muted}
	m.On = !p.mutes[k]
	if m.On {
		p.mutes[k] = true
	} else {
		delete(p.mutes, k)
	}
	return []directory.Change{{Mute: m}}
}

func (p *plain) changeWord(r *rand.Rand) []directory.Change {
	w := alertword.Words{User: user.ID(1 + r.IntN(people))}
	word := fmt.Sprint("word", r.IntN(3))
	if p.alerts[w.User] == nil {
		p.alerts[w.User] = map[string]bool{}
	}
	if p.alerts[w.User][word] {
		w.Remove = []string{word}
	} else {
		w.Add = []string{word}
	}
	p.alerts[w.User][word] = !p.alerts[w.User][word]
	return []directory.Change{alertword.Shared.Change(w)}
}

func (p *plain) changeLinkifier(r *rand.Rand) []directory.Change {
	id := linkifier.ID(1 + r.IntN(5))
	had, ok := p.links[id]
	if ok && r.IntN(3) == 0 {
		delete(p.links, id)
		return []directory.Change{linkifier.Change(&had, nil)}
	}
	now := linkifier.Linkifier{ID: id, Order: int64(r.IntN(9)), Pattern: fmt.Sprint("x", r.IntN(3)), URLTemplate: "u"}
	p.links[id] = now
	if !ok {
		return []directory.Change{linkifier.Change(nil, &now)}
	}
	return []directory.Change{linkifier.Change(&had, &now)}
}

func (p *plain) changeBot(r *rand.Rand) []directory.Change {
	id := user.ID(1 + r.IntN(4))
	had, ok := p.bots[id]
	if ok && r.IntN(3) == 0 {
		delete(p.bots, id)
		return []directory.Change{bot.Change(&had, nil)}
	}
	now := bot.Bot{ID: id, Sends: channel.ID(r.IntN(9)), AllPublic: r.IntN(2) == 0}
	p.bots[id] = now
	if !ok {
		return []directory.Change{bot.Change(nil, &now)}
	}
	return []directory.Change{bot.Change(&had, &now)}
}

func (p *plain) changeSession(r *rand.Rand) []directory.Change {
	id := session.ID(1 + r.IntN(9))
	if had, ok := p.sessions[id]; ok {
		delete(p.sessions, id)
		return []directory.Change{directory.OfSession(&had, nil)}
	}
	now := session.Session{ID: id, User: user.ID(r.IntN(4)), Hash: fmt.Sprint(r.IntN(9)), Ends: 1 << 40}
	p.sessions[id] = now
	return []directory.Change{directory.OfSession(nil, &now)}
}

func (p *plain) builder() *directory.Builder {
	b := &directory.Builder{}
	b.Realm(p.realm)
	for _, u := range p.users {
		b.User(&u)
	}
	for _, g := range p.groups {
		b.Group(&g)
	}
	for _, c := range p.channels {
		b.Channel(&c)
	}
	for c, us := range p.subs {
		for u := range us {
			b.Subscriptions(u, c)
		}
	}
	for m := range p.mutes {
		b.Mute(m[0], m[1])
	}
	words := map[user.ID][]string{}
	for u, own := range p.alerts {
		for w, has := range own {
			if has {
				words[u] = append(words[u], w)
			}
		}
	}
	alertword.Shared.Put(b, alertword.NewIndex(words))
	var links []*linkifier.Linkifier
	for _, l := range p.links {
		links = append(links, &l)
	}
	linkifier.Shared.Put(b, linkifier.NewList(links...))
	bots := map[user.ID]*bot.Bot{}
	for id, x := range p.bots {
		bots[id] = &x
	}
	bot.Shared.Put(b, bots)
	for _, x := range p.sessions {
		b.Session(&x)
	}
	return b
}

// dump formats p like the function dump formats a view.
func (p *plain) dump() string {
	var b strings.Builder
	fmt.Fprintln(&b, p.realm)
	var active user.Set
	for _, id := range slices.Sorted(maps.Keys(p.users)) {
		u := p.users[id]
		var in channel.Set
		var muted, muters user.Set
		for c := range p.subs {
			if p.subs[c][id] {
				in = in.Union(channel.Set{c})
			}
		}
		for m := range p.mutes {
			if m[0] == id {
				muted = muted.Union(user.Set{m[1]})
			}
			if m[1] == id {
				muters = muters.Union(user.Set{m[0]})
			}
		}
		if u.Active {
			active = active.Union(user.Set{id})
		}
		fmt.Fprintln(&b, id, u.Role, u.Active, u.DeliveryEmail, []channel.ID(in), []user.ID(muted), []user.ID(muters))
	}
	fmt.Fprintln(&b, []user.ID(active))
	for n := range 3 {
		word := fmt.Sprint("word", n)
		var alerted []user.ID
		for _, u := range active {
			if p.alerts[u][word] {
				alerted = append(alerted, u)
			}
		}
		fmt.Fprintln(&b, word, alerted)
	}
	for _, role := range roles {
		var s user.Set
		for _, id := range active {
			if p.users[id].Role == role {
				s = append(s, id)
			}
		}
		fmt.Fprintln(&b, role, []user.ID(s))
	}
	for _, id := range slices.Sorted(maps.Keys(p.groups)) {
		below := p.below(id, group.Set{})
		var us user.Set
		for _, g := range below {
			us = us.Union(p.groups[g].Members)
		}
		fmt.Fprintln(&b, id, p.groups[id].Name, []user.ID(p.groups[id].Members), []group.ID(p.groups[id].Subgroups),
			[]group.ID(below), []user.ID(us))
	}
	for _, id := range slices.Sorted(maps.Keys(p.channels)) {
		c := p.channels[id]
		fmt.Fprintln(&b, id, c.Name, c.Private, traffic(&c), slices.Sorted(maps.Keys(p.subs[id])))
	}
	for _, l := range slices.SortedFunc(maps.Values(p.links), func(a, b linkifier.Linkifier) int {
		return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.ID, b.ID))
	}) {
		fmt.Fprintln(&b, l.ID, l.Order, l.Pattern)
	}
	for _, id := range slices.Sorted(maps.Keys(p.bots)) {
		fmt.Fprintln(&b, p.bots[id])
	}
	for _, id := range slices.Sorted(maps.Keys(p.sessions)) {
		fmt.Fprintln(&b, p.sessions[id])
	}
	return b.String()
}
