package store

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/messages/internal/search"
)

// The index of words is written behind the messages, so that a send does not wait for it: up to a place in each realm
// all messages are in it, and what comes after is looked through by itself. What is in it changes with the message.

type indexed struct {
	bun.BaseModel `bun:"table:message_search,alias:message_search"`
	ID            message.ID `bun:"rowid,pk"`
	Content       string
	Topic         string
}

type searchState struct {
	bun.BaseModel `bun:"table:message_search_state"`
	Realm         realm.ID   `bun:"realm_id,pk"`
	Indexed       message.ID // the last message that is in the index
}

// Indexed gives the id up to which all messages of a realm are in the index.
func (s *Store) Indexed(ctx context.Context, r realm.ID) (message.ID, error) {
	var ids []message.ID
	err := s.db.From(ctx).NewSelect().Model((*searchState)(nil)).Column("indexed").Where("realm_id = ?", r).Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return ids[0], nil
}

// Index puts the next messages of a realm into the index, at most limit, and tells how many they were. In a unit of
// work: an edit of one of them waits for it, or is waited for.
func (s *Store) Index(ctx context.Context, r realm.ID, limit int) (int, error) {
	from, err := s.Indexed(ctx, r)
	if err != nil {
		return 0, err
	}
	var ms []row
	q := s.db.From(ctx).NewSelect().Model(&ms).Column("id", "content", "topic").
		Where("m.id > ?", from).Where("m.realm_id = ?", r).Order("m.id").Limit(int64(limit))
	if err := s.db.ForUpdate(q).Scan(ctx); err != nil || len(ms) == 0 {
		return 0, err
	}
	rows := make([]indexed, len(ms))
	for i, m := range ms {
		rows[i] = indexed{ID: m.ID, Content: search.Tokens(m.Content), Topic: search.Tokens(m.Topic)}
	}
	if _, err := s.db.From(ctx).NewInsert().Model(&rows).Exec(ctx); err != nil {
		return 0, err
	}
	state := searchState{Realm: r, Indexed: ms[len(ms)-1].ID}
	_, err = s.db.From(ctx).
		NewInsert().
		Model(&state).
		On("CONFLICT (realm_id) DO UPDATE").
		Set("indexed = EXCLUDED.indexed").
		Exec(ctx)
	return len(ms), err
}

// reword puts a message's new content into the index, if the message is there.
func (s *Store) reword(ctx context.Context, m *message.Message) error {
	_, err := s.db.From(ctx).
		NewUpdate().
		Model((*indexed)(nil)).
		Set("content = ?", search.Tokens(m.Content)).
		Where("rowid = ?", m.ID).
		Exec(ctx)
	return err
}

// retopic puts the new topic of messages into the index, as far as they are there.
func (s *Store) retopic(ctx context.Context, ids []message.ID, topic string) error {
	for part := range slices.Chunk(ids, perList) {
		_, err := s.db.From(ctx).
			NewUpdate().
			Model((*indexed)(nil)).
			Set("topic = ?", search.Tokens(topic)).
			Where("rowid IN (?)", bun.List(part)).
			Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// near is how many ids a search for words looks at one by one first: there a frequent word is found at once, and the
// index of words, which gives all that there are, is not asked.
const near = 5000

// Words scans the messages in the index that have one word of each list.
func (s *Store) Words(ctx context.Context, sc Scan, all [][]string) ([]message.Message, error) {
	close := sc
	if sc.Down {
		close.From = max(sc.From, sc.To-near)
	} else {
		close.To = min(sc.To, sc.From+near)
	}
	found, err := s.words(ctx, close, all)
	if err != nil || len(found) == sc.Limit || close.Range == sc.Range {
		return found, err
	}
	return s.words(ctx, sc, all)
}

// unlimited is a limit all the same: with one the database finds the hits by themselves, before it thinks of their
// order.
const unlimited = 1<<31 - 1

func (s *Store) words(ctx context.Context, sc Scan, all [][]string) ([]message.Message, error) {
	condition, argument := s.db.MatchWords("message_search", all)
	hits := s.db.From(ctx).NewSelect().TableExpr("message_search").ColumnExpr("message_search.rowid").
		Where(condition, argument).
		Where("message_search.rowid >= ?", sc.From).Where("message_search.rowid <= ?", sc.To).Limit(unlimited)
	return s.scan(ctx, s.heads(ctx, sc).Where(s.db.Among("m.id"), hits), sc)
}
