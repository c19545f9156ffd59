package inbox

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate"
)

// moveRow contains the columns of an edit that describe a move between channels.
type moveRow struct {
	bun.BaseModel   `bun:"table:message_edits"`
	MessageID       message.ID
	Seq             int64
	PrevRecipientID message.Recipient
	RecipientID     message.Recipient
	ToProtected     bool
}

// Moves returns the messages' moves between channels, oldest first.
func (s *Store) Moves(ctx context.Context, ids []message.ID) (map[message.ID][]readstate.Move, error) {
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
