package store

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

// Edits stores the edits and moves of messages.
type Edits struct{ db *bunstore.DB }

type edit struct {
	bun.BaseModel   `bun:"table:message_edits"`
	Message         message.ID `bun:"message_id,pk" owner:"messages"`
	N               int        `bun:",pk"`
	Seq             int64
	User            user.ID `bun:"user_id" person:"id"`
	At              time.Time
	PrevContent     *string
	PrevRendered    *string
	PrevTopic       *string
	Topic           *string
	PrevRecipientID message.Recipient `bun:",nullzero"`
	RecipientID     message.Recipient `bun:",nullzero"`
	ToProtected     bool
}

// Of returns, for each message, at most message.MaxEdits of the newest edits, oldest first. If seqs are given, it
// returns only those of these edits that were logged at these positions.
func (s *Edits) Of(ctx context.Context, ids []message.ID, seqs ...int64) (map[message.ID][]message.Edit, error) {
	all := map[message.ID][]message.Edit{}
	for part := range slices.Chunk(ids, perList) {
		var rows []edit
		q := s.db.From(ctx).NewSelect().Model(&rows).
			Join("JOIN (?) AS l ON edit.message_id = l.id AND edit.n > l.n - ?", s.last(ctx, part), message.MaxEdits)
		if len(seqs) > 0 {
			q = q.Where("edit.seq IN (?)", bun.List(seqs))
		}
		if err := q.Order("edit.message_id", "edit.n").Scan(ctx); err != nil {
			return nil, err
		}
		for _, e := range rows {
			all[e.Message] = append(all[e.Message], message.Edit{
				Message: e.Message, N: e.N, Seq: e.Seq, User: e.User, At: e.At, PrevContent: e.PrevContent,
				PrevRendered: e.PrevRendered,
				PrevTopic:    e.PrevTopic, Topic: e.Topic, From: e.PrevRecipientID, To: e.RecipientID, ToProtected: e.ToProtected,
			})
		}
	}
	return all, nil
}

// last selects the number of each message's last edit.
func (s *Edits) last(ctx context.Context, ids []message.ID) *bun.SelectQuery {
	return s.db.From(ctx).NewSelect().Model((*row)(nil)).
		ColumnExpr("m.id, (SELECT MAX(e.n) FROM message_edits e WHERE e.message_id = m.id) AS n").
		Where("m.id IN (?)", bun.List(ids))
}

// Original contains a message's original content and topic. Fields that never changed are nil.
type Original struct{ Content, Rendered, Topic *string }

// Original returns a message's original content and topic, whatever the number of edits.
func (s *Edits) Original(ctx context.Context, id message.ID) (Original, error) {
	var o Original
	first := func(column string) *bun.SelectQuery {
		return s.db.From(ctx).NewSelect().Model((*edit)(nil)).Column(column).
			Where("message_id = ?", id).Where("? IS NOT NULL", bun.Ident(column)).Order("n").Limit(1)
	}
	err := s.db.From(ctx).
		NewRaw("SELECT (?) AS content, (?) AS rendered, (?) AS topic", first("prev_content"), first("prev_rendered"),
			first("prev_topic")).
		Scan(ctx, &o)
	return o, err
}

// Moved is a message that was moved: as it was, and as it is now, both without content.
type Moved struct {
	Before, After message.Message
	First, Last   time.Time // when it was moved for the first and the last time since the time in question
}

