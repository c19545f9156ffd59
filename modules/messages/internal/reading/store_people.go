package reading

import (
	"context"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
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
		err := s.db.From(ctx).
			NewSelect().
			Model(&rows).
			Column("user_id", "message_id").
			Where("message_id IN (?)", bun.List(some)).
			Scan(ctx)
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

// Stays gives everybody's subscriptions to channels' conversations, closed ones too, of those in past only closed ones;
// and who takes part in direct conversations.
func (s store) Stays(ctx context.Context, in, past []message.Recipient) (map[user.ID]*readstate.Inbox, error) {
	all := map[user.ID]*readstate.Inbox{}
	of := func(u user.ID) *readstate.Inbox {
		if all[u] == nil {
			all[u] = &readstate.Inbox{}
		}
		return all[u]
	}
	if channels, _ := split(in); len(channels)+len(past) > 0 {
		var rows []periodRow
		err := s.db.From(ctx).NewSelect().Model(&rows).WhereGroup(" AND ", func(q *bun.SelectQuery) *bun.SelectQuery {
			return q.Where("recipient_id IN (?)", bun.List(channels)).
				WhereOr("recipient_id IN (?) AND to_seq IS NOT NULL", bun.List(past))
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

// Apart gives the subscriptions to channels' conversations of those who have not simply subscribed since before a
// message: what ended after it, and what began after it.
func (s store) Apart(
	ctx context.Context,
	in []message.Recipient,
	since message.ID,
) (map[user.ID][]readstate.Period, error) {
	all := map[user.ID][]readstate.Period{}
	channels, _ := split(in)
	if len(channels) == 0 {
		return all, nil
	}
	const columns = "SELECT user_id, recipient_id, from_msg, from_seq, COALESCE(to_msg, 0), COALESCE(to_seq, 0) FROM subscription_periods "
	rows, err := s.db.From(ctx).
		QueryContext(ctx, columns+"WHERE recipient_id IN (?) AND to_seq IS NOT NULL AND to_msg >= ? UNION ALL "+
			columns+"WHERE recipient_id IN (?) AND to_seq IS NULL AND from_msg >= ?", bun.List(channels), since, bun.List(channels), since)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // what it could tell, Err tells
	for rows.Next() {
		var u user.ID
		var p readstate.Period
		if err := rows.Scan(&u, &p.Recipient, &p.FromMsg, &p.FromSeq, &p.ToMsg, &p.ToSeq); err != nil {
			return nil, err
		}
		all[u] = append(all[u], p)
	}
	return all, rows.Err()
}

// Standing gives the read state, as far as these messages go, of everybody who was ever in one of the conversations
// and has marked anything from the first of the messages on. A short list of people narrows that down to them; a long
// one does not.
func (s store) Standing(
	ctx context.Context, in []message.Recipient, ids readstate.IDs, us user.Set,
) (map[user.ID]readstate.State, error) {
	channels, direct := split(in)
	people := bun.SafeQuery("")
	if len(us) > 0 && len(us) <= block {
		people = bun.SafeQuery(" AND f.user_id IN (?)", bun.List(us))
	}
	rows, err := s.db.From(ctx).QueryContext(ctx, `SELECT f.user_id, f.floor, c.chunk, c.unread, c.read FROM
		(SELECT user_id FROM subscription_periods WHERE recipient_id IN (?)
		UNION ALL SELECT user_id FROM conversation_members WHERE conversation_id IN (?)) AS p
		JOIN read_floor AS f ON f.user_id = p.user_id LEFT JOIN read_chunks AS c ON c.user_id = f.user_id AND c.chunk IN (?)
		WHERE (f.floor >= ? OR c.chunk IS NOT NULL)?`,
		bun.List(channels), bun.List(direct), bun.List(readstate.Chunks(ids)), ids[0], people)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // what it could tell, Err tells
	all := map[user.ID]readstate.State{}
	for rows.Next() {
		var u user.ID
		var floor message.ID
		var chunk *readstate.Chunk
		var unread, read []byte // an empty one may come as nil
		if err := rows.Scan(&u, &floor, &chunk, &unread, &read); err != nil {
			return nil, err
		}
		st := all[u]
		st.Floor = floor
		if chunk != nil {
			if st.Unread, err = among(st.Unread, *chunk, unread, ids); err != nil {
				return nil, err
			}
			if st.Read, err = among(st.Read, *chunk, read, ids); err != nil {
				return nil, err
			}
		}
		all[u] = st
	}
	return all, rows.Err()
}

// among adds those of the ids asked for that a chunk holds.
func among(ids readstate.IDs, c readstate.Chunk, stored []byte, asked readstate.IDs) (readstate.IDs, error) {
	if len(stored) == 0 {
		return ids, nil
	}
	b := roaring.New()
	if err := b.UnmarshalBinary(stored); err != nil {
		return nil, err
	}
	var found readstate.IDs
	for _, id := range c.Cut(asked) {
		if b.Contains(readstate.Low(id)) {
			found = append(found, id)
		}
	}
	return ids.Union(found), nil
}
