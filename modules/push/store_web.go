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

// webRetry is a failed Web Push request that must be retried.
type webRetry struct {
	bun.BaseModel `bun:"table:push_repeats,alias:w"`
	DeviceID      push.DeviceID `bun:",pk"`
	MessageID     message.ID    `bun:",pk"`
	RealmID       realm.ID
	Withdraw      bool // the request withdraws the notification
	CreatedAt     time.Time
}

// OfSubscription returns the devices of a realm with the subscription whose push.WebTokenID is tokenID.
func (s store) OfSubscription(ctx context.Context, r realm.ID, tokenID string) ([]*push.Device, error) {
	var rows []deviceRow
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("realm_id = ?", r).Where("token_id = ?", tokenID).
		Where("subscription <> ''").Order("id").Scan(ctx)
	if err != nil {
		return nil, err
	}
	return s.devicesOf(rows)
}

// ByIDs returns the devices with the given IDs. Missing devices are omitted.
func (s store) ByIDs(ctx context.Context, ids []push.DeviceID) ([]*push.Device, error) {
	var rows []deviceRow
	if err := s.db.From(ctx).NewSelect().Model(&rows).Where("id IN (?)", bun.List(ids)).Order("id").Scan(ctx); err != nil {
		return nil, err
	}
	return s.devicesOf(rows)
}

// SetFailures stores the failures and retry times of the failed devices, and resets those of reached devices.
func (s store) SetFailures(ctx context.Context, failed []*push.Device, reached []push.DeviceID) error {
	type wait struct {
		failures int
		at       time.Time
	}
	waits := map[wait][]push.DeviceID{} // few keys: the time usually depends on nothing but the number of failures
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

// AddRetries stores failed requests. A withdrawal replaces the request that it withdraws.
func (s store) AddRetries(ctx context.Context, rows []webRetry) error {
	for some := range slices.Chunk(rows, block) {
		_, err := s.db.From(ctx).NewInsert().Model(&some).On("CONFLICT (device_id, message_id) DO UPDATE").
			Set("withdraw = EXCLUDED.withdraw").Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// DeleteRetries deletes requests that need no longer be retried, but not withdrawals that have replaced them.
func (s store) DeleteRetries(ctx context.Context, rows []webRetry) error {
	for some := range slices.Chunk(rows, block) {
		keys := make([][]any, len(some))
		for i, r := range some {
			keys[i] = []any{r.DeviceID, r.MessageID, r.Withdraw}
		}
		_, err := s.db.From(ctx).NewDelete().Model((*webRetry)(nil)).
			Where("(device_id, message_id, withdraw) IN (?)", bunstore.Tuples(keys)).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// DeleteRetriesTo deletes all failed requests to the given devices.
func (s store) DeleteRetriesTo(ctx context.Context, ids []push.DeviceID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*webRetry)(nil)).Where("device_id IN (?)", bun.List(ids)).Exec(ctx)
	return err
}

// DueRetries returns at most limit devices that are due for a retry, and the oldest failed request of each.
func (s store) DueRetries(
	ctx context.Context,
	now time.Time,
	limit int64,
) ([]*push.Device, map[push.DeviceID]webRetry, error) {
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
	var retries []webRetry
	err = s.db.From(ctx).NewSelect().Model(&retries).
		Where("(device_id, message_id) IN (SELECT device_id, MIN(message_id) FROM push_repeats WHERE device_id IN (?) "+
			"GROUP BY device_id)",
			bun.List(ids)).
		Scan(ctx)
	if err != nil {
		return nil, nil, err
	}
	first := make(map[push.DeviceID]webRetry, len(retries))
	for _, r := range retries {
		first[r.DeviceID] = r
	}
	devices, err := s.devicesOf(rows)
	return devices, first, err
}

// ExpireRetries deletes failed requests created before the given time.
func (s store) ExpireRetries(ctx context.Context, before time.Time) error {
	_, err := s.db.From(ctx).NewDelete().Model((*webRetry)(nil)).Where("created_at < ?", before).Exec(ctx)
	return err
}

// Notices returns the notifications with the given keys. Missing ones are omitted.
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

// Badges returns the number of each user's notifications in the states toSend and shown.
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
