package topics

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/user"
)

// count counts the messages of a topic and, unless since is 0, those of them with IDs of at least since. It reads only
// an index.
func (s store) count(
	ctx context.Context,
	in message.Recipient,
	topicKey string,
	since message.ID,
) (m message.Movable, err error) {
	if m.First = since; since == 0 {
		since = message.MaxID
	}
	err = s.db.From(ctx).NewRaw(`SELECT COUNT(*) AS total, COUNT(*) FILTER (WHERE id >= ?) AS allowed FROM messages
		WHERE recipient_id = ? AND topic_key = ?`, since, in, topicKey).Scan(ctx, &m)
	return m, err
}

// ownCounts selects the terms that countOwn adds up: the messages that the user's periods cover, read only from an
// index; minus those moved into the topic, which also have an index; the first allowed message of the rest; and the
// messages outside the periods for which the user has a flag row.
const ownCounts = `
	SELECT COUNT(*) AS total, COUNT(*) FILTER (WHERE m.id >= ?since) AS allowed, 0 AS first
	FROM subscription_periods p JOIN messages m ON m.recipient_id = p.recipient_id
		AND m.id > p.from_msg AND m.id <= COALESCE(p.to_msg, ?max)
	WHERE p.user_id = ?user AND p.recipient_id = ?in AND m.topic_key = ?topic
	UNION ALL
	SELECT -COUNT(*), -COUNT(*) FILTER (WHERE m.id >= ?since), 0
	FROM subscription_periods p JOIN ?moved ON m.recipient_id = p.recipient_id
		AND m.id > p.from_msg AND m.id <= COALESCE(p.to_msg, ?max)
	WHERE p.user_id = ?user AND p.recipient_id = ?in AND m.topic_key || '' = ?topic
		AND (m.facts & ?crossed) <> 0 AND (m.facts & ?crossed) = ?crossed
	UNION ALL
	SELECT 0, 0, COALESCE(MIN((
		SELECT m.id FROM messages m WHERE m.recipient_id = p.recipient_id AND m.topic_key = ?topic AND m.id > p.from_msg
			AND m.id <= COALESCE(p.to_msg, ?max) AND m.id >= ?since AND (m.facts & ?crossed) = 0 ORDER BY m.id LIMIT 1)), 0)
	FROM subscription_periods p WHERE p.user_id = ?user AND p.recipient_id = ?in
	UNION ALL
	SELECT COUNT(*), COUNT(*) FILTER (WHERE m.id >= ?since), COALESCE(MIN(m.id) FILTER (WHERE m.id >= ?since), 0)
	FROM message_flags f JOIN messages m ON m.id = f.message_id
	WHERE f.user_id = ?user AND m.recipient_id + 0 = ?in AND m.topic_key = ?topic AND (m.facts & ?crossed) = 0
		AND NOT EXISTS (
		SELECT 1 FROM subscription_periods p
		WHERE p.user_id = ?user AND p.recipient_id = ?in AND p.from_msg < m.id AND m.id <= COALESCE(p.to_msg, ?max))`

// countOwn is like count, but counts only messages that the user has and that were never moved between channels.
func (s store) countOwn(
	ctx context.Context,
	u user.ID,
	in message.Recipient,
	topicKey string,
	since message.ID,
) (m message.Movable, err error) {
	if since == 0 {
		since = message.MaxID
	}
	var parts []message.Movable
	err = s.db.From(ctx).NewRaw(ownCounts, struct {
		User       user.ID
		In         message.Recipient
		Topic      string
		Since, Max message.ID
		Crossed    message.Facts
		Moved      bun.Safe
	}{u, in, topicKey, since, message.MaxID, message.MovedChannel, bun.Safe(s.crossed())}).Scan(ctx, &parts)
	for _, p := range parts {
		m.Total, m.Allowed = m.Total+p.Total, m.Allowed+p.Allowed
		if m.First == 0 || p.First != 0 && p.First < m.First {
			m.First = p.First
		}
	}
	return m, err
}

// crossed returns the table of messages, with the index of those that were ever moved between channels.
func (s store) crossed() string { return s.db.ByIndex("messages", "m", "messages_crossed") }

// eachMoved calls fn for each message of a topic that was ever moved between channels, with its moves and whether u has
// a flag row for it.
func (s store) eachMoved(
	ctx context.Context,
	u user.ID,
	in message.Recipient,
	topicKey string,
	fn func(m readstate.Message, flagged bool),
) error {
	q := s.db.From(ctx).NewSelect().TableExpr(s.crossed()).Join("JOIN message_edits AS e ON e.message_id = m.id").
		Column("m.id", "e.seq", "e.prev_recipient_id", "e.recipient_id").
		ColumnExpr("CASE WHEN e.to_protected THEN 1 ELSE 0 END").
		ColumnExpr("CASE WHEN EXISTS (SELECT 1 FROM message_flags f WHERE f.user_id = ? AND f.message_id = m.id) THEN 1 "+
			"ELSE 0 END", u).
		Where("m.recipient_id = ?", in).Where("m.topic_key || '' = ?", topicKey).
		Where(bunstore.HasBit("m.facts"), message.MovedChannel).
		Where("e.recipient_id IS NOT NULL").Order("m.id", "e.n")
	var m readstate.Message
	var flagged bool
	err := bunstore.Each(ctx, q, func(row []any) error {
		id := message.ID(row[0].(int64))
		if id != m.ID && m.ID != 0 {
			fn(m, flagged)
			m.Moves = m.Moves[:0]
		}
		m.ID, m.Recipient, flagged = id, in, row[5].(int64) != 0
		m.Moves = append(m.Moves, readstate.Move{
			Message: id, Seq: row[1].(int64), From: message.Recipient(row[2].(int64)), To: message.Recipient(row[3].(int64)),
			ToProtected: row[4].(int64) != 0,
		})
		return nil
	})
	if err == nil && m.ID != 0 {
		fn(m, flagged)
	}
	return err
}
