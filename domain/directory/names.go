package directory

import (
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/user"
)

// NameKey is what names are compared by, of people, channels, groups and all else that may not be there twice: names
// that people may take for the same have one key. The kernel gives it to the views of a node, since it needs tables of
// Unicode that the standard library does not have; a view that was given none compares names in lower case.
func (v *View) NameKey(name string) string {
	if v.key == nil {
		return user.NameKey(name)
	}
	return v.key(name)
}

// UserByName finds a user by full name among those that the caller may see; nil if there is none. The name is compared
// by its key. Of several users, the ones whose name differs at most in case come first, then active ones, then exact
// names, then the lowest ID.
func (v *View) UserByName(name string, sees func(user.ID) bool) *user.User {
	key, lower := v.NameKey(name), user.NameKey(name)
	ids, _ := v.names.get(hash(key))
	var best *user.User
	highest := -1
	for _, id := range ids {
		u := v.User(id)
		if u == nil || v.NameKey(u.FullName) != key || !sees(id) {
			continue
		}
		rank := 0
		if user.NameKey(u.FullName) == lower {
			rank += 4
		}
		if u.Active {
			rank += 2
		}
		if u.FullName == name {
			rank++
		}
		if rank > highest {
			best, highest = u, rank
		}
	}
	return best
}

// ChannelByName finds a channel by name, in any case and form; nil if there is none. Of several that are older than the
// rule that there is one it finds the one whose name is written most like it.
func (v *View) ChannelByName(name string) *channel.Channel {
	ids, _ := v.channelNames.get(v.NameKey(name))
	if len(ids) == 1 {
		return v.Channel(ids[0])
	}
	var same []*channel.Channel
	for _, id := range ids {
		same = append(same, v.Channel(id))
	}
	return closest(same, func(c *channel.Channel) string { return c.Name }, name)
}

// closest gives of those whose names have one key the first with just that name, else the first that has it in another
// case, else the first; nil if there are none.
func closest[T any](same []*T, name func(*T) string, wanted string) *T {
	if len(same) == 0 {
		return nil
	}
	best, lower := same[0], false
	for _, one := range same {
		switch had := name(one); {
		case had == wanted:
			return one
		case !lower && user.NameKey(had) == user.NameKey(wanted):
			best, lower = one, true
		}
	}
	return best
}

// named notes a user's name, unname forgets it.
func (v *View) named(u *user.User) {
	key := hash(v.NameKey(u.FullName))
	same, _ := v.names.get(key)
	v.names = v.names.with(key, same.Union(idset.Of(u.ID)))
}

func (v *View) unname(u *user.User) {
	key := hash(v.NameKey(u.FullName))
	same, _ := v.names.get(key)
	v.names = v.names.with(key, same.Minus(idset.Of(u.ID)))
}

// namedChannel notes a channel's name, unnamedChannel forgets it.
func (v *View) namedChannel(c *channel.Channel) {
	key := v.NameKey(c.Name)
	same, _ := v.channelNames.get(key)
	v.channelNames = v.channelNames.with(key, same.Union(idset.Of(c.ID)))
}

func (v *View) unnamedChannel(c *channel.Channel) {
	key := v.NameKey(c.Name)
	same, _ := v.channelNames.get(key)
	if rest := same.Minus(idset.Of(c.ID)); len(rest) > 0 {
		v.channelNames = v.channelNames.with(key, rest)
	} else {
		v.channelNames = v.channelNames.without(key)
	}
}
