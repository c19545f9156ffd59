package scheduled

import (
	"context"
	"encoding/json"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/scheduled"
	"github.com/stoachat/stoa/domain/user"
)

type store struct{ db *bunstore.DB }

// Stored values of kind and state.
const (
	isMessage  = 0
	isReminder = 1

	pending = 0
	failed  = 1
	sent    = 2
)

type row struct {
	bun.BaseModel `bun:"table:scheduled_messages,alias:s"`
	ID            scheduled.ID `bun:",pk,autoincrement" export:"yes"`
	RealmID       realm.ID
	UserID        user.ID    `export:"yes,consent" person:"row"`
	Kind          int        `export:"yes"`
	State         int        `export:"yes"`
	DeliverAt     int64      `export:"yes"`
	TryAt         int64      `export:"no"`
	ChannelID     channel.ID `export:"yes"`
	Recipients    string     `export:"yes,json"`
	Topic         string     `export:"yes"`
	Content       string     `export:"yes"`
	Rendered      string     `export:"yes"`
	ReadBySender  bool       `export:"no"`
	Client        string     `export:"no"`
	URL           string     `export:"no"`
	TargetID      int64      `export:"yes"`
	Error         string     `export:"yes"`
	Version       int        `export:"no"`

	disclosed message.Disclosure // of a reminder that withhold has processed
}

func (r *row) at() time.Time { return time.Unix(r.DeliverAt, 0).UTC() }

func (r *row) message() (scheduled.Message, error) {
	m := scheduled.Message{
		ID: r.ID, Realm: r.RealmID, Sender: r.UserID, Place: scheduled.Destination{Channel: r.ChannelID, Topic: r.Topic},
		Content: r.Content, Rendered: r.Rendered, At: r.at(), ReadBySender: r.ReadBySender, Client: r.Client, URL: r.URL,
		Failed: r.State == failed, Sent: r.State == sent, Version: r.Version,
	}
	if m.Sent {
		return m, nil
	}
	return m, json.Unmarshal([]byte(r.Recipients), &m.Place.People)
}

func rowOf(m scheduled.Message) (row, error) {
	people := m.Place.People
	if people == nil {
		people = user.Set{}
	}
	to, err := json.Marshal(people)
	return row{
		ID: m.ID, RealmID: m.Realm, UserID: m.Sender, Kind: isMessage, DeliverAt: m.At.Unix(), ChannelID: m.Place.Channel,
		Recipients: string(to), Topic: m.Place.Topic, Content: m.Content, Rendered: m.Rendered, ReadBySender: m.ReadBySender,
		Client: m.Client, URL: m.URL, Version: m.Version,
	}, err
}

func (r *row) reminder() scheduled.Reminder {
	return scheduled.Reminder{
		ID: r.ID, User: r.UserID, Target: r.TargetID, Content: r.Content, Rendered: r.Rendered, At: r.at(),
		Failed: r.State == failed,
	}
}

// Of returns a user's scheduled messages or reminders that have not been sent, sorted by time. scheduled.MaxWaiting
// limits their number.
func (s store) Of(ctx context.Context, u user.ID, kind int) ([]row, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("user_id = ?", u).Where("kind = ?", kind).
		Where("state <> ?", sent).Order("deliver_at", "id").Scan(ctx)
	return rows, err
}

// Waiting returns up to limit messages of a realm that have not been sent, with IDs above after.
func (s store) Waiting(ctx context.Context, r realm.ID, after scheduled.ID, limit int) ([]row, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("realm_id = ?", r).Where("kind = ?", isMessage).
		Where("state <> ?", sent).Where("id > ?", after).Order("id").Limit(int64(limit)).Scan(ctx)
	return rows, err
}

// ByID returns the rows with these IDs that have not been sent.
func (s store) ByID(ctx context.Context, ids []scheduled.ID) (map[scheduled.ID]row, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("id IN (?)", bun.List(ids)).Where("state <> ?", sent).Scan(ctx)
	found := make(map[scheduled.ID]row, len(rows))
	for _, r := range rows {
		found[r.ID] = r
	}
	return found, err
}

// Get returns a user's row, and false if it does not exist.
func (s store) Get(ctx context.Context, r realm.ID, u user.ID, kind int, id scheduled.ID) (*row, bool, error) {
	var one row
	found, err := bunstore.Found(s.db.From(ctx).NewSelect().Model(&one).Where("realm_id = ?", r).Where("id = ?", id).
		Where("user_id = ?", u).Where("kind = ?", kind).Scan(ctx))
	return &one, found, err
}

// Others returns the number and total size of a user's rows that have not been sent, except the row with the given ID.
func (s store) Others(ctx context.Context, u user.ID, except scheduled.ID) (scheduled.Total, error) {
	var t scheduled.Total
	err := s.db.From(ctx).NewSelect().Model((*row)(nil)).ColumnExpr("COUNT(*)").
		ColumnExpr("COALESCE(SUM(OCTET_LENGTH(content) + OCTET_LENGTH(rendered)), 0)").
		Where("user_id = ?", u).Where("state <> ?", sent).Where("id <> ?", except).Scan(ctx, &t.Entries, &t.Bytes)
	return t, err
}

// Insert stores a new row and returns its ID.
func (s store) Insert(ctx context.Context, r row) (scheduled.ID, error) {
	_, err := s.db.From(ctx).NewInsert().Model(&r).Returning("id").Exec(ctx)
	return r.ID, err
}

// Update stores a changed message, which becomes pending again.
func (s store) Update(ctx context.Context, r row) error {
	_, err := s.db.From(ctx).NewUpdate().Model(&r).WherePK().Where("realm_id = ?", r.RealmID).
		Column("state", "deliver_at", "try_at", "channel_id", "recipients", "topic", "content", "rendered", "client", "url",
			"error", "version").
		Exec(ctx)
	return err
}

