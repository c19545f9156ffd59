package store

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/messages/internal/search"
)

// Words stores the index of words.
type Words struct{ db *bunstore.DB }

// The index of words is updated in the background, so that senders do not wait for it. It contains all messages of a
// realm up to an ID; later messages are searched one by one. Edits of indexed messages update the index immediately.
//
// After an upgrade, the entries of all messages up to another ID may have a former form. They are replaced in the
// background, the newest first, and that ID decreases to 0. Until then, searches look for tokens of both forms.

type indexed struct {
	bun.BaseModel `bun:"table:message_search,alias:message_search"`
	ID            message.ID `bun:"rowid,pk" owner:"messages"`
	Content       string
	Topic         string
}

type searchState struct {
	bun.BaseModel `bun:"table:message_search_state"`
	Realm         realm.ID `bun:"realm_id,pk"`
	Progress
}

// Progress is the state of a realm's index.
type Progress struct {
	Indexed message.ID // the last indexed message
	Former  message.ID // the last message whose entry may have a former form, or 0
}

// AnyUnindexed selects whether there are messages after the last indexed one. A run of the job indexes all realms.
const AnyUnindexed = "SELECT 0 WHERE (SELECT max(id) FROM messages) > " +
	"COALESCE((SELECT max(indexed) FROM message_search_state), 0)"

// AnyFormer selects whether there are entries of a former form.
const AnyFormer = "SELECT 0 WHERE EXISTS (SELECT 1 FROM message_search_state WHERE former > 0)"

// Progress returns the state of a realm's index.
func (s *Words) Progress(ctx context.Context, r realm.ID) (Progress, error) {
	var found []searchState
	err := s.db.From(ctx).NewSelect().Model(&found).Where("realm_id = ?", r).Scan(ctx)
	if err != nil || len(found) == 0 {
		return Progress{}, err
	}
	return found[0].Progress, nil
}

// AnyFormer returns a realm whose index contains entries of a former form, and the last message with such an entry.
// It returns 0 if there are none.
func (s *Words) AnyFormer(ctx context.Context) (realm.ID, message.ID, error) {
	var found []searchState
	err := s.db.From(ctx).NewSelect().Model(&found).Where("former > 0").Order("realm_id").Limit(1).Scan(ctx)
	if err != nil || len(found) == 0 {
		return 0, 0, err
	}
	return found[0].Realm, found[0].Former, nil
}

// MarkFormer makes all entries of a realm's index count as having a former form, so that they are replaced.
func (s *Words) MarkFormer(ctx context.Context, r realm.ID) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*searchState)(nil)).Set("former = indexed").
		Where("realm_id = ?", r).Exec(ctx)
	return err
}

// Prepared holds the index entries of some of a realm's messages.
type Prepared struct {
	First, Last message.ID // of the messages
	entries     map[message.ID]entry
}

// Size returns the number of messages.
func (p *Prepared) Size() int { return len(p.entries) }

// entry is an index entry, and the text for which it was computed.
type entry struct {
	indexed
	content, topic string
}

// Prepare computes the index entries of at most limit of a realm's messages after an ID. It needs no lock. t remembers
// the words of former messages.
func (s *Words) Prepare(
	ctx context.Context, t *search.Tokenizer, r realm.ID, after message.ID, limit int,
) (*Prepared, error) {
	var ms []row
	if err := s.unindexed(ctx, &ms, r, after, limit).Scan(ctx); err != nil {
		return nil, err
	}
	return prepared(t, ms), nil
}

// PrepareFormer is like Prepare for the last messages up to an ID.
func (s *Words) PrepareFormer(
	ctx context.Context, t *search.Tokenizer, r realm.ID, last message.ID, limit int,
) (*Prepared, error) {
	var ms []row
	err := s.texts(ctx, &ms, r).Where("m.id <= ?", last).Order("m.id DESC").Limit(int64(limit)).Scan(ctx)
	if err != nil {
		return nil, err
	}
	slices.Reverse(ms)
	p := prepared(t, ms)
	if len(ms) < limit {
		p.First = 1 // there are no earlier ones
	}
	return p, nil
}

// prepared computes the index entries of messages, which must be ascending.
func prepared(t *search.Tokenizer, ms []row) *Prepared {
	p := &Prepared{entries: make(map[message.ID]entry, len(ms))}
	if len(ms) > 0 {
		p.First, p.Last = ms[0].ID, ms[len(ms)-1].ID
	}
	for _, m := range ms {
		p.entries[m.ID] = newEntry(t, &m)
	}
	return p
}

// indexed returns the index entry of a message, which is computed again if the message has changed.
func (p *Prepared) indexed(t *search.Tokenizer, m *row) indexed {
	e, ok := p.entries[m.ID]
	if !ok || e.content != m.Content || e.topic != m.Topic {
		e = newEntry(t, m)
	}
	return e.indexed
}

func newEntry(t *search.Tokenizer, m *row) entry {
	return entry{indexed{ID: m.ID, Content: t.Tokens(m.Content), Topic: t.Tokens(m.Topic)}, m.Content, m.Topic}
}

func (s *Words) unindexed(ctx context.Context, ms *[]row, r realm.ID, from message.ID, limit int) *bun.SelectQuery {
	return s.texts(ctx, ms, r).Where("m.id > ?", from).Order("m.id").Limit(int64(limit))
}

