package flags

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// Insert stores the flags of new messages, which have no rows yet.
func (s *Store) Insert(ctx context.Context, all map[Key]message.Flag) error {
	for some := range slices.Chunk(rows(all), 10*block) {
		if _, err := s.db.From(ctx).NewInsert().Model(&some).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Add adds bits to flags. The realm must be locked.
func (s *Store) Add(ctx context.Context, all map[Key]message.Flag) error {
	for some := range slices.Chunk(rows(all), block) {
		_, err := s.db.From(ctx).NewInsert().Model(&some).On("CONFLICT (user_id, message_id) DO UPDATE").
			Set("flags = ?TableAlias.flags | EXCLUDED.flags").Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

func rows(all map[Key]message.Flag) []flagRow {
	out := make([]flagRow, 0, len(all))
	for k, f := range all {
		out = append(out, flagRow{UserID: k.User, MessageID: k.Message, Flags: f})
	}
	return out
}

// Set replaces flags. The value 0 removes the row. The realm must be locked.
func (s *Store) Set(ctx context.Context, all map[Key]message.Flag) error {
	var set []flagRow
	var empty [][]int64
	for k, f := range all {
		if f == 0 {
			empty = append(empty, []int64{int64(k.User), int64(k.Message)})
		} else {
			set = append(set, flagRow{UserID: k.User, MessageID: k.Message, Flags: f})
		}
	}
	for some := range slices.Chunk(set, block) {
		_, err := s.db.From(ctx).
			NewInsert().
			Model(&some).
			On("CONFLICT (user_id, message_id) DO UPDATE").
			Set("flags = EXCLUDED.flags").
			Exec(ctx)
		if err != nil {
			return err
		}
	}
	for some := range slices.Chunk(empty, block) {
		_, err := s.db.From(ctx).
			NewRaw("DELETE FROM message_flags WHERE (user_id, message_id) IN (?)", bunstore.Tuples(some)).
			Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// ClearOld removes the users' OldUnread bits from all messages or, if in is not 0, from the messages in one
// conversation.
func (s *Store) ClearOld(ctx context.Context, us []user.ID, in message.Recipient) error {
	where := "user_id IN (?) AND (flags & 128) <> 0 AND (flags & 128) = 128"
	if in != 0 {
		where += " AND message_id IN (SELECT id FROM messages WHERE recipient_id = ?)"
	}
	for some := range slices.Chunk(us, block) {
		args := []any{bun.List(some)}
		if in != 0 {
			args = append(args, in)
		}
		_, err := s.db.From(ctx).NewDelete().Model((*flagRow)(nil)).
			Where(where, args...).Where("flags = 128").Exec(ctx)
		if err != nil {
			return err
		}
		_, err = s.db.From(ctx).NewUpdate().Model((*flagRow)(nil)).
			Set("flags = flags - 128").Where(where, args...).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// rowFilter restricts a query to certain users' flag rows.
type rowFilter func(q bun.QueryBuilder) bun.QueryBuilder

func allUsers(q bun.QueryBuilder) bun.QueryBuilder { return q }

// losingAccess selects the users who lose access to messages moved between channels: those who were ever subscribed to
// the channel from but are not subscribed to the channel to, and the users in others.
func losingAccess(from, to message.Recipient, others user.Set) rowFilter {
	const periods = `(user_id IN (SELECT user_id FROM subscription_periods WHERE recipient_id = ?)
		AND user_id NOT IN (SELECT user_id FROM subscription_periods WHERE recipient_id = ? AND to_seq IS NULL))`
	return func(q bun.QueryBuilder) bun.QueryBuilder {
		if len(others) == 0 {
			return q.Where(periods, from, to)
		}
		return q.Where("("+periods+" OR user_id IN (?))", from, to, bun.List(others))
	}
}

// stars returns those of the messages' rows selected by of that have the flag starred, ordered by user and message.
func (s *Store) stars(ctx context.Context, ids []message.ID, of rowFilter) ([]Key, error) {
	var all []Key
	for some := range slices.Chunk(ids, block) {
		var rows []flagRow
		q := s.db.From(ctx).
			NewSelect().
			Model(&rows).
			Column("user_id", "message_id").
			Where("message_id IN (?)", bun.List(some)).
			Where("(flags & ?) <> 0", message.Starred).
			ApplyQueryBuilder(of).
			Order("user_id", "message_id")
		if err := q.Scan(ctx); err != nil {
			return nil, err
		}
		for _, r := range rows {
			all = append(all, Key{r.UserID, r.MessageID})
		}
	}
	return all, nil
}

// drop deletes those of the messages' rows that of selects.
func (s *Store) drop(ctx context.Context, ids []message.ID, of rowFilter) error {
	for some := range slices.Chunk(ids, block) {
		_, err := s.db.From(ctx).
			NewDelete().
			Model((*flagRow)(nil)).
			Where("message_id IN (?)", bun.List(some)).
			ApplyQueryBuilder(of).
			Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}
