package readstate

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate/readstatetest"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/flags"
)

type memberRow struct {
	bun.BaseModel  `bun:"table:conversation_members"`
	ConversationID int64
	UserID         user.ID
}

type flagRow struct {
	bun.BaseModel `bun:"table:message_flags"`
	UserID        user.ID
	MessageID     message.ID
	Flags         message.Flag
}

type periodRow struct {
	bun.BaseModel `bun:"table:subscription_periods"`
	UserID        user.ID
	RecipientID   message.Recipient
	FromMsg       message.ID
	FromSeq       int64
	ToMsg         *message.ID
	ToSeq         *int64
}

func insertMembers(ctx context.Context, db *bunstore.DB, members [][2]int64) error {
	rows := make([]memberRow, len(members))
	for i, m := range members {
		rows[i] = memberRow{ConversationID: m[0], UserID: user.ID(m[1])}
	}
	_, err := db.From(ctx).NewInsert().Model(&rows).Exec(ctx)
	return err
}

type messageRow struct {
	bun.BaseModel `bun:"table:messages"`
	ID            message.ID `bun:",pk"`
	RealmID       realm.ID
	RecipientID   message.Recipient
	Topic         string
	TopicKey      string
	SenderID      user.ID
	Client        string
	SentAt        time.Time
	Content       string
	Rendered      string
	RenderVersion int
	Facts         int
	ReadFor       *user.ID
	Notice        int
}

// insertMessages stores sent messages.
func insertMessages(ctx context.Context, db *bunstore.DB, r realm.ID, steps []*readstatetest.Step) error {
	if len(steps) == 0 {
		return nil
	}
	rows := make([]messageRow, len(steps))
	for i, step := range steps {
		m := step.Message
		rows[i] = messageRow{ID: m.ID, RealmID: r, RecipientID: m.Recipient, SenderID: m.Sender, SentAt: time.Unix(0, 0)}
		if m.ReadFor != 0 {
			rows[i].ReadFor = &m.ReadFor
		}
		if m.Notice {
			rows[i].Notice = 1
		}
	}
	_, err := db.From(ctx).NewInsert().Model(&rows).Exec(ctx)
	return err
}

func allFlags(ctx context.Context, db *bunstore.DB, us []user.ID) (map[flags.Key]message.Flag, error) {
	var rows []flagRow
	err := db.From(ctx).NewSelect().Model(&rows).Where("user_id IN (?)", bun.List(us)).Scan(ctx)
	all := make(map[flags.Key]message.Flag, len(rows))
	for _, r := range rows {
		all[flags.Key{User: r.UserID, Message: r.MessageID}] = r.Flags
	}
	return all, err
}

func (s stateStore) chunkRows(ctx context.Context, u user.ID) ([]chunkRow, error) {
	var rows []chunkRow
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("user_id = ?", u).Scan(ctx)
	return rows, err
}

func setTopic(ctx context.Context, db *bunstore.DB, id message.ID, topic string, f message.Facts) error {
	_, err := db.From(ctx).NewUpdate().Model((*messageRow)(nil)).Set("topic = ?", topic).Set("facts = ?",
		f).Where("id = ?", id).Exec(ctx)
	return err
}
