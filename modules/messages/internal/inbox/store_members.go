package inbox

import (
	"context"
	"maps"
	"slices"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/user"
)

type memberRow struct {
	bun.BaseModel  `bun:"table:conversation_members"`
	ConversationID int64
	UserID         user.ID
}

// SplitRecipients separates channels from direct conversations, of which it returns the row IDs.
func SplitRecipients(in []message.Recipient) (channels []message.Recipient, direct []int64) {
	for _, r := range in {
		if _, channel := r.Channel(); channel {
			channels = append(channels, r)
		} else {
			direct = append(direct, int64(r>>1))
		}
	}
	return channels, direct
}

// Members returns the participants of direct conversations, by conversation. Channels are ignored.
func (s *Store) Members(ctx context.Context, in []message.Recipient) (map[message.Recipient]user.Set, error) {
	all := map[message.Recipient]user.Set{}
	_, ids := SplitRecipients(in)
	for some := range slices.Chunk(ids, block) {
		var rows []memberRow
		err := s.db.From(ctx).NewSelect().Model(&rows).Where("conversation_id IN (?)", bun.List(some)).Scan(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			all[message.OfDirect(r.ConversationID)] = append(all[message.OfDirect(r.ConversationID)], r.UserID)
		}
	}
	for r, us := range all {
		all[r] = idset.Of(us...)
	}
	return all, nil
}

// InboxesIn returns the inboxes of all users who are or were in one of the conversations, limited to these
// conversations. For the channels in past, it returns only closed periods.
func (s *Store) InboxesIn(ctx context.Context, in, past []message.Recipient) (map[user.ID]*readstate.Inbox, error) {
	all := map[user.ID]*readstate.Inbox{}
	inboxOf := func(u user.ID) *readstate.Inbox {
		if all[u] == nil {
			all[u] = &readstate.Inbox{}
		}
		return all[u]
	}
	if channels, _ := SplitRecipients(in); len(channels)+len(past) > 0 {
		var rows []periodRow
		err := s.db.From(ctx).NewSelect().Model(&rows).WhereGroup(" AND ", func(q *bun.SelectQuery) *bun.SelectQuery {
			return q.Where("recipient_id IN (?)", bun.List(channels)).
				WhereOr("recipient_id IN (?) AND to_seq IS NOT NULL", bun.List(past))
		}).Order("user_id", "recipient_id", "from_seq").Scan(ctx)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			box := inboxOf(rows[i].UserID)
			box.Periods = append(box.Periods, rows[i].period())
		}
	}
	members, err := s.Members(ctx, in)
	for _, at := range slices.Sorted(maps.Keys(members)) {
		for _, u := range members[at] {
			box := inboxOf(u)
			box.Direct = append(box.Direct, at)
		}
	}
	return all, err
}
