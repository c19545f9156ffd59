package reading

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/user"
)

type periodRow struct {
	bun.BaseModel `bun:"table:subscription_periods"`
	UserID        user.ID           `bun:",pk"`
	RecipientID   message.Recipient `bun:",pk"`
	FromMsg       message.ID
	FromSeq       int64 `bun:",pk"`
	ToMsg         *message.ID
	ToSeq         *int64
}

func (r *periodRow) period() readstate.Period {
	p := readstate.Period{Recipient: r.RecipientID, FromMsg: r.FromMsg, FromSeq: r.FromSeq}
	if r.ToSeq != nil && r.ToMsg != nil {
		p.ToMsg, p.ToSeq = *r.ToMsg, *r.ToSeq
	}
	return p
}

// Open begins subscriptions after the message and log position given. In the realm's lock only.
func (s store) Open(ctx context.Context, in message.Recipient, us user.Set, msg message.ID, seq int64) error {
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

// Close ends subscriptions with the message and log position given. In the realm's lock only.
func (s store) Close(ctx context.Context, in message.Recipient, us user.Set, msg message.ID, seq int64) error {
	for some := range slices.Chunk(us, block) {
		_, err := s.db.From(ctx).NewUpdate().Model((*periodRow)(nil)).Set("to_msg = ?", msg).Set("to_seq = ?", seq).
			Where("recipient_id = ?", in).Where("to_seq IS NULL").Where("user_id IN (?)", bun.List(some)).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// pair is one person and one channel's conversation.
type pair struct {
	User user.ID
	In   message.Recipient
}

// Periods gives the subscriptions of these people to these channels, closed ones too. Pairs with direct conversations
// count for nothing.
func (s store) Periods(ctx context.Context, pairs []pair) (map[user.ID][]readstate.Period, error) {
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

// Owns gives where all messages of people come from.
func (s store) Owns(ctx context.Context, us []user.ID) (map[user.ID]*readstate.Inbox, error) {
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
		own := all[periods[i].UserID]
		own.Periods = append(own.Periods, periods[i].period())
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

type memberRow struct {
	bun.BaseModel  `bun:"table:conversation_members"`
	ConversationID int64
	UserID         user.ID
}

// split gives the channels' conversations, and the row ids of the direct ones.
func split(in []message.Recipient) (channels []message.Recipient, direct []int64) {
	for _, r := range in {
		if _, channel := r.Channel(); channel {
			channels = append(channels, r)
		} else {
			direct = append(direct, int64(r>>1))
		}
	}
	return channels, direct
}

// Members gives who takes part in direct conversations, by id.
func (s store) Members(ctx context.Context, in []message.Recipient) (map[message.Recipient]user.Set, error) {
	all := map[message.Recipient]user.Set{}
	_, ids := split(in)
	for some := range slices.Chunk(ids, block) {
		var rows []memberRow
		err := s.db.From(ctx).NewSelect().Model(&rows).Where("conversation_id IN (?)", bun.List(some)).Scan(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			all[message.OfDirect(r.ConversationID)] = append(all[message.OfDirect(r.ConversationID)], r.UserID)
		}
	}
	for r, us := range all {
		all[r] = idset.Of(us...)
	}
	return all, nil
}

// Page gives what one person has of a page of messages: flags, and the periods in the channels that these are in.
func (s store) Page(
	ctx context.Context,
	u user.ID,
	ids []message.ID,
	in []message.Recipient,
) (map[message.ID]message.Flag, []readstate.Period, error) {
	flags, periods := map[message.ID]message.Flag{}, []readstate.Period(nil)
	channels, _ := split(in)
	var rows []struct{ Kind, A, B, C, D, E int64 }
	err := s.db.From(ctx).NewRaw(`SELECT 0 AS kind, message_id AS a, flags AS b, 0 AS c, 0 AS d, 0 AS e FROM message_flags
		WHERE user_id = ? AND message_id IN (?) UNION ALL
		SELECT 1, recipient_id, from_msg, from_seq, COALESCE(to_msg, 0), COALESCE(to_seq, 0) FROM subscription_periods
		WHERE user_id = ? AND recipient_id IN (?)`, u, bun.List(ids), u, bun.List(channels)).Scan(ctx, &rows)
	for _, r := range rows {
		if r.Kind == 0 {
			flags[message.ID(r.A)] = message.Flag(r.B)
			continue
		}
		periods = append(periods, readstate.Period{
			Recipient: message.Recipient(r.A), FromMsg: message.ID(r.B), FromSeq: r.C, ToMsg: message.ID(r.D), ToSeq: r.E,
		})
	}
	return flags, periods, err
}
