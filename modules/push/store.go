package push

import (
	"context"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

type store struct {
	db     *bunstore.DB
	sealer ports.Sealer
}

type deviceRow struct {
	bun.BaseModel  `bun:"table:push_devices,alias:d"`
	ID             push.DeviceID `bun:",pk,autoincrement"`
	RealmID        realm.ID
	UserID         user.ID `person:"row"`
	KeyID          int64
	Key            string
	URL            string
	TokenID        string
	TokenKind      push.TokenKind
	PendingID      string
	PendingKind    push.TokenKind
	TokenUpdatedAt time.Time `bun:",nullzero"`
	Error          string
	Subscription   string
	Withdraws      bool
	Failures       int
	RetryAt        time.Time `bun:",nullzero"`
}

func purpose(d push.DeviceID) string { return fmt.Sprintf("push key of device %d", d) }

func webPurpose(d push.DeviceID) string { return fmt.Sprintf("web push subscription of device %d", d) }

func (s store) rowOf(d *push.Device) (*deviceRow, error) {
	r := &deviceRow{
		ID: d.ID, RealmID: d.Realm, UserID: d.User, URL: d.URL, TokenID: d.TokenID, TokenKind: d.TokenKind,
		PendingID: d.PendingID, PendingKind: d.PendingKind, TokenUpdatedAt: d.TokenUpdated, Error: d.Error,
	}
	var err error
	if w := d.Web; w != nil {
		r.Withdraws, r.Failures, r.RetryAt = w.Withdraws, w.Failures, w.RetryAt
		r.Subscription, err = s.sealer.Seal(webPurpose(d.ID), w.Subscription.String())
		return r, err
	}
	if d.Key == nil {
		return r, nil
	}
	r.KeyID = int64(d.Key.ID)
	r.Key, err = s.sealer.Seal(purpose(d.ID), base64.StdEncoding.EncodeToString(d.Key.Bytes))
	return r, err
}

func (s store) deviceOf(r *deviceRow) (*push.Device, error) {
	d := &push.Device{
		ID: r.ID, Realm: r.RealmID, User: r.UserID, URL: r.URL, TokenID: r.TokenID, TokenKind: r.TokenKind,
		PendingID: r.PendingID, PendingKind: r.PendingKind, TokenUpdated: r.TokenUpdatedAt, Error: r.Error,
	}
	if r.Subscription != "" {
		text, err := s.sealer.Open(webPurpose(r.ID), r.Subscription)
		if err != nil {
			return nil, err
		}
		d.Web = &push.WebDevice{Withdraws: r.Withdraws, Failures: r.Failures, RetryAt: r.RetryAt}
		d.Web.Subscription, err = push.ReadSubscription(text)
		return d, err
	}
	if r.Key == "" {
		return d, nil
	}
	text, err := s.sealer.Open(purpose(r.ID), r.Key)
	if err != nil {
		return nil, err
	}
	b, err := base64.StdEncoding.DecodeString(text)
	d.Key = &push.Key{ID: uint32(r.KeyID), Bytes: b}
	return d, err
}

func (s store) devicesOf(rows []deviceRow) ([]*push.Device, error) {
	out := make([]*push.Device, len(rows))
	for i := range rows {
		var err error
		if out[i], err = s.deviceOf(&rows[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Add creates an empty device and returns its ID.
func (s store) Add(ctx context.Context, r realm.ID, u user.ID) (push.DeviceID, error) {
	row := &deviceRow{RealmID: r, UserID: u}
	_, err := s.db.From(ctx).NewInsert().Model(row).Returning("id").Exec(ctx)
	return row.ID, err
}

// Count returns the number of a user's devices.
func (s store) Count(ctx context.Context, u user.ID) (int64, error) {
	return s.db.From(ctx).NewSelect().Model((*deviceRow)(nil)).Where("user_id = ?", u).Count(ctx)
}

// Of returns the devices of a user, oldest first.
func (s store) Of(ctx context.Context, u user.ID) ([]*push.Device, error) {
	var rows []deviceRow
	if err := s.db.From(ctx).NewSelect().Model(&rows).Where("user_id = ?", u).Order("id").Scan(ctx); err != nil {
		return nil, err
	}
	return s.devicesOf(rows)
}

// ByID returns a device, or nil.
func (s store) ByID(ctx context.Context, id push.DeviceID) (*push.Device, error) {
	var row deviceRow
	found, err := bunstore.Found(s.db.From(ctx).NewSelect().Model(&row).Where("id = ?", id).Scan(ctx))
	if !found {
		return nil, err
	}
	return s.deviceOf(&row)
}

// WithTokens returns the devices of a realm whose active token has one of the IDs, except those with Web Push.
func (s store) WithTokens(ctx context.Context, r realm.ID, ids []string) ([]*push.Device, error) {
	var rows []deviceRow
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("realm_id = ?", r).Where("token_id IN (?)", bun.List(ids)).
		Where("subscription = ''").Order("id").Scan(ctx)
	if err != nil {
		return nil, err
	}
	return s.devicesOf(rows)
}

// Update stores a changed device.
func (s store) Update(ctx context.Context, d *push.Device) error {
	row, err := s.rowOf(d)
	if err != nil {
		return err
	}
	_, err = s.db.From(ctx).NewUpdate().Model(row).WherePK().ExcludeColumn("id", "realm_id", "user_id").Exec(ctx)
	return err
}

// Unregister removes the active tokens of devices.
func (s store) Unregister(ctx context.Context, ids []push.DeviceID) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*deviceRow)(nil)).Set("token_id = ''").Set("token_kind = ''").
		Where("id IN (?)", bun.List(ids)).Exec(ctx)
	return err
}

// Remove deletes devices with their queued registrations and failed requests.
func (s store) Remove(ctx context.Context, ids ...push.DeviceID) error {
	if err := s.DeleteRetriesTo(ctx, ids); err != nil {
		return err
	}
	q := s.db.From(ctx).NewDelete().Model((*registrationRow)(nil)).Where("device_id IN (?)", bun.List(ids))
	if _, err := q.Exec(ctx); err != nil {
		return err
	}
	_, err := s.db.From(ctx).NewDelete().Model((*deviceRow)(nil)).Where("id IN (?)", bun.List(ids)).Exec(ctx)
	return err
}

type registrationRow struct {
	bun.BaseModel `bun:"table:push_registrations,alias:r"`
	DeviceID      push.DeviceID `bun:",pk"`
	RealmID       realm.ID
	TokenID       string
	BouncerKey    string
	Sealed        string
	Tries         int
	DueAt         time.Time
	CreatedAt     time.Time
	Holder        string // the node that forwards the registration; "" if none does
}

// Queue adds a registration to the queue. It replaces an earlier registration of the device.
func (s store) Queue(ctx context.Context, r *registrationRow) error {
	_, err := s.db.From(ctx).NewInsert().Model(r).On("CONFLICT (device_id) DO UPDATE").Set("token_id = EXCLUDED.token_id").
		Set("bouncer_key = EXCLUDED.bouncer_key").Set("sealed = EXCLUDED.sealed").Set("tries = 0").
		Set("due_at = EXCLUDED.due_at").Set("created_at = EXCLUDED.created_at").Set("holder = ''").Exec(ctx)
	return err
}

// Due returns the registration that has been due the longest, or nil if none is due.
func (s store) Due(ctx context.Context, now time.Time) (*registrationRow, error) {
	var row registrationRow
	return bunstore.OrNil(&row, s.db.From(ctx).NewSelect().Model(&row).Where("due_at <= ?", now).
		Order("due_at", "device_id").Limit(1).Scan(ctx))
}

// Take reserves a registration for one attempt. It reports false if another node has reserved it.
func (s store) Take(ctx context.Context, r *registrationRow, holder string, until time.Time) (bool, error) {
	return bunstore.Changed(s.db.From(ctx).NewUpdate().Model((*registrationRow)(nil)).
		Set("tries = tries + 1").Set("due_at = ?", until).Set("holder = ?", holder).Where("device_id = ?", r.DeviceID).
		Where("token_id = ?", r.TokenID).Where("tries = ?", r.Tries).Where("created_at = ?", r.CreatedAt).Exec(ctx))
}

// Postpone schedules another attempt to forward a registration. It does nothing if the device has registered again.
func (s store) Postpone(ctx context.Context, r *registrationRow, at time.Time) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*registrationRow)(nil)).Set("due_at = ?", at).Set("holder = ''").
		Where("device_id = ?", r.DeviceID).Where("created_at = ?", r.CreatedAt).Where("token_id = ?", r.TokenID).Exec(ctx)
	return err
}

// Finish removes a registration from the queue. It reports false if the device has registered again.
func (s store) Finish(ctx context.Context, r *registrationRow) (bool, error) {
	return bunstore.Changed(s.db.From(ctx).NewDelete().Model((*registrationRow)(nil)).
		Where("device_id = ?", r.DeviceID).Where("created_at = ?", r.CreatedAt).Where("token_id = ?", r.TokenID).Exec(ctx))
}
