package reading

import (
	"context"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// store holds flags, floors, chunks, periods and mutes, and reads of messages what read state needs.
type store struct{ db *bunstore.DB }

// block is how many rows or ids go into one statement.
const block = 1000

type flagRow struct {
	bun.BaseModel `bun:"table:message_flags"`
	UserID        user.ID    `bun:",pk"`
	MessageID     message.ID `bun:",pk"`
	Flags         message.Flag
}

// mine names one person's state of one message.
type mine struct {
	User    user.ID
	Message message.ID
}

// InsertFlags stores flags of new messages, for which nobody has any yet.
func (s store) InsertFlags(ctx context.Context, rows []flagRow) error {
	for some := range slices.Chunk(rows, 10*block) {
		if _, err := s.db.From(ctx).NewInsert().Model(&some).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// indices are those of the flags that are looked for by themselves.
var indices = map[message.Flag]string{
	message.Starred: "message_flags_starred", message.Mentioned: "message_flags_mentioned", message.Personally: "message_flags_personally",
	message.TopicWildcard: "message_flags_topic_wildcard", message.AlertWord: "message_flags_alerted", message.Touched: "message_flags_touched",
	message.OldUnread: "message_flags_old_unread",
}

// having asks for rows with one bit, by its index.
func (s store) having(ctx context.Context, bit message.Flag) *bun.SelectQuery {
	q := s.db.From(ctx).NewSelect().Model((*flagRow)(nil)).Where(bunstore.HasBit("flags"), bit)
	if index := indices[bit]; index != "" {
		q = q.ModelTableExpr(s.db.ByIndex("message_flags", "flag_row", index))
	}
	return q
}

// Flags gives the flags that any of the people has of any of the messages, and of all messages with the OldUnread bit.
func (s store) Flags(ctx context.Context, us []user.ID, ids []message.ID) (map[mine]message.Flag, error) {
	all := map[mine]message.Flag{}
	which := []*bun.SelectQuery{s.having(ctx, message.OldUnread)}
	for some := range slices.Chunk(ids, 10*block) {
		which = append(which, s.db.From(ctx).NewSelect().Model((*flagRow)(nil)).Where("message_id IN (?)", bun.List(some)))
	}
	for _, q := range which {
		var rows []flagRow
		if err := q.Where("user_id IN (?)", bun.List(us)).Scan(ctx, &rows); err != nil {
			return nil, err
		}
		for _, r := range rows {
			all[mine{r.UserID, r.MessageID}] = r.Flags
		}
	}
	return all, nil
}

// SetFlags stores flags; 0 removes the row. In the realm's lock only.
func (s store) SetFlags(ctx context.Context, all map[mine]message.Flag) error {
	var set []flagRow
	var gone [][]int64
	for k, f := range all {
		if f == 0 {
			gone = append(gone, []int64{int64(k.User), int64(k.Message)})
		} else {
			set = append(set, flagRow{UserID: k.User, MessageID: k.Message, Flags: f})
		}
	}
	for some := range slices.Chunk(set, block) {
		_, err := s.db.From(ctx).
			NewInsert().
			Model(&some).
			On("CONFLICT (user_id, message_id) DO UPDATE").
			Set("flags = EXCLUDED.flags").
			Exec(ctx)
		if err != nil {
			return err
		}
	}
	for some := range slices.Chunk(gone, block) {
		_, err := s.db.From(ctx).
			NewRaw("DELETE FROM message_flags WHERE (user_id, message_id) IN (?)", bunstore.Tuples(some)).
			Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// FlagsFrom gives a person's flags of messages with the bit f, from an id on.
func (s store) FlagsFrom(
	ctx context.Context,
	u user.ID,
	f message.Flag,
	from message.ID,
) (map[message.ID]message.Flag, error) {
	var rows []flagRow
	err := s.having(ctx, f).Where("user_id = ?", u).Where("message_id >= ?", from).Scan(ctx, &rows)
	all := make(map[message.ID]message.Flag, len(rows))
	for _, r := range rows {
		all[r.MessageID] = r.Flags
	}
	return all, err
}

// Flagged gives ids of messages with a bit of f, of ids in [from, to], in order. Each bit is looked up by its own
// index.
func (s store) Flagged(
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
		args = append(args, s.having(ctx, bit).Column("message_id").Where("user_id = ?", u).
			Where("message_id BETWEEN ? AND ?", from, to).OrderExpr(order).Limit(int64(limit)))
	}
	ids := []message.ID{}
	err := s.db.From(ctx).
		NewRaw("SELECT message_id FROM ("+strings.Join(text, " UNION ")+") AS f ORDER BY "+order+" LIMIT ?", append(args, limit)...).
		Scan(ctx, &ids)
	return ids, err
}

// Among gives those of the ids of which u has a bit of f.
func (s store) Among(ctx context.Context, u user.ID, f message.Flag, ids []message.ID) (map[message.ID]bool, error) {
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

// ClearOld removes the OldUnread bits of people, of all messages, or of those in one conversation when in is not 0.
func (s store) ClearOld(ctx context.Context, us []user.ID, in message.Recipient) error {
	where := "user_id IN (?) AND (flags & 128) <> 0 AND (flags & 128) = 128"
	if in != 0 {
		where += " AND message_id IN (SELECT id FROM messages WHERE recipient_id = ?)"
	}
	for some := range slices.Chunk(us, block) {
		args := []any{bun.List(some)}
		if in != 0 {
			args = append(args, in)
		}
		if _, err := s.db.From(ctx).NewDelete().Model((*flagRow)(nil)).Where(where, args...).Where("flags = 128").Exec(ctx); err != nil {
			return err
		}
		if _, err := s.db.From(ctx).NewUpdate().Model((*flagRow)(nil)).Set("flags = flags - 128").Where(where, args...).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// AddFlags adds bits to flags. In the realm's lock only.
func (s store) AddFlags(ctx context.Context, all map[mine]message.Flag) error {
	rows := make([]flagRow, 0, len(all))
	for k, f := range all {
		rows = append(rows, flagRow{UserID: k.User, MessageID: k.Message, Flags: f})
	}
	for some := range slices.Chunk(rows, block) {
		_, err := s.db.From(ctx).NewInsert().Model(&some).On("CONFLICT (user_id, message_id) DO UPDATE").
			Set("flags = ?TableAlias.flags | EXCLUDED.flags").Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}
