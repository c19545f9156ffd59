package message

import (
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/user"
)

// Calls gives the bots that are called about a message, since they do not read along (realm-and-rest.md §13): those that take part in a
// direct conversation, and those that a message in a channel mentions and that may read there, whether they subscribe or not. What
// bots say calls no bot, or two would never end. members are who takes part; mentioned who is mentioned by name, and the readers who
// are mentioned through a group.
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
		if _, isChannel := m.Recipient.Channel(); isChannel && AccessTo(v, m.Recipient, u) == NoAccess {
			continue
		}
		all = append(all, id)
	}
	if by := v.User(m.Sender); len(all) == 0 || by == nil || by.IsBot() || by.System {
		return nil
	}
	return all
}
