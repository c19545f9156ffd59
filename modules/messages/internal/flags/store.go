package flags

import (
	"context"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// Store stores a row with a user's flags for each message for which the user has any.
type Store struct{ db *bunstore.DB }

// NewStore returns a Store.
func NewStore(db *bunstore.DB) *Store { return &Store{db} }

// block is the maximum number of rows or IDs per statement.
const block = 1000

type flagRow struct {
	bun.BaseModel `bun:"table:message_flags"`
	UserID        user.ID      `bun:",pk" export:"yes" person:"row"`
	MessageID     message.ID   `bun:",pk" owner:"messages" export:"yes"`
	Flags         message.Flag `export:"yes"`
}

// Table declares the table of flags, which is exported.
func Table(doc string) kit.Table { return kit.Exported[flagRow](doc) }

// Key identifies a flag row.
type Key struct {
	User    user.ID
	Message message.ID
}

// partialIndexes maps the flags that are searched individually to their partial indexes.
var partialIndexes = map[message.Flag]string{
	message.Starred: "message_flags_starred", message.Mentioned: "message_flags_mentioned",
	message.Personally:    "message_flags_personally",
	message.TopicWildcard: "message_flags_topic_wildcard", message.AlertWord: "message_flags_alerted",
	message.Touched:   "message_flags_touched",
	message.OldUnread: "message_flags_old_unread",
}

// rowsWith selects the rows with a bit, using the bit's index if there is one.
func (s *Store) rowsWith(ctx context.Context, bit message.Flag) *bun.SelectQuery {
	q := s.db.From(ctx).NewSelect().Model((*flagRow)(nil)).Where(bunstore.HasBit("flags"), bit)
	if index := partialIndexes[bit]; index != "" {
		q = q.ModelTableExpr(s.db.ByIndex("message_flags", "flag_row", index))
	}
	return q
}

// Of returns the users' flags for the messages, and their flags for all messages with the OldUnread bit.
func (s *Store) Of(ctx context.Context, us []user.ID, ids []message.ID) (map[Key]message.Flag, error) {
	all := map[Key]message.Flag{}
	queries := []*bun.SelectQuery{s.rowsWith(ctx, message.OldUnread)}
	for some := range slices.Chunk(ids, 10*block) {
		q := s.db.From(ctx).NewSelect().Model((*flagRow)(nil)).Where("message_id IN (?)", bun.List(some))
		queries = append(queries, q)
	}
	for _, q := range queries {
		var rows []flagRow
		if err := q.Where("user_id IN (?)", bun.List(us)).Scan(ctx, &rows); err != nil {
			return nil, err
		}
		for _, r := range rows {
			all[Key{r.UserID, r.MessageID}] = r.Flags
		}
	}
	return all, nil
}

// WithBit returns a user's flags for the messages with the bit f whose IDs are at least from.
func (s *Store) WithBit(
	ctx context.Context,
	u user.ID,
	f message.Flag,
	from message.ID,
) (map[message.ID]message.Flag, error) {
	var rows []flagRow
	err := s.rowsWith(ctx, f).Where("user_id = ?", u).Where("message_id >= ?", from).Scan(ctx, &rows)
	all := make(map[message.ID]message.Flag, len(rows))
	for _, r := range rows {
		all[r.MessageID] = r.Flags
	}
	return all, err
}

// Flagged returns up to limit IDs in [from, to] of the messages for which u has at least one bit of f, in ascending
// order, or descending if down. It does not check access. It searches each bit using the bit's index.
func (s *Store) Flagged(
	ctx context.Context,
	u user.ID,
	f message.Flag,
	from, to message.ID,
	limit int,
	down bool,
) ([]message.ID, error) {
	order := "message_id ASC"
	if down {
		order = "message_id DESC"
	}
	var text []string
	var args []any
	for bit := message.Flag(1); bit <= f; bit <<= 1 {
		if f&bit == 0 {
			continue
		}
		text = append(text, "SELECT * FROM (?) AS b")
		args = append(args, s.rowsWith(ctx, bit).Column("message_id").Where("user_id = ?", u).
			Where("message_id BETWEEN ? AND ?", from, to).OrderExpr(order).Limit(int64(limit)))
	}
	ids := []message.ID{}
	err := s.db.From(ctx).
		NewRaw("SELECT message_id FROM ("+strings.Join(text, " UNION ")+") AS f ORDER BY "+order+" LIMIT ?",
			append(args, limit)...).
		Scan(ctx, &ids)
	return ids, err
}

// Any returns the messages for which u has at least one bit of f.
func (s *Store) Any(ctx context.Context, u user.ID, f message.Flag, ids []message.ID) (map[message.ID]bool, error) {
	all := map[message.ID]bool{}
	for some := range slices.Chunk(ids, block) {
		var has []message.ID
		err := s.db.From(ctx).
			NewSelect().
			Model((*flagRow)(nil)).
			Column("message_id").
			Where("user_id = ?", u).
			Where("message_id IN (?)", bun.List(some)).
			Where("(flags & ?) <> 0", f).
			Scan(ctx, &has)
		if err != nil {
			return nil, err
		}
		for _, id := range has {
			all[id] = true
		}
	}
	return all, nil
}

// Users returns the users who have a flag row, by message.
func (s *Store) Users(ctx context.Context, ids []message.ID) (map[message.ID][]user.ID, error) {
	all := map[message.ID][]user.ID{}
	for some := range slices.Chunk(ids, block) {
		var rows []flagRow
		err := s.db.From(ctx).
			NewSelect().
			Model(&rows).
			Column("user_id", "message_id").
			Where("message_id IN (?)", bun.List(some)).
			Scan(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			all[r.MessageID] = append(all[r.MessageID], r.UserID)
		}
	}
	return all, nil
}

// ByMessage returns all users' flags for messages.
func (s *Store) ByMessage(ctx context.Context, ids []message.ID) (map[message.ID]map[user.ID]message.Flag, error) {
	all := map[message.ID]map[user.ID]message.Flag{}
	for some := range slices.Chunk(ids, block) {
		var rows []flagRow
		if err := s.db.From(ctx).NewSelect().Model(&rows).Where("message_id IN (?)", bun.List(some)).Scan(ctx); err != nil {
			return nil, err
		}
		for _, r := range rows {
			if all[r.MessageID] == nil {
				all[r.MessageID] = map[user.ID]message.Flag{}
			}
			all[r.MessageID][r.UserID] = r.Flags
		}
	}
	return all, nil
}
