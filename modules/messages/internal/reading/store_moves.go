package reading

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
)

// moveRow is the part of a message's history that read state goes by: its moves between channels.
type moveRow struct {
	bun.BaseModel   `bun:"table:message_edits"`
	MessageID       message.ID
	Seq             int64
	PrevRecipientID message.Recipient
	RecipientID     message.Recipient
	ToProtected     bool
}

// Moves gives the moves between channels of these messages, oldest first.
func (s store) Moves(ctx context.Context, ids []message.ID) (map[message.ID][]readstate.Move, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	all := map[message.ID][]readstate.Move{}
	for some := range slices.Chunk(ids, block) {
		var rows []moveRow
		err := s.db.From(ctx).
			NewSelect().
			Model(&rows).
			Column("message_id", "seq", "prev_recipient_id", "recipient_id", "to_protected").
			Where("message_id IN (?)", bun.List(some)).
			Where("recipient_id IS NOT NULL").
			Order("message_id", "n").
			Scan(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			all[r.MessageID] = append(all[r.MessageID], readstate.Move{
				Message: r.MessageID, Seq: r.Seq, From: r.PrevRecipientID, To: r.RecipientID, ToProtected: r.ToProtected,
			})
		}
	}
	return all, nil
}

// follow adds their moves to the messages that have crossed from one channel to another.
func (s store) follow(ctx context.Context, fs []fact) error {
	var crossed []message.ID
	for _, f := range fs {
		if f.Facts&message.Crossed != 0 {
			crossed = append(crossed, f.ID)
		}
	}
	moves, err := s.Moves(ctx, crossed)
	if err != nil || len(moves) == 0 {
		return err
	}
	for i := range fs {
		fs[i].Moves = moves[fs[i].ID]
	}
	return nil
}
