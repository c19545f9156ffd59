package reading

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// whose says of whom flags are meant.
type whose func(q bun.QueryBuilder) bun.QueryBuilder

func everybody(q bun.QueryBuilder) bun.QueryBuilder { return q }

// lost is those who lose messages that go from one channel to another.
type lost struct {
	from, to message.Recipient
	others   user.Set // besides those who were ever subscribed to the one and are not to the other
}

func (l lost) where(q bun.QueryBuilder) bun.QueryBuilder {
	const periods = `(user_id IN (SELECT user_id FROM subscription_periods WHERE recipient_id = ?)
		AND user_id NOT IN (SELECT user_id FROM subscription_periods WHERE recipient_id = ? AND to_seq IS NULL))`
	if len(l.others) == 0 {
		return q.Where(periods, l.from, l.to)
	}
	return q.Where("("+periods+" OR user_id IN (?))", l.from, l.to, bun.List(l.others))
}

// Stars gives who has starred which of some messages, by person and message.
func (s store) Stars(ctx context.Context, ids []message.ID, of whose) ([]mine, error) {
	var all []mine
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
			all = append(all, mine{r.UserID, r.MessageID})
		}
	}
	return all, nil
}

// DropFlags removes flags of messages.
func (s store) DropFlags(ctx context.Context, ids []message.ID, of whose) error {
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