// Delete deletes a row of a realm.
func (s store) Delete(ctx context.Context, r realm.ID, id scheduled.ID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("realm_id = ?", r).Where("id = ?", id).Exec(ctx)
	return err
}

// DeleteOf deletes all of a user's rows and returns the sorted IDs of the messages that had not been sent.
func (s store) DeleteOf(ctx context.Context, u user.ID) ([]scheduled.ID, error) {
	var ids []scheduled.ID
	err := s.db.From(ctx).NewSelect().Model((*row)(nil)).Column("id").Where("user_id = ?", u).Where("kind = ?", isMessage).
		Where("state <> ?", sent).Order("id").Scan(ctx, &ids)
	if err != nil {
		return nil, err
	}
	_, err = s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("user_id = ?", u).Exec(ctx)
	return ids, err
}

// overdueBefore returns the Unix time before which messages are too late to be sent.
func overdueBefore(now time.Time) int64 {
	return now.Add(-scheduled.MaxLateness).Add(time.Second - 1).Unix()
}

// earliest selects when the first message is due, regardless of retries, which are few.
const earliest = "SELECT min(deliver_at) FROM scheduled_messages WHERE state = 0"

// Due returns the reminders that are due and the due messages that are not too late to be sent, oldest first. steady is
// the time by which they may be late.
func (s store) Due(ctx context.Context, now, steady time.Time, limit int64) ([]*row, error) {
	var rows []*row
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("state = 0").Where("deliver_at <= ?", now.Unix()).
		Where("try_at <= ?", now.UnixMilli()).Where("kind = ? OR deliver_at >= ?", isReminder, overdueBefore(steady)).
		Order("deliver_at", "id").Limit(limit).Scan(ctx)
	return rows, err
}

// Overdue returns messages that are too late to be sent, oldest first.
func (s store) Overdue(ctx context.Context, now, steady time.Time, limit int64) ([]*row, error) {
	var rows []*row
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("state = 0").Where("deliver_at < ?", overdueBefore(steady)).
		Where("try_at <= ?", now.UnixMilli()).Where("kind = ?", isMessage).Order("deliver_at", "id").Limit(limit).Scan(ctx)
	return rows, err
}

// Take marks rows as sent if they are still waiting and have the given version. It empties these rows and returns their
// IDs.
func (s store) Take(ctx context.Context, versions map[scheduled.ID]int, now time.Time) (map[scheduled.ID]bool, error) {
	if len(versions) == 0 {
		return nil, nil
	}
	pairs := make([][]int64, 0, len(versions))
	for id, version := range versions {
		pairs = append(pairs, []int64{int64(id), int64(version)})
	}
	var ids []scheduled.ID
	err := s.db.From(ctx).NewRaw(`UPDATE scheduled_messages AS s
		SET state = ?, try_at = ?, recipients = '', topic = '', content = '', rendered = '', url = ''
		FROM (?) AS w WHERE s.id = w.column1 AND s.version = w.column2 AND s.state = ? RETURNING id`,
		sent, now.UnixMilli(), bunstore.Tuples(pairs), pending).Scan(ctx, &ids)
	taken := make(map[scheduled.ID]bool, len(ids))
	for _, id := range ids {
		taken[id] = true
	}
	return taken, err
}

// Fail marks a row as failed and returns true, or returns false if it has changed since r was read.
func (s store) Fail(ctx context.Context, r *row, why string) (bool, error) {
	return bunstore.Changed(s.db.From(ctx).NewUpdate().Model((*row)(nil)).Set("state = ?", failed).
		Set("error = ?", why).
		Where("id = ?", r.ID).Where("state = ?", pending).Where("version = ?", r.Version).Exec(ctx))
}

// FailDue marks all messages as failed that were due by the given time.
func (s store) FailDue(ctx context.Context, by time.Time, why string) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*row)(nil)).Set("state = ?", failed).Set("error = ?", why).
		Where("state = ?", pending).Where("kind = ?", isMessage).Where("deliver_at <= ?", by.Unix()).Exec(ctx)
	return err
}

// Postpone postpones sending until the given time.
func (s store) Postpone(ctx context.Context, ids []scheduled.ID, until time.Time) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*row)(nil)).Set("try_at = ?", until.UnixMilli()).
		Where("id IN (?)", bun.List(ids)).Where("state = ?", pending).Exec(ctx)
	return err
}

// DeleteSent deletes up to limit rows sent before the given time and returns their number.
func (s store) DeleteSent(ctx context.Context, before time.Time, limit int64) (int64, error) {
	some := s.db.From(ctx).NewSelect().Model((*row)(nil)).Column("id").Where("state = 2").
		Where("try_at < ?", before.UnixMilli()).Limit(limit)
	return bunstore.Affected(s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("id IN (?)", some).Exec(ctx))
}

// lease records which node delivers messages. The table has one row.
type lease struct {
	bun.BaseModel `bun:"table:scheduled_turn,alias:t"`
	ID            int    `bun:",pk"`
	Holder        string // "" if none does
}

// AcquireLease acquires the lease for a node. It returns false if another living node holds the lease.
func (s store) AcquireLease(ctx context.Context, holder string) (bool, error) {
	return bunstore.Changed(s.db.From(ctx).NewInsert().Model(&lease{ID: 1, Holder: holder}).
		On("CONFLICT (id) DO UPDATE").
		Set("holder = EXCLUDED.holder").Where(bunstore.Free("t.holder"), holder).Exec(ctx))
}

// ReleaseLease releases the lease if the node holds it.
func (s store) ReleaseLease(ctx context.Context, holder string) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*lease)(nil)).Set("holder = ''").Where("holder = ?", holder).Exec(ctx)
	return err
}
