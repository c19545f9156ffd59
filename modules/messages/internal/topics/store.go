package topics

import (
	"context"
	"slices"
	"strings"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// store reads messages by topic.
type store struct{ db *bunstore.DB }

// perStatement is the maximum number of lookups per statement.
const perStatement = 50

// anyMatches reports, for each lookup, whether any message matches.
func (s store) anyMatches(ctx context.Context, lookups []lookup) ([]bool, error) {
	found := make([]bool, len(lookups))
	first := 0
	for some := range slices.Chunk(lookups, perStatement) {
		var text []string
		var args []any
		for i, a := range some {
			without := message.Facts(0)
			if a.neverMoved {
				without = message.MovedChannel
			}
			for _, w := range a.within {
				text = append(text, `SELECT ? AS n WHERE EXISTS (SELECT 1 FROM messages
					WHERE recipient_id = ? AND topic_key = ? AND id >= ? AND id <= ? AND facts & ? = 0)`)
				args = append(args, first+i, a.in, a.key, w.first, w.last, without)
			}
		}
		first += len(some)
		if len(text) == 0 {
			continue
		}
		var at []int
		if err := s.db.From(ctx).NewRaw(strings.Join(text, " UNION ALL "), args...).Scan(ctx, &at); err != nil {
			return nil, err
		}
		for _, n := range at {
			found[n] = true
		}
	}
	return found, nil
}

// maxMoved is the maximum number of messages per topic that are examined one by one because they were moved between
// channels. Older ones are ignored.
const maxMoved = 100

// moved returns, for each lookup, the newest matching messages that were ever moved between channels. Only ID, Realm,
// Recipient and Facts are set.
func (s store) moved(ctx context.Context, r realm.ID, lookups []lookup) ([][]message.Message, error) {
	found := make([][]message.Message, len(lookups))
	first := 0
	for some := range slices.Chunk(lookups, perStatement) {
		text, args := make([]string, len(some)), []any{}
		for i, a := range some {
			text[i] = `SELECT * FROM (SELECT ? AS n, id, recipient_id, facts FROM messages
				WHERE recipient_id = ? AND topic_key = ? AND id <= ? AND (facts & ?) <> 0 AND (facts & ?) = ?
				ORDER BY id DESC LIMIT ?) AS c`
			crossed := message.MovedChannel
			args = append(args, first+i, a.in, a.key, a.within[0].last, crossed, crossed, crossed, maxMoved)
		}
		first += len(some)
		var rows []struct {
			N           int
			ID          message.ID
			RecipientID message.Recipient
			Facts       message.Facts
		}
		if err := s.db.From(ctx).NewRaw(strings.Join(text, " UNION ALL "), args...).Scan(ctx, &rows); err != nil {
			return nil, err
		}
		for _, c := range rows {
			found[c.N] = append(found[c.N], message.Message{ID: c.ID, Realm: r, Recipient: c.RecipientID, Facts: c.Facts})
		}
	}
	return found, nil
}

// hasUnmoved reports whether a user has a flag row for a message of a topic, or has received a message there that was
// never moved between channels.
func (s store) hasUnmoved(ctx context.Context, u user.ID, in message.Recipient, key string) (has bool, err error) {
	err = s.db.From(ctx).NewRaw(`SELECT EXISTS (
		SELECT 1 FROM subscription_periods p JOIN messages m ON m.recipient_id = p.recipient_id
			AND m.id > p.from_msg AND m.id <= COALESCE(p.to_msg, ?max)
			WHERE p.user_id = ?user AND p.recipient_id = ?in AND m.topic_key = ?topic AND (m.facts & ?crossed) = 0
		) OR EXISTS (
		SELECT 1 FROM messages m WHERE m.recipient_id = ?in AND m.topic_key = ?topic AND EXISTS (
			SELECT 1 FROM message_flags f WHERE f.user_id = ?user AND f.message_id = m.id))`, struct {
		User    user.ID
		In      message.Recipient
		Topic   string
		Max     message.ID
		Crossed message.Facts
	}{u, in, key, message.MaxID, message.MovedChannel}).Scan(ctx, &has)
	return has, err
}