func (s *Words) texts(ctx context.Context, ms *[]row, r realm.ID) *bun.SelectQuery {
	return s.db.From(ctx).NewSelect().Model(ms).Column("id", "content", "topic").Where("m.realm_id = ?", r)
}

// Index indexes at most limit of a realm's next messages. Call it inside Do; it locks the rows against concurrent
// edits. It uses the entries of p for messages that have not changed since.
func (s *Words) Index(ctx context.Context, p *Prepared, r realm.ID, limit int) error {
	at, err := s.Progress(ctx, r)
	if err != nil {
		return err
	}
	var ms []row
	if err := s.db.ForUpdate(s.unindexed(ctx, &ms, r, at.Indexed, limit)).Scan(ctx); err != nil || len(ms) == 0 {
		return err
	}
	rows := make([]indexed, len(ms))
	var t search.Tokenizer
	for i, m := range ms {
		rows[i] = p.indexed(&t, &m)
	}
	if _, err := s.db.From(ctx).NewInsert().Model(&rows).Exec(ctx); err != nil {
		return err
	}
	state := searchState{Realm: r, Progress: Progress{Indexed: ms[len(ms)-1].ID}}
	_, err = s.db.From(ctx).
		NewInsert().
		Model(&state).
		On("CONFLICT (realm_id) DO UPDATE").
		Set("indexed = EXCLUDED.indexed").
		Exec(ctx)
	return err
}

// Replace replaces the entries of p, which was prepared for the messages up to former. Call it inside Do; it locks the
// rows against concurrent edits. If another node was faster, it does nothing.
func (s *Words) Replace(ctx context.Context, p *Prepared, r realm.ID, former message.ID) error {
	var ms []row
	err := s.db.ForUpdate(s.texts(ctx, &ms, r).Where("m.id >= ?", p.First).Where("m.id <= ?", p.Last).Order("m.id")).
		Scan(ctx)
	if err != nil {
		return err
	}
	n, err := bunstore.Affected(s.db.From(ctx).NewUpdate().Model((*searchState)(nil)).Set("former = ?", p.First-1).
		Where("realm_id = ?", r).Where("former = ?", former).Exec(ctx))
	if err != nil || n == 0 || len(ms) == 0 {
		return err
	}
	rows := make([]indexed, len(ms))
	ids := make([]message.ID, len(ms))
	var t search.Tokenizer
	for i, m := range ms {
		rows[i], ids[i] = p.indexed(&t, &m), m.ID
	}
	_, err = s.db.From(ctx).NewDelete().Model((*indexed)(nil)).Where("rowid IN (?)", bun.List(ids)).Exec(ctx)
	if err != nil {
		return err
	}
	_, err = s.db.From(ctx).NewInsert().Model(&rows).Exec(ctx)
	return err
}

// Reindex updates the index with a message's new content, if the message is indexed.
func (s *Words) Reindex(ctx context.Context, m *message.Message) error {
	_, err := s.db.From(ctx).
		NewUpdate().
		Model((*indexed)(nil)).
		Set("content = ?", search.Tokens(m.Content)).
		Where("rowid = ?", m.ID).
		Exec(ctx)
	return err
}

// Merge removes words of deleted messages from the index, in several transactions: it must be called until it reports
// that nothing is left. Call it inside Do.
func (s *Words) Merge(ctx context.Context, first bool) (more bool, err error) {
	return s.db.MergeWords(ctx, "message_search", first)
}

// updateTopic updates the index with the new topic of those messages that are indexed.
func (s *Words) updateTopic(ctx context.Context, ids []message.ID, topic string) error {
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

// NearRange is the size of a range of IDs in which even words that all messages contain have few matches.
const NearRange = 5000

// FewWords is the number of matches that can be found quickly.
const FewWords = 5000

// HasFew reports whether fewer than FewWords indexed messages in a range contain at least one word of each list.
func (s *Words) HasFew(ctx context.Context, within Range, all [][]string) (bool, error) {
	n := 0
	err := s.db.From(ctx).NewSelect().TableExpr("(?) AS hits", s.hits(ctx, within, all).Limit(FewWords)).
		ColumnExpr("COUNT(*)").Scan(ctx, &n)
	return n < FewWords, err
}

// Scan scans the indexed messages that contain at least one word of each list. It finds all matches in the range before
// it applies the other conditions.
func (s *Words) Scan(ctx context.Context, sc Scan, all [][]string) ([]message.Message, error) {
	q := scanned(ctx, s.db, sc).Where(s.db.Among("m.id"), s.hits(ctx, sc.Range, all).Limit(unlimited))
	return heads(ctx, where(q, sc.Filter), false)
}

// unlimited exceeds the number of matches. The limit makes the database find the matches before it sorts.
const unlimited = 1<<31 - 1

// hits selects the IDs of the indexed messages in a range that contain at least one word of each list.
func (s *Words) hits(ctx context.Context, within Range, all [][]string) *bun.SelectQuery {
	condition, argument := s.db.MatchWords("message_search", all)
	return s.db.From(ctx).NewSelect().TableExpr("message_search").ColumnExpr("message_search.rowid").
		Where(condition, argument).
		Where("message_search.rowid >= ?", within.From).Where("message_search.rowid <= ?", within.To)
}
