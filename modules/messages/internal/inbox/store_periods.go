package inbox

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

type periodRow struct {
	bun.BaseModel `bun:"table:subscription_periods"`
	UserID        user.ID           `bun:",pk" owner:"user" export:"yes"`
	RecipientID   message.Recipient `bun:",pk" export:"yes"`
	FromMsg       message.ID        `export:"yes"`
	FromSeq       int64             `bun:",pk" export:"no"`
	ToMsg         *message.ID       `export:"yes"`
	ToSeq         *int64            `export:"no"`
}

// Table declares the table of subscription periods, which is exported.
func Table(doc string) kit.Table { return kit.Exported[periodRow](doc) }

func (r *periodRow) period() readstate.Period {
	p := readstate.Period{Recipient: r.RecipientID, FromMsg: r.FromMsg, FromSeq: r.FromSeq}
	if r.ToSeq != nil && r.ToMsg != nil {
		p.ToMsg, p.ToSeq = *r.ToMsg, *r.ToSeq
	}
	return p
}

// Open starts subscription periods after a message and a log position. The realm must be locked.
func (s *Store) Open(ctx context.Context, in message.Recipient, us user.Set, msg message.ID, seq int64) error {
	for some := range slices.Chunk(us, block) {
		rows := make([]periodRow, len(some))
		for i, u := range some {
			rows[i] = periodRow{UserID: u, RecipientID: in, FromMsg: msg, FromSeq: seq}
		}
		if _, err := s.db.From(ctx).NewInsert().Model(&rows).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Close ends open periods at a message and a log position. The realm must be locked.
func (s *Store) Close(ctx context.Context, in message.Recipient, us user.Set, msg message.ID, seq int64) error {
	for some := range slices.Chunk(us, block) {
		_, err := s.db.From(ctx).NewUpdate().Model((*periodRow)(nil)).Set("to_msg = ?", msg).Set("to_seq = ?", seq).
			Where("recipient_id = ?", in).Where("to_seq IS NULL").Where("user_id IN (?)", bun.List(some)).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// Replace replaces the periods of a user in a channel by those in which the user received ranges of messages, given
// by their IDs before the first and of the last one. The last period begins when it began and is open, if one was. The
// others have positions before those of the log. The realm must be locked.
func (s *Store) Replace(
	ctx context.Context, u user.ID, in message.Recipient, closed [][2]message.ID, last message.ID,
) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*periodRow)(nil)).Set("from_msg = ?", last).Where("user_id = ?", u).
		Where("recipient_id = ?", in).Where("to_seq IS NULL").Exec(ctx)
	if err != nil || len(closed) == 0 {
		return err
	}
	rows := make([]periodRow, len(closed))
	for i, ids := range closed {
		from := -2 * int64(len(closed)-i)
		to := from + 1
		rows[i] = periodRow{UserID: u, RecipientID: in, FromMsg: ids[0], FromSeq: from, ToMsg: &ids[1], ToSeq: &to}
	}
	_, err = s.db.From(ctx).NewInsert().Model(&rows).Exec(ctx)
	return err
}

// Subscribed returns the users whose subscription periods in a channel are open.
func (s *Store) Subscribed(ctx context.Context, in message.Recipient) (user.Set, error) {
	var us []user.ID
	err := s.db.From(ctx).NewSelect().Model((*periodRow)(nil)).Column("user_id").Where("recipient_id = ?", in).
		Where("to_seq IS NULL").Scan(ctx, &us)
	return idset.Of(us...), err
}

// Pair is a user and a channel's conversation.
type Pair struct {
	User user.ID
	In   message.Recipient
}

// Periods returns the users' periods in the channels, including closed ones. It ignores pairs with direct
// conversations.
func (s *Store) Periods(ctx context.Context, pairs []Pair) (map[user.ID][]readstate.Period, error) {
	all := map[user.ID][]readstate.Period{}
	keys := make([][]int64, 0, len(pairs))
	for _, p := range pairs {
		if _, channel := p.In.Channel(); channel {
			keys = append(keys, []int64{int64(p.User), int64(p.In)})
		}
	}
	for some := range slices.Chunk(keys, 5*block) {
		var rows []periodRow
		err := s.db.From(ctx).
			NewSelect().
			Model(&rows).
			Where("(user_id, recipient_id) IN (?)", bunstore.Tuples(some)).
			Scan(ctx)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			all[rows[i].UserID] = append(all[rows[i].UserID], rows[i].period())
		}
	}
	return all, nil
}

// Of returns the whole inbox of each user: all periods, including closed ones, and all direct conversations.
func (s *Store) Of(ctx context.Context, us ...user.ID) (map[user.ID]*readstate.Inbox, error) {
	all := make(map[user.ID]*readstate.Inbox, len(us))
	for _, u := range us {
		all[u] = &readstate.Inbox{}
	}
	var periods []periodRow
	err := s.db.From(ctx).
		NewSelect().
		Model(&periods).
		Where("user_id IN (?)", bun.List(us)).
		Order("user_id", "recipient_id", "from_seq").
		Scan(ctx)
	if err != nil {
		return nil, err
	}
	for i := range periods {
		box := all[periods[i].UserID]
		box.Periods = append(box.Periods, periods[i].period())
	}
	var direct []memberRow
	err = s.db.From(ctx).
		NewSelect().
		Model(&direct).
		Where("user_id IN (?)", bun.List(us)).
		Order("user_id", "conversation_id").
		Scan(ctx)
	for _, d := range direct {
		all[d.UserID].Direct = append(all[d.UserID].Direct, message.OfDirect(d.ConversationID))
	}
	return all, err
}

// PeriodsSince returns the periods in the conversations' channels that started or ended after the message since. All
// other subscribers have been subscribed continuously since before that message.
func (s *Store) PeriodsSince(
	ctx context.Context,
	in []message.Recipient,
	since message.ID,
) (map[user.ID][]readstate.Period, error) {
	all := map[user.ID][]readstate.Period{}
	channels, _ := SplitRecipients(in)
	if len(channels) == 0 {
		return all, nil
	}
	const columns = "SELECT user_id, recipient_id, from_msg, from_seq, COALESCE(to_msg, 0), COALESCE(to_seq, 0) FROM " +
		"subscription_periods "
	rows, err := s.db.From(ctx).
		QueryContext(ctx, columns+"WHERE recipient_id IN (?) AND to_seq IS NOT NULL AND to_msg >= ? UNION ALL "+
			columns+"WHERE recipient_id IN (?) AND to_seq IS NULL AND from_msg >= ?", bun.List(channels), since,
			bun.List(channels), since)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // rows.Err reports the same error
	for rows.Next() {
		var u user.ID
		var p readstate.Period
		if err := rows.Scan(&u, &p.Recipient, &p.FromMsg, &p.FromSeq, &p.ToMsg, &p.ToSeq); err != nil {
			return nil, err
		}
		all[u] = append(all[u], p)
	}
	return all, rows.Err()
}
