package store

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/upload"
)

// refRow says that a message refers to a file.
type refRow struct {
	bun.BaseModel `bun:"table:attachment_messages,alias:am"`
	AttachmentID  upload.ID  `bun:",pk"`
	MessageID     message.ID `bun:",pk"`
	RealmID       realm.ID
}

// Messages gives the messages that refer to a file with IDs below a bound, newest first, at most limit.
func (s *Store) Messages(ctx context.Context, id upload.ID, below message.ID, limit int) ([]message.ID, error) {
	ids := []message.ID{}
	err := s.db.From(ctx).NewSelect().Model((*refRow)(nil)).Column("message_id").Where("attachment_id = ?", id).
		Where("message_id < ?", below).Order("message_id DESC").Limit(int64(limit)).Scan(ctx, &ids)
	return ids, err
}
