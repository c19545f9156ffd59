package reading

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate/readstatetest"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

func (s store) insertMembers(ctx context.Context, members [][2]int64) error {
	rows := make([]memberRow, len(members))
	for i, m := range members {
		rows[i] = memberRow{ConversationID: m[0], UserID: user.ID(m[1])}
	}
	_, err := s.db.From(ctx).NewInsert().Model(&rows).Exec(ctx)
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

// insertMessages stores what is sent.
func (s store) insertMessages(ctx context.Context, r realm.ID, steps []*readstatetest.Step) error {
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
	_, err := s.db.From(ctx).NewInsert().Model(&rows).Exec(ctx)
	return err
}

func (s store) allFlags(ctx context.Context, us []user.ID) (map[mine]message.Flag, error) {
	var rows []flagRow
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("user_id IN (?)", bun.List(us)).Scan(ctx)
	all := make(map[mine]message.Flag, len(rows))
	for _, r := range rows {
		all[mine{r.UserID, r.MessageID}] = r.Flags
	}
	return all, err
}

func (s store) chunkRows(ctx context.Context, u user.ID) ([]chunkRow, error) {
	var rows []chunkRow
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("user_id = ?", u).Scan(ctx)
	return rows, err
}

func (s store) setTopic(ctx context.Context, id message.ID, topic string, f message.Facts) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*messageRow)(nil)).Set("topic = ?", topic).Set("facts = ?", f).Where("id = ?", id).Exec(ctx)
	return err
}
