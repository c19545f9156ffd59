// Package archive exports messages: messages in public channels always, other messages
// only if a user who can read them consents.
package archive

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/export"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/access"
	"github.com/stoachat/stoa/modules/messages/internal/flags"
	"github.com/stoachat/stoa/modules/messages/internal/inbox"
	"github.com/stoachat/stoa/modules/messages/internal/readstate"
	"github.com/stoachat/stoa/modules/messages/internal/store"
)

// Service exports messages.
type Service struct {
	Store  *store.Store
	States *readstate.Service
	Access *access.Service
	Inbox  *inbox.Store
}

// Tables declares the exported tables of messages.
func (s *Service) Tables() []kit.Table {
	messages := store.MessageTable("A message to a channel (channel_id, topic) or to users (user_ids), with its newest " +
		"100 edits, reactions and submessages.")
	messageFlags := flags.Table("A user's flags for a message, as a list.")
	unread := readstate.ChunkTable("A user's unread messages, at most the newest 50,000.")
	periods := inbox.Table("A time in which a user has received the messages of a channel with protected history: from " +
		"the first until the last of them or, without the key upto, still. Only with the user's consent.")
	return []kit.Table{
		kit.Paged[line](messages, s.messages).Sized(s.estimateSize),
		kit.Paged[flagsLine](messageFlags, s.flags),
		kit.Paged[unreadLine](unread, s.unread),
		kit.Paged[periodLine](periods, s.periods),
	}
}

// coverage describes which messages of a conversation an export contains.
type coverage struct {
	all     bool
	readers user.Set // if not all: the messages that at least one of these users can read
}

func (r coverage) empty() bool { return !r.all && len(r.readers) == 0 }

// coverages returns the coverage of each conversation.
func (s *Service) coverages(
	ctx context.Context,
	x *export.Scope,
	of []message.Recipient,
) (map[message.Recipient]coverage, error) {
	members, err := s.Store.Conversations.Members(ctx, of)
	if err != nil {
		return nil, err
	}
	out := make(map[message.Recipient]coverage, len(of))
	for _, r := range of {
		if _, isChannel := r.Channel(); isChannel {
			out[r] = channelCoverage(x, r)
		} else {
			out[r] = coverage{all: x.Direct(members[r])}
		}
	}
	return out, nil
}

func channelCoverage(x *export.Scope, r message.Recipient) coverage {
	c := message.ChannelOf(x.View, r)
	switch {
	case c == nil:
		return coverage{}
	case !c.Private || x.Everything():
		return coverage{all: true}
	}
	readers := x.Readers(c.ID)
	for _, u := range readers {
		if message.AccessTo(x.View, r, x.View.User(u)) == message.AllAccess {
			return coverage{all: true}
		}
	}
	return coverage{readers: readers}
}

// InExport answers message.InExport.
func (s *Service) InExport(ctx context.Context, q message.InExport) ([]message.ID, error) {
	heads, err := s.Store.Heads(ctx, q.Scope.View.Realm().ID, q.Messages)
	if err != nil {
		return nil, err
	}
	exported, err := s.included(ctx, q.Scope, heads)
	out := make([]message.ID, len(exported))
	for i, m := range exported {
		out[i] = m.ID
	}
	slices.Sort(out)
	return out, err
}

// included returns those of the messages that an export contains, in the given order.
func (s *Service) included(ctx context.Context, x *export.Scope, ms []message.Message) ([]message.Message, error) {
	var of []message.Recipient
	for _, m := range ms {
		of = append(of, m.Recipient)
	}
	slices.Sort(of)
	coverages, err := s.coverages(ctx, x, slices.Compact(of))
	if err != nil {
		return nil, err
	}
	received := map[message.ID]bool{}
	for r, at := range coverages {
		if !at.all {
			if err := s.received(ctx, x, at.readers, idsIn(ms, r), received); err != nil {
				return nil, err
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(ms), func(m message.Message) bool {
		return m.SentAt.After(x.Until) || !coverages[m.Recipient].all && !received[m.ID]
	}), nil
}

// idsIn returns the IDs of those of the messages that are in a conversation.
func idsIn(ms []message.Message, r message.Recipient) []message.ID {
	var ids []message.ID
	for _, m := range ms {
		if m.Recipient == r {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// received adds to found those of the messages that at least one of the readers can read.
func (s *Service) received(
	ctx context.Context,
	x *export.Scope,
	readers user.Set,
	ids []message.ID,
	found map[message.ID]bool,
) error {
	for _, u := range readers {
		if len(ids) == 0 {
			return nil
		}
		seen, err := s.Access.Readable(ctx, x.View, x.View.User(u), ids...)
		if err != nil {
			return err
		}
		for _, id := range seen {
			found[id] = true
		}
		ids = slices.DeleteFunc(ids, func(id message.ID) bool { return found[id] })
	}
	return nil
}

// estimateSize counts messages, stopping once they exceed the limit of an export.
func (s *Service) estimateSize(ctx context.Context, x *export.Scope) (export.Size, error) {
	const limit = export.MaxMessages + 1
	n, err := s.Store.Exports.CountIn(ctx, channels(x, 0), limit)
	if err != nil || n >= limit {
		return export.Size{Messages: n}, err
	}
	direct, err := s.Store.Exports.CountDirect(ctx, x.View.Realm().ID, limit-n)
	return export.Size{Messages: n + direct}, err
}

// channels returns the conversations of the realm's channels from a given one on, in order.
func channels(x *export.Scope, from message.Recipient) []message.Recipient {
	var all []message.Recipient
	for c := range x.View.Channels() {
		if r := message.OfChannel(c.ID); r >= from {
			all = append(all, r)
		}
	}
	return all
}
