package mailnotify

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/notification"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

type store struct{ db *bunstore.DB }

// block is the maximum number of rows or values in one statement.
const block = 500

// noLetter is the LetterID of messages that were read or hidden before they became part of an email.
const noLetter = -1

// missed is a message that a user has missed.
type missed struct {
	bun.BaseModel `bun:"table:missed_messages,alias:m"`
	UserID        user.ID    `bun:",pk" person:"row"`
	MessageID     message.ID `bun:",pk"`
	RealmID       realm.ID
	Reason        notification.Trigger
	LetterID      int64 // the email that contains the message, or noLetter; 0: not decided yet
	CreatedAt     time.Time
}

// pendingUser schedules the collection of a user's missed messages.
type pendingUser struct {
	bun.BaseModel `bun:"table:missed_people,alias:p"`
	UserID        user.ID `bun:",pk" person:"row"`
	RealmID       realm.ID
	DueAt         time.Time
}

type letter struct {
	bun.BaseModel `bun:"table:missed_letters,alias:l"`
	ID            int64 `bun:",pk,autoincrement"`
	RealmID       realm.ID
	UserID        user.ID `person:"row"`
	CreatedAt     time.Time
}

// earliest selects when the first person's missed messages are due.
const earliest = "SELECT min(due_at) FROM missed_people"

// AddMissed stores missed messages and schedules their collection, unless it is already scheduled.
func (s store) AddMissed(ctx context.Context, rows []missed, people map[user.ID]pendingUser) error {
	for some := range slices.Chunk(rows, block) {
		if _, err := s.db.From(ctx).NewInsert().Model(&some).On("CONFLICT DO NOTHING").Exec(ctx); err != nil {
			return err
		}
	}
	all := slices.Collect(maps.Values(people))
	for some := range slices.Chunk(all, block) {
		if _, err := s.db.From(ctx).NewInsert().Model(&some).On("CONFLICT DO NOTHING").Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Due returns at most limit users whose missed messages are due for collection, longest due first.
func (s store) Due(ctx context.Context, now time.Time, limit int64) ([]pendingUser, error) {
	var rows []pendingUser
	err := s.db.From(ctx).
		NewSelect().
		Model(&rows).
		Where("due_at <= ?", now).
		Order("due_at", "user_id").
		Limit(limit).
		Scan(ctx)
	return rows, err
}

// Uncollected returns at most limit missed messages of the users with LetterID 0, oldest first.
func (s store) Uncollected(ctx context.Context, us []user.ID, limit int64) ([]missed, error) {
	var rows []missed
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("user_id IN (?)", bun.List(us)).Where("letter_id = 0").
		Order("message_id", "user_id").Limit(limit).Scan(ctx)
	return rows, err
}

// Unschedule removes users from the schedule. It reports false if another node has already removed any of them.
func (s store) Unschedule(ctx context.Context, us []user.ID) (bool, error) {
	res, err := s.db.From(ctx).NewDelete().Model((*pendingUser)(nil)).Where("user_id IN (?)", bun.List(us)).Exec(ctx)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == int64(len(us)), err
}

// Reschedule schedules another collection for those of the users who still have missed messages with LetterID 0, at the
// time returned by due.
func (s store) Reschedule(ctx context.Context, us []user.ID, due func(user.ID) time.Time) error {
	var rows []pendingUser
	err := s.db.From(ctx).NewSelect().Model((*missed)(nil)).Distinct().Column("user_id", "realm_id").
		Where("letter_id = 0").Where("user_id IN (?)", bun.List(us)).Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		return err
	}
	for i := range rows {
		rows[i].DueAt = due(rows[i].UserID)
	}
	_, err = s.db.From(ctx).NewInsert().Model(&rows).Exec(ctx)
	return err
}

// SetLetter sets the LetterID of missed messages.
func (s store) SetLetter(ctx context.Context, rows []missed, letter int64) error {
	for some := range slices.Chunk(rows, block) {
		keys := make([][]any, len(some))
		for i, r := range some {
			keys[i] = []any{r.UserID, r.MessageID}
		}
		_, err := s.db.From(ctx).NewUpdate().Model((*missed)(nil)).Set("letter_id = ?", letter).
			Where("(user_id, message_id) IN (?)", bunstore.Tuples(keys)).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// NewLetters stores an email for each conversation, and returns their IDs in the same order.
func (s store) NewLetters(ctx context.Context, r realm.ID, all []conversation, now time.Time) ([]int64, error) {
	ids := make([]int64, 0, len(all))
	for some := range slices.Chunk(all, block) {
		rows := make([]letter, len(some))
		for i, at := range some {
			rows[i] = letter{RealmID: r, UserID: at.user, CreatedAt: now}
		}
		if _, err := s.db.From(ctx).NewInsert().Model(&rows).Returning("id").Exec(ctx); err != nil {
			return nil, err
		}
		for _, row := range rows {
			ids = append(ids, row.ID)
		}
	}
	return ids, nil
}

// MessagesIn returns the missed messages of an email, oldest first.
func (s store) MessagesIn(ctx context.Context, id int64) ([]missed, error) {
	var rows []missed
	err := s.db.From(ctx).
		NewSelect().
		Model(&rows).
		Where("letter_id = ?", id).
		Order("message_id").
		Limit(messagesPerUser).
		Scan(ctx)
	return rows, err
}

// Forget deletes all data of a user.
func (s store) Forget(ctx context.Context, u user.ID) error {
	for _, model := range []any{
		(*missed)(nil), (*pendingUser)(nil), (*letter)(nil), (*loginDevice)(nil), (*loginNotice)(nil), (*digestLetter)(nil),
	} {
		if _, err := s.db.From(ctx).NewDelete().Model(model).Where("user_id = ?", u).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Prune deletes missed messages and their emails created before the given time.
func (s store) Prune(ctx context.Context, before time.Time) error {
	for _, model := range []any{(*missed)(nil), (*letter)(nil)} {
		if _, err := s.db.From(ctx).NewDelete().Model(model).Where("created_at < ?", before).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}