// MovedSince returns a realm's next messages, at most limit, with IDs above after that were moved since a time, and the
// highest ID examined, or after if there are no more.
func (s *Edits) MovedSince(
	ctx context.Context, r realm.ID, since time.Time, after message.ID, limit int,
) ([]Moved, message.ID, error) {
	moves := func() *bun.SelectQuery {
		return s.db.From(ctx).NewSelect().Model((*edit)(nil)).Where("edit.at >= ?", since).
			Where("edit.topic IS NOT NULL OR edit.recipient_id IS NOT NULL")
	}
	var ids []message.ID
	err := moves().Distinct().Column("edit.message_id").Join("JOIN messages AS m ON m.id = edit.message_id").
		Where("m.realm_id = ?", r).Where("edit.message_id > ?", after).Order("edit.message_id").Limit(int64(limit)).
		Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return nil, after, err
	}
	ms, err := heads(ctx, s.db.From(ctx).NewSelect().Model((*row)(nil)).Column(append(headColumns(), "topic")...).
		Where("m.id IN (?)", bun.List(ids)).Order("m.id"), true)
	if err != nil {
		return nil, after, err
	}
	var edits []edit
	if err := moves().Column("edit.message_id", "edit.at", "edit.prev_topic", "edit.prev_recipient_id").
		Where("edit.message_id IN (?)", bun.List(ids)).Order("edit.message_id", "edit.n").Scan(ctx, &edits); err != nil {
		return nil, after, err
	}
	by := map[message.ID][]edit{}
	for _, e := range edits {
		by[e.Message] = append(by[e.Message], e)
	}
	out := make([]Moved, len(ms))
	for i, now := range ms {
		one := Moved{Before: now, After: now}
		var hasTopic, hasRecipient bool
		for _, e := range by[now.ID] {
			if one.First.IsZero() {
				one.First = e.At
			}
			one.Last = e.At
			if e.PrevTopic != nil && !hasTopic {
				hasTopic = true
				one.Before.Topic, one.Before.TopicKey = *e.PrevTopic, topic.Key(*e.PrevTopic)
			}
			if e.PrevRecipientID != 0 && !hasRecipient {
				hasRecipient = true
				one.Before.Recipient = e.PrevRecipientID
			}
		}
		out[i] = one
	}
	return out, ids[len(ids)-1], nil
}

// MaxChannelMoves returns how often the most frequently moved of the messages was moved between channels.
func (s *Edits) MaxChannelMoves(ctx context.Context, ids []message.ID) (int, error) {
	highest := 0
	for part := range slices.Chunk(ids, perList) {
		var n []int
		err := s.db.From(ctx).
			NewSelect().
			Model((*edit)(nil)).
			ColumnExpr("COUNT(*) AS n").
			Where("message_id IN (?)", bun.List(part)).
			Where("recipient_id IS NOT NULL").
			GroupExpr("message_id").
			OrderExpr("n DESC").
			Limit(1).
			Scan(ctx, &n)
		if err != nil {
			return 0, err
		}
		highest = max(highest, slices.Max(append(n, 0)))
	}
	return highest, nil
}

// Count returns how often a message was edited or moved.
func (s *Edits) Count(ctx context.Context, id message.ID) (int, error) {
	var n int
	err := s.db.From(ctx).NewSelect().Model((*edit)(nil)).ColumnExpr("COALESCE(MAX(n), 0)").Where("message_id = ?", id).
		Scan(ctx, &n)
	return n, err
}

// Add stores the edits of one change, which must be ordered by message, each as the next edit of its message. Edits
// that differ only in the message share a statement.
func (s *Edits) Add(ctx context.Context, es []message.Edit) error {
	for len(es) > 0 {
		n := 1
		for n < min(len(es), perList) && sameChange(&es[n], &es[0]) {
			n++
		}
		if err := s.addSame(ctx, es[:n]); err != nil {
			return err
		}
		es = es[n:]
	}
	return nil
}

// sameChange reports whether two edits of one change differ only in the message.
func sameChange(a, b *message.Edit) bool {
	return a.PrevContent == nil && b.PrevContent == nil && (a.PrevTopic == nil || *a.PrevTopic == *b.PrevTopic) &&
		a.From == b.From
}

