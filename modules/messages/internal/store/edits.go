package store

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

type edit struct {
	bun.BaseModel   `bun:"table:message_edits"`
	Message         message.ID `bun:"message_id,pk"`
	N               int        `bun:",pk"`
	Seq             int64
	User            user.ID `bun:"user_id"`
	At              time.Time
	PrevContent     *string
	PrevRendered    *string
	PrevTopic       *string
	Topic           *string
	PrevRecipientID message.Recipient `bun:",nullzero"`
	RecipientID     message.Recipient `bun:",nullzero"`
	ToProtected     bool
}

// EditsOf gives the edits of messages, oldest first.
func (s *Store) EditsOf(ctx context.Context, ids []message.ID) (map[message.ID][]message.Edit, error) {
	all := map[message.ID][]message.Edit{}
	for part := range slices.Chunk(ids, perList) {
		var rows []edit
		err := s.db.From(ctx).NewSelect().Model(&rows).Where("message_id IN (?)", bun.List(part)).Order("message_id", "n").Scan(ctx)
		if err != nil {
			return nil, err
		}
		for _, e := range rows {
			all[e.Message] = append(all[e.Message], message.Edit{
				Message: e.Message, N: e.N, Seq: e.Seq, User: e.User, At: e.At, PrevContent: e.PrevContent, PrevRendered: e.PrevRendered,
				PrevTopic: e.PrevTopic, Topic: e.Topic, From: e.PrevRecipientID, To: e.RecipientID, ToProtected: e.ToProtected,
			})
		}
	}
	return all, nil
}

// AddEdits stores edits, each as the next of its message.
func (s *Store) AddEdits(ctx context.Context, es []message.Edit) error {
	ids := make([]message.ID, len(es))
	for i := range es {
		ids[i] = es[i].Message
	}
	last := map[message.ID]int{}
	for part := range slices.Chunk(ids, perList) {
		var had []struct {
			Message message.ID
			N       int
		}
		err := s.db.From(ctx).NewSelect().Model((*edit)(nil)).ColumnExpr("message_id AS message, MAX(n) AS n").
			Where("message_id IN (?)", bun.List(part)).GroupExpr("message_id").Scan(ctx, &had)
		if err != nil {
			return err
		}
		for _, h := range had {
			last[h.Message] = h.N
		}
	}
	for part := range slices.Chunk(es, perInsert) {
		rows := make([]edit, len(part))
		for i, e := range part {
			rows[i] = edit{
				Message: e.Message, N: last[e.Message] + 1, Seq: e.Seq, User: e.User, At: e.At, PrevContent: e.PrevContent, PrevRendered: e.PrevRendered,
				PrevTopic: e.PrevTopic, Topic: e.Topic, PrevRecipientID: e.From, RecipientID: e.To, ToProtected: e.ToProtected,
			}
		}
		if _, err := s.db.From(ctx).NewInsert().Model(&rows).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Rewrite stores a message's new content and what follows from it.
func (s *Store) Rewrite(ctx context.Context, m *message.Message) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*row)(nil)).Set("content = ?", m.Content).Set("rendered = ?", m.Rendered).
		Set("render_version = ?", m.RenderVersion).Set("facts = ?", m.Facts).Set("edited_at = ?", m.EditedAt).
		Set("realm_url = NULLIF(?, '')", m.RealmURL).Where("id = ?", m.ID).Exec(ctx)
	if err != nil {
		return err
	}
	return s.reword(ctx, m)
}

// Place is where messages go: what is not given stays.
type Place struct {
	Recipient message.Recipient
	Topic     *string
	TopicKey  string
	At        time.Time // noted as the time of the move; zero: it does not count as one
}

// Move puts messages to another channel or topic, in a few statements however many they are.
func (s *Store) Move(ctx context.Context, ids []message.ID, to Place) error {
	facts := message.Changed
	if to.Recipient != 0 {
		facts |= message.Crossed
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
	}
	if to.Topic == nil {
		return nil
	}
	return s.retopic(ctx, ids, *to.Topic)
}

// LockTopic gives the messages of a topic with ids within a range, ascending and without contents, and locks their rows until the
// end of the unit of work.
func (s *Store) LockTopic(ctx context.Context, r message.Recipient, topicKey string, within Range) ([]message.Message, error) {
	var rows []row
	q := s.db.From(ctx).NewSelect().Model(&rows).Column(append(headColumns(), "topic")...).
		Where("m.recipient_id = ?", r).Where("m.topic_key = ?", topicKey).
		Where("m.id >= ?", within.From).Where("m.id <= ?", within.To).Order("m.id")
	if err := s.db.ForUpdate(q).Scan(ctx); err != nil {
		return nil, err
	}
	out := make([]message.Message, len(rows))
	for i := range rows {
		out[i] = rows[i].message()
	}
	return out, nil
}
