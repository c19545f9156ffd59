package reports

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

type store struct{ db *bunstore.DB }

type row struct {
	bun.BaseModel `bun:"table:message_reports,alias:r"`
	RealmID       realm.ID
	ReporterID    user.ID    `bun:",pk" person:"row"`
	OwnerID       user.ID    `person:"row"`
	MessageID     message.ID `bun:",pk"`
	SentAt        int64      // Unix seconds
}

// Near returns the stored reports by a user and the user's bots, and those of a message. Their limits bound their
// number.
func (s store) Near(ctx context.Context, of message.Report) ([]message.Report, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).
		Where("owner_id = ? OR message_id = ?", of.OwnerID, of.MessageID).Scan(ctx)
	all := make([]message.Report, len(rows))
	for i := range rows {
		all[i] = message.Report{
			ReporterID: rows[i].ReporterID, OwnerID: rows[i].OwnerID, MessageID: rows[i].MessageID,
		}
	}
	return all, err
}

// Add stores a report.
func (s store) Add(ctx context.Context, r realm.ID, one message.Report, now time.Time) error {
	_, err := s.db.From(ctx).NewInsert().Model(&row{
		RealmID: r, ReporterID: one.ReporterID, OwnerID: one.OwnerID, MessageID: one.MessageID, SentAt: now.Unix(),
	}).Exec(ctx)
	return err
}

// DeleteBefore deletes the realm's reports that were sent before a time.
func (s store) DeleteBefore(ctx context.Context, r realm.ID, t time.Time) error {
	_, err := s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("realm_id = ?", r).Where("sent_at < ?", t.Unix()).
		Exec(ctx)
	return err
}
