package message

import (
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
)

// Calls returns the service bots (user.BotType.Service) to be called for a message. In a direct conversation these are
// its participants; in a channel, the mentioned bots that can read the channel, or whose owners can, whether subscribed
// or not. Messages from bots trigger no calls, since two bots might answer each other forever. members are the
// participants; mentioned are the users mentioned by name and the readers mentioned through a group.
func Calls(v *directory.View, m *Message, members, mentioned user.Set) user.Set {
	candidates := members
	if _, isChannel := m.Recipient.Channel(); isChannel {
		candidates = mentioned
	}
	var all user.Set
	for _, id := range candidates {
		u := v.User(id)
		if u == nil || !u.Active || !u.BotType.Service() || id == m.Sender {
			continue
		}
		if c, isChannel := m.Recipient.Channel(); isChannel && AccessTo(v, m.Recipient, u) == NoAccess &&
			!permission.OwnerReads(v, v.Channel(c), u) {
			continue
		}
		all = append(all, id)
	}
	if by := v.User(m.Sender); len(all) == 0 || by == nil || by.IsBot() || by.System {
		return nil
	}
	return all
}
