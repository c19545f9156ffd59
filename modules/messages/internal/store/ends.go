package store

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
)

// Stretch is a range of a conversation's messages.
type Stretch struct {
	Recipient message.Recipient
	Range
}

// perSeek is the maximum number of stretches per statement.
const perSeek = 1000

// CanSeekEnds reports whether an index contains the messages that match f in the order of their IDs, so that Ends reads
// no others.
func (f Filter) CanSeekEnds() bool {
	conditions := 0
	for _, set := range []bool{f.Topic != nil, f.Sender != 0, f.Facts != 0} {
		if set {
			conditions++
		}
	}
	return !f.Resolved && f.Facts&(f.Facts-1) == 0 && conditions <= 1
}

// Ends returns, for each stretch, the newest (if down) or oldest message that matches f, or 0. It ignores f.Recipients.
// If f.CanSeekEnds, each stretch takes one seek in an index, however many messages there are.
func (s *Store) Ends(ctx context.Context, in []Stretch, f Filter, down bool) ([]message.ID, error) {
	out := make([]message.ID, 0, len(in))
	for some := range slices.Chunk(in, perSeek) {
		ids := make([]message.ID, len(some))
		var rows []struct {
			N  int
			ID message.ID
		}
		err := s.db.From(ctx).NewRaw("SELECT s.column1 AS n, COALESCE((?), 0) AS id FROM ?",
			s.seek(ctx, Scan{Filter: f, Down: down, Limit: 1}).Column("id"), values(some)).Scan(ctx, &rows)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			ids[r.N] = r.ID
		}
		out = append(out, ids...)
	}
	return out, nil
}

// ScanEach scans each stretch separately, using the conversation's index. It ignores sc.Range and sc.Recipients. The
// result has no particular order.
func (s *Store) ScanEach(ctx context.Context, in []Stretch, sc Scan) ([]message.Message, error) {
	var out []message.Message
	for some := range slices.Chunk(in, perSeek) {
		columns := headColumns()
		for i, c := range columns {
			columns[i] = "m." + c
		}
		rows, err := s.db.From(ctx).QueryContext(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM ? ?", values(some),
			s.db.PerRow("messages", "m", headColumns(), s.seek(ctx, sc)))
		if err != nil {
			return nil, err
		}
		found, err := readHeads(rows, false)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// values returns the stretches as rows of a table s: number, conversation, first and last ID.
func values(in []Stretch) bun.Safe {
	text := []byte("(VALUES ")
	for i, at := range in {
		if i > 0 {
			text = append(text, ',')
		}
		for k, n := range [...]int64{int64(i), int64(at.Recipient), int64(at.From), int64(at.To)} {
			text = strconv.AppendInt(append(text, "(,,,"[k]), n, 10)
		}
		text = append(text, ')')
	}
	return bun.Safe(append(text, ") AS s"...))
}

// seek selects at most sc.Limit messages of the stretch in the current row of s. The caller adds the columns.
func (s *Store) seek(ctx context.Context, sc Scan) *bun.SelectQuery {
	f := sc.Filter
	f.Recipients = nil
	k := bunstore.KeyRange{
		Columns: []string{"m.recipient_id"}, Values: []string{"s.column2"}, ID: "m.id", From: "s.column3", To: "s.column4",
	}
	q := s.db.From(ctx).NewSelect().Model((*row)(nil)).Limit(int64(sc.Limit))
	var value []any
	switch {
	case f.Resolved && f.Topic == nil: // + 0 prevents databases from choosing an index in the order of the IDs
		order := "m.id + 0"
		if sc.Down {
			order += " DESC"
		}
		return where(q.Where("m.recipient_id = s.column2").Where("m.id + 0 >= s.column3").Where("m.id + 0 <= s.column4").
			OrderExpr(order), f)
	case f.Topic != nil:
		k.Columns, k.Values, value = append(k.Columns, "m.topic_key"), append(k.Values, "?0"), []any{*f.Topic}
		q = q.ModelTableExpr(s.db.ByIndex("messages", "m", "messages_topic"))
		q, f.Topic = q.Where("m.recipient_id % 2 = 0"), nil // direct messages have no topic
	case f.Sender != 0 && f.Topic == nil && f.Facts == 0: // as in the method in
		k.Columns, k.Values, value = append(k.Columns, "m.sender_id"), append(k.Values, "?0"), []any{f.Sender}
		q, f.Sender = q.ModelTableExpr(s.db.ByIndex("messages", "m", "messages_place_sender")), 0
	}
	condition, order := s.db.Within(k, sc.Down)
	return where(q.Where(condition, value...).OrderExpr(order), f)
}
