package push

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// repeat is a failed Web Push request to be repeated for a device.
type repeat struct {
	bun.BaseModel `bun:"table:push_repeats,alias:w"`
	DeviceID      push.DeviceID `bun:",pk"`
	MessageID     message.ID    `bun:",pk"`
	RealmID       realm.ID
	Withdraw      bool // it withdraws the notification
	CreatedAt     time.Time
}

// OfSubscription returns the devices of a realm that use the address of a subscription.
func (s store) OfSubscription(ctx context.Context, r realm.ID, tokenID string) ([]*push.Device, error) {
	var rows []deviceRow
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("realm_id = ?", r).Where("token_id = ?", tokenID).
		Where("subscription <> ''").Order("id").Scan(ctx)
	if err != nil {
		return nil, err
	}
	return s.devicesOf(rows)
}

// ByIDs returns the existing devices with these IDs.
func (s store) ByIDs(ctx context.Context, ids []push.DeviceID) ([]*push.Device, error) {
	var rows []deviceRow
	if err := s.db.From(ctx).NewSelect().Model(&rows).Where("id IN (?)", bun.List(ids)).Order("id").Scan(ctx); err != nil {
		return nil, err
	}
	return s.devicesOf(rows)
}

// Tried records when failing devices may be tried again, and that others were reached.
func (s store) Tried(ctx context.Context, failed []*push.Device, reached []push.DeviceID) error {
	type wait struct {
		failures int
		at       time.Time
	}
	waits := map[wait][]push.DeviceID{} // few: the time depends only on the failures, unless a service asks for another
	for _, d := range failed {
		w := wait{d.Web.Failures, d.Web.RetryAt}
		waits[w] = append(waits[w], d.ID)
	}
	for w, ids := range waits {
		_, err := s.db.From(ctx).NewUpdate().Model((*deviceRow)(nil)).Set("failures = ?", w.failures).
			Set("retry_at = ?", w.at).Where("id IN (?)", bun.List(ids)).Exec(ctx)
		if err != nil {
			return err
		}
	}
	if len(reached) == 0 {
		return nil
	}
	_, err := s.db.From(ctx).NewUpdate().Model((*deviceRow)(nil)).Set("failures = 0").Set("retry_at = NULL").
		Where("id IN (?)", bun.List(reached)).Exec(ctx)
	return err
}

// Repeat stores requests to be repeated. A withdrawal replaces the notification.
func (s store) Repeat(ctx context.Context, rows []repeat) error {
	for some := range slices.Chunk(rows, block) {
		_, err := s.db.From(ctx).NewInsert().Model(&some).On("CONFLICT (device_id, message_id) DO UPDATE").
			Set("withdraw = EXCLUDED.withdraw").Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// Repeated removes requests that need not be repeated again, unless a withdrawal has replaced them.
func (s store) Repeated(ctx context.Context, rows []repeat) error {
	for some := range slices.Chunk(rows, block) {
		keys := make([][]any, len(some))
		for i, r := range some {
			keys[i] = []any{r.DeviceID, r.MessageID, r.Withdraw}
		}
		_, err := s.db.From(ctx).NewDelete().Model((*repeat)(nil)).
			Where("(device_id, message_id, withdraw) IN (?)", bunstore.Tuples(keys)).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// DropRepeats removes the requests to be repeated for some devices.
func (s store) DropRepeats(ctx context.Context, ids []push.DeviceID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*repeat)(nil)).Where("device_id IN (?)", bun.List(ids)).Exec(ctx)
	return err
}

// Repeating returns devices that may be tried again, with the oldest request of each.
func (s store) Repeating(
	ctx context.Context,
	now time.Time,
	limit int64,
) ([]*push.Device, map[push.DeviceID]repeat, error) {
	var rows []deviceRow
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("id IN (SELECT device_id FROM push_repeats)").
		Where("(retry_at IS NULL OR retry_at <= ?)", now).Where("subscription <> ''").
		Order("retry_at", "id").Limit(limit).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, nil, err
	}
	ids := make([]push.DeviceID, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	var repeats []repeat
	err = s.db.From(ctx).NewSelect().Model(&repeats).
		Where("(device_id, message_id) IN (SELECT device_id, MIN(message_id) FROM push_repeats WHERE device_id IN (?) "+
			"GROUP BY device_id)",
			bun.List(ids)).
		Scan(ctx)
	if err != nil {
		return nil, nil, err
	}
	first := make(map[push.DeviceID]repeat, len(repeats))
	for _, r := range repeats {
		first[r.DeviceID] = r
	}
	devices, err := s.devicesOf(rows)
	return devices, first, err
}

// ExpireRepeats removes requests created before a time.
func (s store) ExpireRepeats(ctx context.Context, before time.Time) error {
	_, err := s.db.From(ctx).NewDelete().Model((*repeat)(nil)).Where("created_at < ?", before).Exec(ctx)
	return err
}

// Notices returns notifications by key.
func (s store) Notices(ctx context.Context, keys []noticeKey) (map[noticeKey]notice, error) {
	out := map[noticeKey]notice{}
	for some := range slices.Chunk(keys, block) {
		tuples := make([][]any, len(some))
		for i, k := range some {
			tuples[i] = []any{k.user, k.message}
		}
		var rows []notice
		err := s.db.From(ctx).
			NewSelect().
			Model(&rows).
			Where("(user_id, message_id) IN (?)", bunstore.Tuples(tuples)).
			Scan(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			out[noticeKey{r.UserID, r.MessageID}] = r
		}
	}
	return out, nil
}

// noticeKey identifies a notification.
type noticeKey struct {
	user    user.ID
	message message.ID
}

// Badges counts the users' notifications of unread messages.
func (s store) Badges(ctx context.Context, us []user.ID) (map[user.ID]int, error) {
	out := map[user.ID]int{}
	for some := range slices.Chunk(us, block) {
		var rows []struct {
			UserID user.ID
			Count  int
		}
		err := s.db.From(ctx).NewSelect().Model((*notice)(nil)).Column("user_id").ColumnExpr("COUNT(*) AS count").
			Where("user_id IN (?)", bun.List(some)).Where("state IN (?, ?)", toSend, shown).Group("user_id").Scan(ctx, &rows)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			out[r.UserID] = r.Count
		}
	}
	return out, nil
}
