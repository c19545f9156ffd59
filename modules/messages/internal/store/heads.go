package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// headColumns are the columns of messages without content, in the order in which heads reads them.
func headColumns() []string {
	return []string{
		"id", "realm_id", "recipient_id", "topic_key", "sender_id", "facts", "read_for", "notice", "sent_at", "stamp",
	}
}

// heads returns the messages that a query of headColumns finds. withTopic means that the query selects topic, too.
func heads(ctx context.Context, q *bun.SelectQuery, withTopic bool) ([]message.Message, error) {
	rows, err := q.Rows(ctx)
	if err != nil {
		return nil, err
	}
	return readHeads(rows, withTopic)
}

// readHeads reads rows of headColumns. Narrows examine many messages, and bun's reflection takes longer than the
// database, so it does without.
func readHeads(rows *sql.Rows, withTopic bool) (out []message.Message, err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	var id, realmID, recipient, sender, facts, notice int64
	var readFor, stamp sql.NullInt64
	var sentAt bun.NullTime
	var topicKey, topic string
	to := []any{&id, &realmID, &recipient, &topicKey, &sender, &facts, &readFor, &notice, &sentAt, &stamp}
	if withTopic {
		to = append(to, &topic)
	}
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return nil, err
		}
		out = append(out, message.Message{
			ID: message.ID(id), Realm: realm.ID(realmID), Recipient: message.Recipient(recipient), Topic: topic,
			TopicKey: topicKey, Sender: user.ID(sender), Facts: message.Facts(facts), ReadFor: user.ID(readFor.Int64),
			Notice: int16(notice), SentAt: sentAt.Time, Stamp: stamp.Int64,
		})
	}
	return out, rows.Err()
}
