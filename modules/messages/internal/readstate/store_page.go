package readstate

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/inbox"
)

// flagsAndPeriods returns a user's flags for messages and the user's periods in their conversations, with one
// statement.
func (s stateStore) flagsAndPeriods(
	ctx context.Context,
	u user.ID,
	ids []message.ID,
	in []message.Recipient,
) (map[message.ID]message.Flag, []readstate.Period, error) {
	flags, periods := map[message.ID]message.Flag{}, []readstate.Period(nil)
	channels, _ := inbox.SplitRecipients(in)
	var rows []struct{ Kind, A, B, C, D, E int64 }
	err := s.db.From(ctx).NewRaw(`SELECT 0 AS kind, message_id AS a, flags AS b, 0 AS c, 0 AS d, 0 AS e FROM message_flags
		WHERE user_id = ? AND message_id IN (?) UNION ALL
		SELECT 1, recipient_id, from_msg, from_seq, COALESCE(to_msg, 0), COALESCE(to_seq, 0) FROM subscription_periods
		WHERE user_id = ? AND recipient_id IN (?)`, u, bun.List(ids), u, bun.List(channels)).Scan(ctx, &rows)
	for _, r := range rows {
		if r.Kind == 0 {
			flags[message.ID(r.A)] = message.Flag(r.B)
			continue
		}
		periods = append(periods, readstate.Period{
			Recipient: message.Recipient(r.A), FromMsg: message.ID(r.B), FromSeq: r.C, ToMsg: message.ID(r.D), ToSeq: r.E,
		})
	}
	return flags, periods, err
}

// loadForMessages returns the read states, limited to the given messages, of all users who are or were in one of the
// conversations and have marked any message from the first of the messages on. If us is not empty and short enough, the
// result is limited to these users.
func (s stateStore) loadForMessages(
	ctx context.Context, in []message.Recipient, ids readstate.IDs, us user.Set,
) (map[user.ID]readstate.State, error) {
	channels, direct := inbox.SplitRecipients(in)
	only := bun.SafeQuery("")
	if len(us) > 0 && len(us) <= block {
		only = bun.SafeQuery(" AND f.user_id IN (?)", bun.List(us))
	}
	rows, err := s.db.From(ctx).QueryContext(ctx, `SELECT f.user_id, f.floor, c.chunk, c.unread, c.read FROM
		(SELECT user_id FROM subscription_periods WHERE recipient_id IN (?)
		UNION ALL SELECT user_id FROM conversation_members WHERE conversation_id IN (?)) AS p
		JOIN read_floor AS f ON f.user_id = p.user_id LEFT JOIN read_chunks AS c ON c.user_id = f.user_id AND c.chunk IN (?)
		WHERE (f.floor >= ? OR c.chunk IS NOT NULL)?`,
		bun.List(channels), bun.List(direct), bun.List(readstate.Chunks(ids)), ids[0], only)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // rows.Err reports the same error
	all := map[user.ID]readstate.State{}
	for rows.Next() {
		var u user.ID
		var floor message.ID
		var chunk *readstate.Chunk
		var unread, read []byte // may be nil if empty
		if err := rows.Scan(&u, &floor, &chunk, &unread, &read); err != nil {
			return nil, err
		}
		st := all[u]
		st.Floor = floor
		if chunk != nil {
			if st.Unread, err = addStored(st.Unread, *chunk, unread, ids); err != nil {
				return nil, err
			}
			if st.Read, err = addStored(st.Read, *chunk, read, ids); err != nil {
				return nil, err
			}
		}
		all[u] = st
	}
	return all, rows.Err()
}

// addStored adds to ids those in want that a stored chunk contains.
func addStored(ids readstate.IDs, c readstate.Chunk, stored []byte, want readstate.IDs) (readstate.IDs, error) {
	if len(stored) == 0 {
		return ids, nil
	}
	b := roaring.New()
	if err := b.UnmarshalBinary(stored); err != nil {
		return nil, err
	}
	var found readstate.IDs
	for _, id := range c.Cut(want) {
		if b.Contains(readstate.Low(id)) {
			found = append(found, id)
		}
	}
	return ids.Union(found), nil
}
