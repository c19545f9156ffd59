package store

import (
	"context"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

// Range is the range of IDs from From to To, inclusive.
type Range struct{ From, To message.ID }

// Filter contains conditions to be checked by SQL. Zero values mean no condition.
type Filter struct {
	Recipients []message.Recipient // nil: any
	Topic      *string             // topic key
	Sender     user.ID
	Facts      message.Facts // all of these bits must be set
	Resolved   bool
}

// Scan selects at most Limit messages in Range that match Filter, descending from the highest ID if Down, otherwise
// ascending from the lowest. The methods that take a Scan differ in the index that they use. They return messages
// without content.
type Scan struct {
	Filter
	Range
	Down  bool
	Limit int
}

// ScanOne scans the single conversation in sc.Recipients, using the conversation's index, also in combination with the
// topic, a fact or the sender.
func (s *Store) ScanOne(ctx context.Context, sc Scan) ([]message.Message, error) {
	return heads(ctx, s.in(ctx, sc, sc.Recipients[0]), false)
}

// in selects from a conversation. It uses the sender's index only if there is no other condition; see HasFew.
func (s *Store) in(ctx context.Context, sc Scan, r message.Recipient) *bun.SelectQuery {
	q, f := scanned(ctx, s.db, sc).Where("m.recipient_id = ?", r), sc.Filter
	f.Recipients = nil
	if f.Sender != 0 && f.Topic == nil && f.Facts == 0 {
		q = q.ModelTableExpr(s.db.ByIndex("messages", "m", "messages_place_sender")).Where("m.sender_id = ?", f.Sender)
		f.Sender = 0
	}
	return where(q, f)
}

// few is the number of messages below which examining them one by one is cheaper than using another index.
const few = 500

// HasFew reports whether a sender has few messages in a conversation.
func (s *Store) HasFew(ctx context.Context, r message.Recipient, sender user.ID) (bool, error) {
	some := s.db.From(ctx).
		NewSelect().
		ModelTableExpr(s.db.ByIndex("messages", "m", "messages_place_sender")).
		ColumnExpr("1").
		Where("m.recipient_id = ?", r).
		Where("m.sender_id = ?", sender).
		Limit(few)
	n := 0
	err := s.db.From(ctx).NewSelect().TableExpr("(?) AS found", some).ColumnExpr("COUNT(*)").Scan(ctx, &n)
	return n < few, err
}

// HaveFewer reports whether conversations have fewer than limit messages in a range.
func (s *Store) HaveFewer(ctx context.Context, in []message.Recipient, within Range, limit int) (bool, error) {
	for part := range slices.Chunk(in, perSeek) {
		some := s.db.From(ctx).NewSelect().ModelTableExpr(s.db.ByIndex("messages", "m", "messages_recipient")).
			ColumnExpr("1").Where("m.recipient_id IN (?)", bun.List(part)).
			Where("m.id >= ?", within.From).Where("m.id <= ?", within.To).Limit(int64(limit))
		n := 0
		err := s.db.From(ctx).NewSelect().TableExpr("(?) AS found", some).ColumnExpr("COUNT(*)").Scan(ctx, &n)
		if limit -= n; err != nil || limit <= 0 {
			return false, err
		}
	}
	return true, nil
}

// ScanSender scans a sender's messages in all conversations, using the sender's index.
func (s *Store) ScanSender(ctx context.Context, sc Scan) ([]message.Message, error) {
	return heads(ctx, scanned(ctx, s.db, sc).Where("m.sender_id = ?", sc.Sender), false)
}

// ScanAll scans messages in the order of the primary key, whatever other indexes there are.
func (s *Store) ScanAll(ctx context.Context, sc Scan) ([]message.Message, error) {
	return heads(ctx, where(scanned(ctx, s.db, sc), sc.Filter), false)
}

// scanned selects the messages in a scan's range, in its direction.
func scanned(ctx context.Context, db *bunstore.DB, sc Scan) *bun.SelectQuery {
	q := db.From(ctx).
		NewSelect().
		Model((*row)(nil)).
		Column(headColumns()...).
		Where("m.id >= ?", sc.From).
		Where("m.id <= ?", sc.To)
	if sc.Down {
		return q.Order("m.id DESC").Limit(int64(sc.Limit))
	}
	return q.Order("m.id").Limit(int64(sc.Limit))
}

// where adds conditions without letting them determine the index: + 0 prevents databases from choosing an index that
// would require sorting.
func where(q *bun.SelectQuery, f Filter) *bun.SelectQuery {
	if f.Recipients != nil {
		q = q.Where("m.recipient_id + 0 IN (?)", bun.List(f.Recipients))
	}
	if f.Topic != nil {
		q = q.Where("m.topic_key = ?", *f.Topic).Where("m.recipient_id % 2 = 0") // direct messages have no topic
	}
	if f.Sender != 0 {
		q = q.Where("m.sender_id + 0 = ?", f.Sender)
	}
	for bit := message.Facts(1); bit <= f.Facts; bit <<= 1 { // one condition per bit, as in the partial indexes
		if f.Facts&bit != 0 {
			q = q.Where(bunstore.HasBit("m.facts"), bit)
		}
	}
	if f.Resolved {
		q = q.Where("m.topic_key >= ?", topic.ResolvedPrefix).Where("m.topic_key < ?", "✔!")
	}
	return q
}

// perMerge is the maximum number of conversations per statement.
const perMerge = 200

// HasMessages reports whether a direct conversation or a topic of a channel has any messages. For direct conversations,
// it ignores topicKey.
func (s *Store) HasMessages(ctx context.Context, r message.Recipient, topicKey string) (bool, error) {
	q := s.db.From(ctx).NewSelect().Model((*row)(nil)).Column("id").Where("m.recipient_id = ?", r).Limit(1)
	if _, channel := r.Channel(); channel {
		q = q.Where("m.topic_key = ?", topicKey)
	}
	var ids []message.ID
	err := q.Scan(ctx, &ids)
	return len(ids) > 0, err
}

// TopicRef identifies a topic of a channel.
type TopicRef struct {
	Recipient message.Recipient
	Key       string
}

// NewestOf returns the newest message of each of the topics that has any.
func (s *Store) NewestOf(ctx context.Context, places []TopicRef) (map[TopicRef]message.ID, error) {
	out := make(map[TopicRef]message.ID, len(places))
	if len(places) == 0 {
		return out, nil
	}
	text, args := make([]string, len(places)), []any{}
	for i, p := range places {
		text[i] = "SELECT ? AS n, (SELECT m.id FROM messages m WHERE m.recipient_id = ? AND m.topic_key = ? ORDER BY m.id " +
			"DESC LIMIT 1) AS id"
		args = append(args, i, p.Recipient, p.Key)
	}
	var rows []struct {
		N  int
		ID *message.ID
	}
	err := s.db.From(ctx).NewRaw(strings.Join(text, " UNION ALL "), args...).Scan(ctx, &rows)
	for _, r := range rows {
		if r.ID != nil {
			out[places[r.N]] = *r.ID
		}
	}
	return out, err
}

// HasNamedTopics reports whether a channel has messages in topics other than the empty one.
func (s *Store) HasNamedTopics(ctx context.Context, r message.Recipient) (bool, error) {
	var ids []message.ID
	err := s.db.From(ctx).
		NewSelect().
		Model((*row)(nil)).
		Column("id").
		Where("m.recipient_id = ?", r).
		Where("m.topic_key > ''").
		Limit(1).
		Scan(ctx, &ids)
	return len(ids) > 0, err
}

// Topic is a topic of a channel, with the name that its newest message has.
type Topic struct {
	Name   string
	Newest message.ID
}

// maxCrossed is the maximum number of messages from other channels that are examined one by one.
const maxCrossed = 5000

// ListCrossed returns a channel's newest messages that were ever moved between channels, without content.
func (s *Store) ListCrossed(ctx context.Context, r message.Recipient) ([]message.Message, error) {
	sc := Scan{
		Filter: Filter{Facts: message.MovedChannel}, Range: Range{From: 1, To: message.MaxID}, Down: true, Limit: maxCrossed,
	}
	q := scanned(ctx, s.db, sc).Column("topic").Where("m.recipient_id = ?", r)
	return heads(ctx, where(q, sc.Filter), true)
}

// maxTopics is the maximum number of a channel's topics that are listed.
const maxTopics = 50_000

// Topics returns a channel's topics, most recent first. It considers only messages with IDs in one of the ranges and,
// if neverMoved, only messages that were never moved between channels. It skips through the index from topic to topic.
func (s *Store) Topics(ctx context.Context, r message.Recipient, within []Range, neverMoved bool) ([]Topic, error) {
	if len(within) == 0 {
		return nil, nil
	}
	newest := s.db.From(ctx).
		NewSelect().
		Model((*row)(nil)).
		Column("id").
		Where("m.recipient_id = ?", r).
		Where("m.topic_key = t.k").
		WhereGroup(" AND ", func(q *bun.SelectQuery) *bun.SelectQuery {
			for _, w := range within {
				q = q.WhereOr("(m.id >= ? AND m.id <= ?)", w.From, w.To)
			}
			return q
		}).
		Order("m.id DESC").
		Limit(1)
	if neverMoved {
		newest = newest.Where("(m.facts & ?) = 0", message.MovedChannel)
	}
	var topics []Topic
	err := s.db.From(ctx).NewRaw(`WITH RECURSIVE t(k, n) AS (
			SELECT (SELECT MIN(topic_key) FROM messages WHERE recipient_id = ?0), 1
			UNION ALL
			SELECT (SELECT MIN(topic_key) FROM messages WHERE recipient_id = ?0 AND topic_key > t.k), t.n + 1
			FROM t WHERE t.k IS NOT NULL AND t.n < ?2)
		SELECT m.topic AS name, m.id AS newest FROM (SELECT (?1) AS id FROM t WHERE t.k IS NOT NULL) l
		JOIN messages m ON m.id = l.id ORDER BY m.id DESC`, r, newest, maxTopics).Scan(ctx, &topics)
	return topics, err
}
