package readstate

import (
	"strconv"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/flags"
)

// details describes the messages that a mark made unread, by ID.
func (b *batch) details(m *mark) map[string]flags.Detail {
	all := make(map[string]flags.Detail, len(m.Changed))
	for _, id := range m.Changed {
		f := b.facts[id]
		if !b.users[m.By].Own.Received(f.message()) { // channel wildcards mention only users who received the message
			f.Facts &^= message.ChannelWildcard
		}
		flag := b.flag(m.By, id)
		d := flags.Detail{Mentioned: mentioned(flag, f.Facts)}
		d.WildcardMentioned = d.Mentioned && flag&message.Mentioned == 0
		if c, channel := f.Recipient.Channel(); channel {
			unmuted := !m.Muting.Muted(c, topic.Key(f.Topic))
			d.Type, d.StreamID, d.Topic, d.Unmuted = "stream", int64(c), &f.Topic, &unmuted
		} else {
			others := []user.ID(b.members[f.Recipient].Minus(user.Set{m.By}))
			if others == nil {
				others = []user.ID{}
			}
			d.Type, d.UserIDs = "private", &others
		}
		all[strconv.FormatInt(int64(f.ID), 10)] = d
	}
	return all
}

// mentioned reports whether a message mentions its reader in any way.
func mentioned(f message.Flag, facts message.Facts) bool {
	return f&(message.Mentioned|message.TopicWildcard) != 0 || facts&message.ChannelWildcard != 0
}
