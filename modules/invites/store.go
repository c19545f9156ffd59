package invites

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/invite"
	"github.com/stoachat/stoa/domain/quota"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

type store struct{ db *bunstore.DB }

type row struct {
	bun.BaseModel `bun:"table:invites,alias:i"`
	ID            invite.ID `bun:",pk,autoincrement"`
	RealmID       realm.ID
	Kind          invite.Kind
	Nonce         string
	Email         string  `person:"address"`
	EmailKey      string  `person:"address"`
	InviterID     user.ID `person:"row"`
	LinkID        invite.ID
	CreatedAt     time.Time
	ExpiresAt     bun.NullTime
	EndedAt       bun.NullTime
	Uses          int
	Role          user.Role
	ChannelIDs    string `bun:"channel_ids,type:text"`
	GroupIDs      string `bun:"group_ids,type:text"`
	Defaults      bool
	Notify        bool
	Welcome       *string
}

func toRow(i *invite.Invite) (*row, error) {
	cs, err := json.Marshal(append([]channel.ID{}, i.Channels...))
	if err != nil {
		return nil, err
	}
	gs, err := json.Marshal(append([]group.ID{}, i.Groups...))
	return &row{
		RealmID: i.Realm, Kind: i.Kind, Nonce: i.Nonce, Email: i.Email, EmailKey: user.EmailKey(i.Email),
		InviterID: i.Inviter, LinkID: i.Link,
		CreatedAt: i.Created, ExpiresAt: bun.NullTime{Time: i.Expires}, EndedAt: bun.NullTime{Time: i.Ended}, Uses: i.Uses,
		Role:       i.Role,
		ChannelIDs: string(cs), GroupIDs: string(gs), Defaults: i.Defaults, Notify: i.Notify, Welcome: i.Welcome,
	}, err
}

func (r *row) invite() (*invite.Invite, error) {
	i := &invite.Invite{
		ID: r.ID, Realm: r.RealmID, Kind: r.Kind, Nonce: r.Nonce, Email: r.Email, Inviter: r.InviterID, Link: r.LinkID,
		Created: r.CreatedAt.UTC(), Expires: r.ExpiresAt.UTC(), Ended: r.EndedAt.UTC(), Uses: r.Uses,
		Terms: invite.Terms{Role: r.Role, Defaults: r.Defaults, Notify: r.Notify, Welcome: r.Welcome},
	}
	return i, errors.Join(json.Unmarshal([]byte(r.ChannelIDs), &i.Channels), json.Unmarshal([]byte(r.GroupIDs), &i.Groups))
}

// Add stores new invitations and sets their IDs.
func (s store) Add(ctx context.Context, all ...*invite.Invite) error {
	rows := make([]*row, len(all))
	for n, i := range all {
		var err error
		if rows[n], err = toRow(i); err != nil {
			return err
		}
	}
	if err := s.db.From(ctx).NewInsert().Model(&rows).Returning("id").Scan(ctx); err != nil {
		return err
	}
	for n, i := range all {
		i.ID = rows[n].ID
	}
	return nil
}

// Get returns an invitation, or nil.
func (s store) Get(ctx context.Context, id invite.ID) (*invite.Invite, error) {
	var r row
	found, err := bunstore.Found(s.db.From(ctx).NewSelect().Model(&r).Where("i.id = ?", id).Scan(ctx))
	if !found {
		return nil, err
	}
	return r.invite()
}

// Pending returns at most limit usable invitations of an inviter, or of the whole realm if inviter is 0, sorted by ID.
// It omits confirmations.
func (s store) Pending(
	ctx context.Context,
	r realm.ID,
	inviter user.ID,
	now time.Time,
	limit int,
) ([]*invite.Invite, error) {
	var rows []*row
	q := s.db.From(ctx).NewSelect().Model(&rows).Where("i.realm_id = ?", r).Where("i.ended_at IS NULL").
		Where("i.expires_at IS NULL OR i.expires_at > ?", now).
		Where("i.kind <> ?", invite.Confirmation).Order("i.id").Limit(int64(limit))
	if inviter != 0 {
		q = q.Where("i.inviter_id = ?", inviter)
	}
	if err := q.Scan(ctx); err != nil {
		return nil, err
	}
	all := make([]*invite.Invite, len(rows))
	for n, r := range rows {
		var err error
		if all[n], err = r.invite(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// CountPending returns the number of a realm's usable invitations, without confirmations, and how many of them have one
// of the given inviters.
func (s store) CountPending(ctx context.Context, r realm.ID, by []user.ID, now time.Time) (quota.Count, error) {
	var n quota.Count
	err := s.db.From(ctx).NewSelect().Model((*row)(nil)).ColumnExpr("count(*)").
		ColumnExpr("count(CASE WHEN i.inviter_id IN (?) THEN 1 END)", bun.List(by)).
		Where("i.realm_id = ?", r).Where("i.ended_at IS NULL").
		Where("i.expires_at IS NULL OR i.expires_at > ?", now).Where("i.kind <> ?", invite.Confirmation).
		Scan(ctx, &n.All, &n.Own)
	return n, err
}

// End ends invitations.
func (s store) End(ctx context.Context, now time.Time, ids ...invite.ID) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := s.db.From(ctx).
		NewUpdate().
		Model((*row)(nil)).
		Set("ended_at = ?", now).
		Where("id IN (?)", bun.List(ids)).
		Where("ended_at IS NULL").
		Exec(ctx)
	return err
}

// EndOf ends all usable invitations of an inviter, and reports whether there were any.
func (s store) EndOf(ctx context.Context, r realm.ID, inviter user.ID, now time.Time) (bool, error) {
	return bunstore.Changed(s.db.From(ctx).
		NewUpdate().
		Model((*row)(nil)).
		Set("ended_at = ?", now).
		Where("realm_id = ?", r).
		Where("inviter_id = ?", inviter).
		Where("ended_at IS NULL").
		Where("expires_at IS NULL OR expires_at > ?", now).
		Exec(ctx))
}

// Use counts a use of an invitation.
func (s store) Use(ctx context.Context, id invite.ID) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*row)(nil)).Set("uses = uses + 1").Where("id = ?", id).Exec(ctx)
	return err
}

// EndFor ends all invitations and confirmations for the given address keys, and returns the users who had invited them
// by email.
func (s store) EndFor(ctx context.Context, r realm.ID, keys []string, now time.Time) ([]user.ID, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	var inviters []user.ID
	err := s.db.From(ctx).
		NewSelect().
		Model((*row)(nil)).
		Distinct().
		Column("inviter_id").
		Where("i.realm_id = ?", r).
		Where("i.email_key IN (?)", bun.List(keys)).
		Where("i.ended_at IS NULL").
		Where("i.kind = ?", invite.ByMail).
		Where("i.expires_at IS NULL OR i.expires_at > ?", now).
		Order("inviter_id").
		Scan(ctx, &inviters)
	if err != nil {
		return nil, err
	}
	_, err = s.db.From(ctx).
		NewUpdate().
		Model((*row)(nil)).
		Set("ended_at = ?", now).
		Where("realm_id = ?", r).
		Where("email_key IN (?)", bun.List(keys)).
		Where("ended_at IS NULL").
		Exec(ctx)
	return inviters, err
}

// Forget deletes invitations that ended or expired before the given time.
func (s store) Forget(ctx context.Context, before time.Time) error {
	_, err := s.db.From(ctx).
		NewDelete().
		Model((*row)(nil)).
		Where("ended_at < ? OR expires_at < ?", before, before).
		Exec(ctx)
	return err
}
