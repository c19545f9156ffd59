package readstate

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/flags"
)

// A new user finds the newest messages of their public channels unread, as a place to begin. Older ones would look like
// a mistake.
const (
	newcomerUnread = 20                      // messages
	newcomerSpan   = 12 * 7 * 24 * time.Hour // their age
	newcomerBlock  = 100                     // channels per statement
)

// joined sets a new user's floor to the head, so that marks need not examine earlier messages, and marks the newest
// ones of the public channels that the user has joined as unread. The module channels has subscribed the user by then.
func (s *Service) joined(ctx context.Context, m *user.Joined) error {
	head, err := s.states.facts.head(ctx)
	if err != nil || head == 0 {
		return err
	}
	if err := s.states.save(ctx, []change{{User: m.User.ID, Now: &readstate.State{Floor: head}}}); err != nil {
		return err
	}
	if m.User.IsBot() || m.User.System {
		return nil
	}
	v, err := s.needs.Directory.View(ctx, m.Realm)
	if err != nil {
		return err
	}
	ids, err := s.states.facts.newestIn(ctx, publicChannels(v, m.User.ID), m.User.Joined.Add(-newcomerSpan))
	if err != nil {
		return err
	}
	set := make(map[flags.Key]message.Flag, len(ids))
	for _, id := range ids {
		set[flags.Key{User: m.User.ID, Message: id}] = message.OldUnread | message.Touched
	}
	return s.needs.Flags.Add(ctx, set)
}

// publicChannels returns the public channels of a user.
func publicChannels(v *directory.View, u user.ID) []message.Recipient {
	var in []message.Recipient
	for _, id := range v.Subscriptions(u) {
		if c := v.Channel(id); c != nil && !c.Private && !c.Archived {
			in = append(in, message.OfChannel(id))
		}
	}
	return in
}

// newestIn returns the newest messages of channels, newest first, without those sent before a time. It reads a fixed
// number of rows per channel, however many messages there are.
func (s factStore) newestIn(ctx context.Context, in []message.Recipient, since time.Time) ([]message.ID, error) {
	var ids []message.ID
	for some := range slices.Chunk(in, newcomerBlock) {
		parts, args := make([]string, len(some)), []any{}
		for i, r := range some {
			parts[i] = "SELECT * FROM (SELECT id, sent_at FROM messages WHERE recipient_id = ? ORDER BY id DESC LIMIT ?) AS c"
			args = append(args, r, newcomerUnread)
		}
		var found []message.ID
		err := s.db.From(ctx).NewRaw("SELECT id FROM ("+strings.Join(parts, " UNION ALL ")+
			") AS newest WHERE sent_at >= ? ORDER BY id DESC LIMIT ?", append(args, since, newcomerUnread)...).Scan(ctx, &found)
		if err != nil {
			return nil, err
		}
		ids = append(ids, found...)
	}
	slices.SortFunc(ids, func(a, b message.ID) int { return int(b - a) })
	return ids[:min(len(ids), newcomerUnread)], nil
}
