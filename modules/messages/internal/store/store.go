// Package store stores messages, conversations, edits, reactions and submessages. None of the tables grows with the
// number of a message's readers.
package store

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// Store stores messages and contains the stores for related data.
type Store struct {
	db            *bunstore.DB
	Conversations *Conversations
	Edits         *Edits
	Reactions     *Reactions
	Submessages   *Submessages
	Purges        *Purges
	Keys          *Keys
	Warnings      *Warnings
	Words         *Words
	Renderings    *Renderings
	Retention     *Retention
	Exports       *Exports
}

// New returns a Store.
func New(db *bunstore.DB, work ports.UnitOfWork) *Store {
	return &Store{
		db: db,
		Conversations: &Conversations{
			db: db, work: work, members: newImmutableCache[int64, user.Set](), keys: newImmutableCache[string, int64](),
		},
		Edits:       &Edits{db},
		Reactions:   &Reactions{db},
		Submessages: &Submessages{db},
		Purges:      &Purges{db},
		Keys:        &Keys{db},
		Warnings:    &Warnings{db},
		Words:       &Words{db},
		Renderings:  &Renderings{db},
		Retention:   &Retention{db},
		Exports:     &Exports{db},
	}
}

type row struct {
	bun.BaseModel `bun:"table:messages,alias:m"`
	ID            message.ID        `bun:",pk,autoincrement" export:"yes"`
	Realm         realm.ID          `bun:"realm_id"`
	Recipient     message.Recipient `bun:"recipient_id" export:"no"`
	Topic         string            `export:"yes"`
	TopicKey      string            `export:"no"`
	Sender        user.ID           `bun:"sender_id" export:"yes" person:"hook"`
	Client        string            `export:"yes"`
	SentAt        time.Time         `export:"yes"`
	Content       string            `export:"yes"`
	Rendered      string            `export:"yes"`
	RenderVersion int               `export:"no"`
	Facts         message.Facts     `export:"no"`
	ReadFor       user.ID           `bun:",nullzero" export:"no" person:"id"`
	Notice        int16             `export:"no"`
	EditedAt      time.Time         `bun:",nullzero" export:"yes"`
	MovedAt       time.Time         `bun:",nullzero" export:"yes"`
	RealmURL      string            `bun:"realm_url,nullzero" export:"no"`
	Stamp         int64             `bun:",nullzero" export:"no"`
}

func (r *row) message() message.Message {
	return message.Message{
		ID: r.ID, Realm: r.Realm, Recipient: r.Recipient, Topic: r.Topic, TopicKey: r.TopicKey, Sender: r.Sender,
		Client: r.Client,
		SentAt: r.SentAt, Content: r.Content, Rendered: r.Rendered, RenderVersion: r.RenderVersion, Facts: r.Facts,
		ReadFor: r.ReadFor, Notice: r.Notice, EditedAt: r.EditedAt, MovedAt: r.MovedAt, RealmURL: r.RealmURL, Stamp: r.Stamp,
	}
}

func rowOf(m *message.Message) row {
	return row{
		Realm: m.Realm, Recipient: m.Recipient, Topic: m.Topic, TopicKey: m.TopicKey, Sender: m.Sender, Client: m.Client,
		SentAt: m.SentAt, Content: m.Content, Rendered: m.Rendered, RenderVersion: m.RenderVersion, Facts: m.Facts,
		ReadFor: m.ReadFor, Notice: m.Notice, EditedAt: m.EditedAt, MovedAt: m.MovedAt, RealmURL: m.RealmURL,
	}
}

// perInsert is the maximum number of rows per INSERT. With 17 values per row, this is below the parameter limits of
// both databases.
const perInsert = 500

// Insert stores messages and sets their IDs, which are ascending. The realm must be locked.
func (s *Store) Insert(ctx context.Context, ms []*message.Message) error {
	for part := range slices.Chunk(ms, perInsert) {
		rows := make([]row, len(part))
		for i, m := range part {
			rows[i] = rowOf(m)
			rows[i].Stamp = rand.Int64()
		}
		insert, err := bunstore.InsertText(s.db, rows, "id")
		if err != nil {
			return err
		}
		var ids []message.ID
		if err := s.db.From(ctx).NewRaw("? RETURNING id", bun.Safe(insert)).Scan(ctx, &ids); err != nil {
			return err
		}
		slices.Sort(ids) // IDs are assigned in the order of the rows, but may be returned in any order
		for i, m := range part {
			m.ID = ids[i]
		}
	}
	return nil
}

// ByID returns those of a realm's messages that have the given IDs, sorted by ID.
func (s *Store) ByID(ctx context.Context, r realm.ID, ids []message.ID) ([]message.Message, error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	out := make([]message.Message, 0, len(ids))
	for part := range slices.Chunk(ids, perList) {
		var rows []row
		if err := s.withIDs(ctx, r, part).Scan(ctx, &rows); err != nil {
			return nil, err
		}
		for i := range rows {
			out = append(out, rows[i].message())
		}
	}
	return out, nil
}

// Heads is like ByID, but returns messages without content.
func (s *Store) Heads(ctx context.Context, r realm.ID, ids []message.ID) ([]message.Message, error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	var out []message.Message
	for part := range slices.Chunk(ids, perList) {
		some, err := heads(ctx, s.withIDs(ctx, r, part).Column(headColumns()...).Column("topic"), true)
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
	}
	return out, nil
}

func (s *Store) withIDs(ctx context.Context, r realm.ID, ids []message.ID) *bun.SelectQuery {
	return s.db.From(ctx).NewSelect().Model((*row)(nil)).Where("m.id IN (?)", bun.List(ids)).Where("m.realm_id = ?", r).
		Order("m.id")
}

// Text contains a message's searchable text.
type Text struct {
	ID      message.ID
	Content string
	Topic   string
}

// Texts returns the texts of those of a realm's messages that have the given IDs, in no particular order.
func (s *Store) Texts(ctx context.Context, r realm.ID, ids []message.ID) ([]Text, error) {
	var out []Text
	err := s.db.From(ctx).NewSelect().Model((*row)(nil)).Column("id", "content", "topic").
		Where("m.id IN (?)", bun.List(ids)).Where("m.realm_id = ?", r).Scan(ctx, &out)
	return out, err
}

// Sizes returns the size of each message's HTML (if rendered) or Markdown, in bytes.
func (s *Store) Sizes(ctx context.Context, ids []message.ID, rendered bool) (map[message.ID]int, error) {
	column := "content"
	if rendered {
		column = "rendered"
	}
	out := make(map[message.ID]int, len(ids))
	for part := range slices.Chunk(ids, perList) {
		var rows []struct {
			ID   message.ID
			Size int
		}
		err := s.db.From(ctx).NewSelect().Model((*row)(nil)).Column("id").
			ColumnExpr("OCTET_LENGTH(m.?) AS size", bun.Ident(column)).
			Where("m.id IN (?)", bun.List(part)).Scan(ctx, &rows)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			out[r.ID] = r.Size
		}
	}
	return out, nil
}

// perList is the maximum number of IDs per statement.
const perList = 5000

// Newest returns the highest message ID, or 0.
func (s *Store) Newest(ctx context.Context) (message.ID, error) {
	var id message.ID
	err := s.db.From(ctx).NewRaw("SELECT COALESCE(MAX(id), 0) FROM messages").Scan(ctx, &id)
	return id, err
}
