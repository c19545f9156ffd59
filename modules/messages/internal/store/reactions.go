package store

import (
	"context"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// Reactions stores reactions to messages.
type Reactions struct{ db *bunstore.DB }

type reaction struct {
	bun.BaseModel `bun:"table:reactions"`
	Message       message.ID `bun:"message_id,pk" owner:"messages"`
	User          user.ID    `bun:"user_id,pk" person:"id"`
	Type          string     `bun:",pk"`
	Code          string     `bun:",pk"`
	Name          string
	N             int64             // determines the order in which reactions are shown
	Recipient     message.Recipient `bun:"recipient_id"` // conversation of the message
}

// Of returns the reactions to messages, oldest first.
func (s *Reactions) Of(ctx context.Context, ids []message.ID) (map[message.ID][]message.Reaction, error) {
	all := map[message.ID][]message.Reaction{}
	for part := range slices.Chunk(ids, perList) {
		var rows []reaction
		err := s.db.From(ctx).
			NewSelect().
			Model(&rows).
			Where("message_id IN (?)", bun.List(part)).
			Order("message_id", "n").
			Scan(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			all[r.Message] = append(
				all[r.Message],
				message.Reaction{Message: r.Message, Name: r.Name, Code: r.Code, Type: r.Type, User: r.User},
			)
		}
	}
	return all, nil
}

// WithReactions returns which of the messages have reactions.
func (s *Reactions) WithReactions(ctx context.Context, ids []message.ID) (map[message.ID]bool, error) {
	has := map[message.ID]bool{}
	for part := range slices.Chunk(ids, perList) {
		var some []message.ID
		err := s.db.From(ctx).NewSelect().Model((*row)(nil)).Column("id").Where("m.id IN (?)", bun.List(part)).
			Where("EXISTS (SELECT 1 FROM reactions r WHERE r.message_id = m.id)").Scan(ctx, &some)
		if err != nil {
			return nil, err
		}
		for _, id := range some {
			has[id] = true
		}
	}
	return has, nil
}

// MessageRef is a message and its conversation.
type MessageRef struct {
	ID        message.ID
	Recipient message.Recipient `bun:"recipient_id"`
}

// ScanEach returns, for each conversation of a scan, the next Limit messages with reactions in the scan's direction.
// The result has no particular order.
func (s *Reactions) ScanEach(ctx context.Context, sc Scan) ([]MessageRef, error) {
	order := "message_id ASC"
	if sc.Down {
		order = "message_id DESC"
	}
	var out []MessageRef
	for part := range slices.Chunk(sc.Recipients, perMerge) {
		text, args := make([]string, len(part)), make([]any, len(part))
		for i, r := range part {
			text[i] = "SELECT * FROM (?) AS c"
			args[i] = s.db.From(ctx).
				NewSelect().
				Model((*reaction)(nil)).
				ColumnExpr("DISTINCT message_id AS id, recipient_id").
				Where("recipient_id = ?", r).
				Where("message_id >= ?", sc.From).
				Where("message_id <= ?", sc.To).
				OrderExpr(order).
				Limit(int64(sc.Limit))
		}
		var rows []MessageRef
		if err := s.db.From(ctx).NewRaw(strings.Join(text, " UNION ALL "), args...).Scan(ctx, &rows); err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	return out, nil
}

// Add stores reactions to messages in the given conversations, with numbers above after. The realm must be locked.
func (s *Reactions) Add(ctx context.Context, rs []message.Reaction, in []message.Recipient, after int64) error {
	if len(rs) == 0 {
		return nil
	}
	rows := make([]reaction, len(rs))
	for i, r := range rs {
		rows[i] = reaction{
			Message:   r.Message,
			User:      r.User,
			Type:      r.Type,
			Code:      r.Code,
			Name:      r.Name,
			N:         after + int64(i) + 1,
			Recipient: in[i],
		}
	}
	_, err := s.db.From(ctx).NewInsert().Model(&rows).Exec(ctx)
	return err
}

// Delete deletes reactions. The realm must be locked.
func (s *Reactions) Delete(ctx context.Context, rs []message.Reaction) error {
	if len(rs) == 0 {
		return nil
	}
	keys := make([][]any, len(rs))
	for i, r := range rs {
		keys[i] = []any{r.Message, r.User, r.Type, r.Code}
	}
	_, err := s.db.From(ctx).
		NewDelete().
		Model((*reaction)(nil)).
		Where("(message_id, user_id, type, code) IN (?)", bunstore.Tuples(keys)).
		Exec(ctx)
	return err
}

// participantMessages is the number of a topic's newest messages whose senders count as participants.
const participantMessages = 10_000

// Participants returns the users who have sent or reacted to one of a topic's newest messages.
func (s *Reactions) Participants(ctx context.Context, r message.Recipient, topicKey string) ([]user.ID, error) {
	var us []user.ID
	err := s.db.From(ctx).NewRaw(`WITH t AS (SELECT m.id, m.sender_id FROM messages m
			WHERE m.recipient_id = ? AND m.topic_key = ? ORDER BY m.id DESC LIMIT ?)
		SELECT sender_id FROM t UNION SELECT r.user_id FROM reactions r JOIN t ON t.id = r.message_id`,
		r, topicKey, participantMessages).Scan(ctx, &us)
	return us, err
}