func (s *Edits) addSame(ctx context.Context, es []message.Edit) error {
	ids, e := make([]message.ID, len(es)), es[0]
	for i := range es {
		ids[i] = es[i].Message
	}
	_, err := s.db.From(ctx).
		NewRaw(`INSERT INTO message_edits (message_id, n, seq, user_id, at, prev_content, prev_rendered, prev_topic, topic,
			prev_recipient_id, recipient_id, to_protected)
		SELECT m.id, COALESCE((SELECT MAX(e.n) FROM message_edits e WHERE e.message_id = m.id), 0) + 1, ?, ?, ?, ?, ?, ?, ?,
			NULLIF(?, 0), NULLIF(?, 0), ?
		FROM messages m WHERE m.id IN (?)`,
			e.Seq, e.User, e.At, e.PrevContent, e.PrevRendered, e.PrevTopic, e.Topic, e.From, e.To, e.ToProtected,
			bun.List(ids)).
		Exec(ctx)
	return err
}

// Rewrite stores a message's new content and what follows from it. The realm must be locked.
func (s *Store) Rewrite(ctx context.Context, m *message.Message) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*row)(nil)).Set("content = ?", m.Content).Set("rendered = ?", m.Rendered).
		Set("render_version = ?", m.RenderVersion).Set("facts = ?", m.Facts).Set("edited_at = ?", m.EditedAt).
		Set("realm_url = NULLIF(?, '')", m.RealmURL).Where("id = ?", m.ID).Exec(ctx)
	if err != nil {
		return err
	}
	if err := s.recordChanges(ctx, m.Realm, []message.ID{m.ID}); err != nil {
		return err
	}
	return s.Words.Reindex(ctx, m)
}

// Place is the target of a move. Zero fields mean no change.
type Place struct {
	Recipient message.Recipient
	Topic     *string
	TopicKey  string
	At        time.Time // time of the move; zero if it does not count as a move
}

// Move moves messages to another channel or topic. The rows must be locked, and the caller must call RecordMove before
// the transaction ends.
func (s *Store) Move(ctx context.Context, ids []message.ID, to Place) error {
	facts := message.Changed
	if to.Recipient != 0 {
		facts |= message.MovedChannel
	}
	for part := range slices.Chunk(ids, perList) {
		q := s.db.From(ctx).NewUpdate().Model((*row)(nil)).Set("facts = facts | ?", facts).Where("id IN (?)", bun.List(part))
		if to.Recipient != 0 {
			q = q.Set("recipient_id = ?", to.Recipient)
		}
		if to.Topic != nil {
			q = q.Set("topic = ?", *to.Topic).Set("topic_key = ?", to.TopicKey)
		}
		if !to.At.IsZero() {
			q = q.Set("moved_at = ?", to.At)
		}
		if _, err := q.Exec(ctx); err != nil {
			return err
		}
		if to.Recipient == 0 {
			continue
		}
		_, err := s.db.From(ctx).
			NewUpdate().
			Model((*reaction)(nil)).
			Set("recipient_id = ?", to.Recipient).
			Where("message_id IN (?)", bun.List(part)).
			Exec(ctx)
		if err != nil {
			return err
		}
	}
	if to.Topic == nil {
		return nil
	}
	return s.Words.updateTopic(ctx, ids, *to.Topic)
}

// RecordMove records that messages were moved. The realm must be locked.
func (s *Store) RecordMove(ctx context.Context, r realm.ID, ids []message.ID) error {
	return s.recordChanges(ctx, r, ids)
}

// LockTopic returns the messages of a topic with IDs in a range, in ascending order and without content, and locks
// their rows until the transaction ends.
func (s *Store) LockTopic(
	ctx context.Context,
	r message.Recipient,
	topicKey string,
	within Range,
) ([]message.Message, error) {
	q := s.db.From(ctx).NewSelect().Model((*row)(nil)).Column(append(headColumns(), "topic")...).
		Where("m.recipient_id = ?", r).Where("m.topic_key = ?", topicKey).
		Where("m.id >= ?", within.From).Where("m.id <= ?", within.To).Order("m.id")
	return heads(ctx, s.db.ForUpdate(q), true)
}
