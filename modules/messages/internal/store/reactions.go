package store

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

type reaction struct {
	bun.BaseModel `bun:"table:reactions"`
	Message       message.ID `bun:"message_id,pk"`
	User          user.ID    `bun:"user_id,pk"`
	Type          string     `bun:",pk"`
	Code          string     `bun:",pk"`
	Name          string
	N             int64 // reactions are shown in this order
}

// ReactionsOf gives the reactions to messages, oldest first.
func (s *Store) ReactionsOf(ctx context.Context, ids []message.ID) (map[message.ID][]message.Reaction, error) {
	all := map[message.ID][]message.Reaction{}
	for part := range slices.Chunk(ids, perList) {
		var rows []reaction
		err := s.db.From(ctx).NewSelect().Model(&rows).Where("message_id IN (?)", bun.List(part)).Order("message_id", "n").Scan(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			all[r.Message] = append(all[r.Message], message.Reaction{Message: r.Message, Name: r.Name, Code: r.Code, Type: r.Type, User: r.User})
		}
	}
	return all, nil
}

// Reacted gives ids of messages that somebody has reacted to, within a range, in the direction of the scan.
func (s *Store) Reacted(ctx context.Context, within Range, down bool, limit int) ([]message.ID, error) {
	order := "message_id ASC"
	if down {
		order = "message_id DESC"
	}
	var ids []message.ID
	err := s.db.From(ctx).NewSelect().Model((*reaction)(nil)).ColumnExpr("DISTINCT message_id").
		Where("message_id >= ?", within.From).Where("message_id <= ?", within.To).OrderExpr(order).Limit(int64(limit)).Scan(ctx, &ids)
	return ids, err
}

// AddReactions stores reactions; after is the number that the first of them comes after. In the realm's lock only.
func (s *Store) AddReactions(ctx context.Context, rs []message.Reaction, after int64) error {
	if len(rs) == 0 {
		return nil
	}
	rows := make([]reaction, len(rs))
	for i, r := range rs {
		rows[i] = reaction{Message: r.Message, User: r.User, Type: r.Type, Code: r.Code, Name: r.Name, N: after + int64(i) + 1}
	}
	_, err := s.db.From(ctx).NewInsert().Model(&rows).Exec(ctx)
	return err
}

// DropReactions removes reactions. In the realm's lock only.
func (s *Store) DropReactions(ctx context.Context, rs []message.Reaction) error {
	if len(rs) == 0 {
		return nil
	}
	keys := make([][]any, len(rs))
	for i, r := range rs {
		keys[i] = []any{r.Message, r.User, r.Type, r.Code}
	}
	_, err := s.db.From(ctx).NewDelete().Model((*reaction)(nil)).Where("(message_id, user_id, type, code) IN (?)", bunstore.Tuples(keys)).Exec(ctx)
	return err
}

// lately bounds how much of a topic is looked at for its participants.
const lately = 10_000

// Participants gives those who have written among the newest messages of a topic, or reacted to one of them (messages.md §6.3).
func (s *Store) Participants(ctx context.Context, r message.Recipient, topicKey string) ([]user.ID, error) {
	var us []user.ID
	err := s.db.From(ctx).NewRaw(`WITH t AS (SELECT m.id, m.sender_id FROM messages m
			WHERE m.recipient_id = ? AND m.topic_key = ? ORDER BY m.id DESC LIMIT ?)
		SELECT sender_id FROM t UNION SELECT r.user_id FROM reactions r JOIN t ON t.id = r.message_id`, r, topicKey, lately).Scan(ctx, &us)
	return us, err
}
