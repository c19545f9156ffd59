package store

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// Submessages stores submessages.
type Submessages struct{ db *bunstore.DB }

type submessage struct {
	bun.BaseModel `bun:"table:submessages,alias:s"`
	ID            message.SubmessageID `bun:",pk,autoincrement"`
	Message       message.ID           `bun:"message_id" owner:"messages"`
	Sender        user.ID              `bun:"sender_id" person:"hook"`
	Type          string
	Content       string
}

func (r submessage) submessage() message.Submessage {
	return message.Submessage{ID: r.ID, Message: r.Message, Sender: r.Sender, Type: r.Type, Content: r.Content}
}

func submessageRow(m message.Submessage) submessage {
	return submessage{Message: m.Message, Sender: m.Sender, Type: m.Type, Content: m.Content}
}

// Of returns the submessages of messages, oldest first.
func (s *Submessages) Of(ctx context.Context, ids []message.ID) (map[message.ID][]message.Submessage, error) {
	all := map[message.ID][]message.Submessage{}
	for part := range slices.Chunk(ids, perList) {
		var rows []submessage
		err := s.db.From(ctx).
			NewSelect().
			Model(&rows).
			Where("s.message_id IN (?)", bun.List(part)).
			Order("s.message_id", "s.id").
			Scan(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			all[r.Message] = append(all[r.Message], r.submessage())
		}
	}
	return all, nil
}

// First returns the oldest submessage of each message that has any.
func (s *Submessages) First(ctx context.Context, ids []message.ID) (map[message.ID]message.Submessage, error) {
	out := map[message.ID]message.Submessage{}
	for part := range slices.Chunk(ids, perList) {
		var rows []submessage
		err := s.db.From(ctx).
			NewSelect().
			Model(&rows).
			Where("s.id IN (?)", s.db.From(ctx).NewSelect().Model((*submessage)(nil)).
				ColumnExpr("MIN(s.id)").Where("s.message_id IN (?)", bun.List(part)).GroupExpr("s.message_id")).
			Scan(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			out[r.Message] = r.submessage()
		}
	}
	return out, nil
}

// ByID returns the existing submessages with these IDs.
func (s *Submessages) ByID(
	ctx context.Context,
	ids []message.SubmessageID,
) (map[message.SubmessageID]message.Submessage, error) {
	out := map[message.SubmessageID]message.Submessage{}
	for part := range slices.Chunk(ids, perList) {
		var rows []submessage
		if err := s.db.From(ctx).NewSelect().Model(&rows).Where("s.id IN (?)", bun.List(part)).Scan(ctx); err != nil {
			return nil, err
		}
		for _, r := range rows {
			out[r.ID] = r.submessage()
		}
	}
	return out, nil
}

// Total returns the number and total size of a message's submessages, also of those by one user's accounts, and the
// first one.
func (s *Submessages) Total(ctx context.Context, id message.ID, own []user.ID) (message.Submessages, error) {
	var all message.Submessages
	err := s.db.From(ctx).NewSelect().Model((*submessage)(nil)).ColumnExpr("COUNT(*)").
		ColumnExpr("COALESCE(SUM(OCTET_LENGTH(s.content)), 0)").
		ColumnExpr("COUNT(CASE WHEN s.sender_id IN (?) THEN 1 END)", bun.List(own)).
		ColumnExpr("COALESCE(SUM(CASE WHEN s.sender_id IN (?) THEN OCTET_LENGTH(s.content) END), 0)", bun.List(own)).
		Where("s.message_id = ?", id).Scan(ctx, &all.All.Count, &all.All.Bytes, &all.Own.Count, &all.Own.Bytes)
	if err != nil || all.All.Count == 0 {
		return all, err
	}
	first, err := s.First(ctx, []message.ID{id})
	if one, ok := first[id]; ok {
		all.First = &one
		if slices.Contains(own, one.Sender) {
			all.Own.Count, all.Own.Bytes = all.Own.Count-1, all.Own.Bytes-len(one.Content)
		}
	}
	return all, err
}

// By returns the submessages that a user has attached to a message, oldest first.
func (s *Submessages) By(ctx context.Context, id message.ID, u user.ID) ([]message.Submessage, error) {
	var rows []submessage
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("s.message_id = ?", id).Where("s.sender_id = ?", u).
		Order("s.id").Scan(ctx)
	out := make([]message.Submessage, len(rows))
	for i, r := range rows {
		out[i] = r.submessage()
	}
	return out, err
}

// Delete deletes submessages.
func (s *Submessages) Delete(ctx context.Context, all []message.Submessage) error {
	ids := make([]message.SubmessageID, len(all))
	for i, m := range all {
		ids[i] = m.ID
	}
	for part := range slices.Chunk(ids, perList) {
		_, err := s.db.From(ctx).NewDelete().Model((*submessage)(nil)).Where("id IN (?)", bun.List(part)).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// AddAll stores submessages. The realm must be locked, so that their IDs increase in the order of the log.
func (s *Submessages) AddAll(ctx context.Context, all []message.Submessage) error {
	for part := range slices.Chunk(all, perInsert) {
		rows := make([]submessage, len(part))
		for i, m := range part {
			rows[i] = submessageRow(m)
		}
		if _, err := s.db.From(ctx).NewInsert().Model(&rows).ExcludeColumn("id").Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Add stores a submessage and returns its ID. The realm must be locked.
func (s *Submessages) Add(ctx context.Context, m message.Submessage) (message.SubmessageID, error) {
	r := submessageRow(m)
	_, err := s.db.From(ctx).NewInsert().Model(&r).ExcludeColumn("id").Returning("id").Exec(ctx)
	return r.ID, err
}

// MarkExtended records that a message has submessages. The row and the realm must be locked.
func (s *Store) MarkExtended(ctx context.Context, m *message.Message) error {
	m.Facts |= message.HasWidget
	_, err := s.db.From(ctx).
		NewUpdate().
		Model((*row)(nil)).
		Set("facts = facts | ?", message.HasWidget).
		Where("m.id = ?", m.ID).
		Exec(ctx)
	if err != nil {
		return err
	}
	return s.recordChanges(ctx, m.Realm, []message.ID{m.ID})
}
