package directory

import (
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/user"
)

// NameKey returns the key by which names of users, channels, groups and other unique objects are compared: names that
// users may confuse have the same key. The kernel sets the function, which needs Unicode tables that the standard
// library lacks; without one, names are compared in lower case.
func (v *View) NameKey(name string) string {
	if v.key == nil {
		return user.NameKey(name)
	}
	return v.key(name)
}

// UserByName returns the user with the given full name among those for whom sees returns true; nil if there is none.
// Names are compared by key. Of several users, those whose name differs at most in case take precedence, then active
// users, then exact matches, then the lowest ID.
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

// ChannelByName returns the channel with a name, compared by key; nil if there is none. Of several channels, which
// predate the rule that keys are unique, it returns the one whose name is closest.
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

// closest returns, of objects whose names have the same key, the first with exactly that name, else the first whose
// name differs only in case, else the first; nil if there are none.
func closest[T any](same []*T, name func(*T) string, wanted string) *T {
	if len(same) == 0 {
		return nil
	}
	best, lower := same[0], false
	for _, object := range same {
		switch objectName := name(object); {
		case objectName == wanted:
			return object
		case !lower && user.NameKey(objectName) == user.NameKey(wanted):
			best, lower = object, true
		}
	}
	return best
}

// indexName adds a user's name to the index, and unindexName removes it.
func (v *View) indexName(u *user.User) {
	key := hash(v.NameKey(u.FullName))
	same, _ := v.names.get(key)
	v.names = v.names.with(key, same.Union(idset.Of(u.ID)))
}

func (v *View) unindexName(u *user.User) {
	key := hash(v.NameKey(u.FullName))
	same, _ := v.names.get(key)
	v.names = v.names.with(key, same.Minus(idset.Of(u.ID)))
}

// indexChannelName adds a channel's name to the index, and unindexChannelName removes it.
func (v *View) indexChannelName(c *channel.Channel) {
	key := v.NameKey(c.Name)
	same, _ := v.channelNames.get(key)
	v.channelNames = v.channelNames.with(key, same.Union(idset.Of(c.ID)))
}

func (v *View) unindexChannelName(c *channel.Channel) {
	key := v.NameKey(c.Name)
	same, _ := v.channelNames.get(key)
	if rest := same.Minus(idset.Of(c.ID)); len(rest) > 0 {
		v.channelNames = v.channelNames.with(key, rest)
	} else {
		v.channelNames = v.channelNames.without(key)
	}
}
