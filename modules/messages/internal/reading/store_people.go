package reading

import (
	"context"
	"maps"
	"slices"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/user"
)

// Flaggers gives, by message, everybody who has flags of it.
func (s store) Flaggers(ctx context.Context, ids []message.ID) (map[message.ID][]user.ID, error) {
	all := map[message.ID][]user.ID{}
	for some := range slices.Chunk(ids, block) {
		var rows []flagRow
		err := s.db.From(ctx).NewSelect().Model(&rows).Column("user_id", "message_id").Where("message_id IN (?)", bun.List(some)).Scan(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			all[r.MessageID] = append(all[r.MessageID], r.UserID)
		}
	}
	return all, nil
}

// FlagsOf gives everybody's flags of messages.
func (s store) FlagsOf(ctx context.Context, ids []message.ID) (map[message.ID]map[user.ID]message.Flag, error) {
	all := map[message.ID]map[user.ID]message.Flag{}
	for some := range slices.Chunk(ids, block) {
		var rows []flagRow
		if err := s.db.From(ctx).NewSelect().Model(&rows).Where("message_id IN (?)", bun.List(some)).Scan(ctx); err != nil {
			return nil, err
		}
		for _, r := range rows {
			if all[r.MessageID] == nil {
				all[r.MessageID] = map[user.ID]message.Flag{}
			}
			all[r.MessageID][r.UserID] = r.Flags
		}
	}
	return all, nil
}

// Stays gives everybody's subscriptions to channels' conversations, closed ones too, of those in past only closed ones; and who
// takes part in direct conversations.
func (s store) Stays(ctx context.Context, in, past []message.Recipient) (map[user.ID]*readstate.Own, error) {
	all := map[user.ID]*readstate.Own{}
	of := func(u user.ID) *readstate.Own {
		if all[u] == nil {
			all[u] = &readstate.Own{}
		}
		return all[u]
	}
	if channels, _ := split(in); len(channels)+len(past) > 0 {
		var rows []periodRow
		err := s.db.From(ctx).NewSelect().Model(&rows).WhereGroup(" AND ", func(q *bun.SelectQuery) *bun.SelectQuery {
			return q.Where("recipient_id IN (?)", bun.List(channels)).WhereOr("recipient_id IN (?) AND to_seq IS NOT NULL", bun.List(past))
		}).Order("user_id", "recipient_id", "from_seq").Scan(ctx)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			own := of(rows[i].UserID)
			own.Periods = append(own.Periods, rows[i].period())
		}
	}
	members, err := s.Members(ctx, in)
	for _, at := range slices.Sorted(maps.Keys(members)) {
		for _, u := range members[at] {
			own := of(u)
			own.Direct = append(own.Direct, at)
		}
	}
	return all, err
}

// ChunkStates gives the read state of everybody who was ever in one of the conversations, as far as one chunk goes.
func (s store) ChunkStates(ctx context.Context, in []message.Recipient, n readstate.Chunk) (map[user.ID]*readstate.State, error) {
	channels, direct := split(in)
	rows, err := s.db.From(ctx).NewSelect().TableExpr("read_floor AS f").
		Join("LEFT JOIN read_chunks AS c").JoinOn("c.user_id = f.user_id").JoinOn("c.chunk = ?", n).
		ColumnExpr("f.user_id, f.floor, c.chunk, c.unread, c.read").
		WhereGroup(" AND ", func(q *bun.SelectQuery) *bun.SelectQuery {
			if len(channels) > 0 {
				q = q.WhereOr("f.user_id IN (SELECT user_id FROM subscription_periods WHERE recipient_id IN (?))", bun.List(channels))
			}
			if len(direct) > 0 {
				q = q.WhereOr("f.user_id IN (SELECT user_id FROM conversation_members WHERE conversation_id IN (?))", bun.List(direct))
			}
			return q
		}).Rows(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // what it could tell, Err tells
	all := map[user.ID]*readstate.State{}
	for rows.Next() {
		var u user.ID
		st := &readstate.State{}
		var chunk *readstate.Chunk
		var unread, read []byte // an empty one may come as nil
		if err := rows.Scan(&u, &st.Floor, &chunk, &unread, &read); err != nil {
			return nil, err
		}
		if chunk != nil {
			if st.Unread, err = decode(nil, n, unread); err != nil {
				return nil, err
			}
			if st.Read, err = decode(nil, n, read); err != nil {
				return nil, err
			}
		}
		all[u] = st
	}
	return all, rows.Err()
}
