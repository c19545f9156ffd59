package defaults

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/realm"
)

type store struct{ db *bunstore.DB }

type bundleRow struct {
	bun.BaseModel `bun:"table:channel_bundles,alias:b"`
	ID            channel.BundleID `bun:",pk,autoincrement" export:"yes"`
	RealmID       realm.ID
	Name          string `export:"yes"`
	Description   string `export:"yes"`
}

type bundleMemberRow struct {
	bun.BaseModel `bun:"table:channel_bundle_members,alias:m"`
	BundleID      channel.BundleID `bun:",pk" export:"yes"`
	ChannelID     channel.ID       `bun:",pk" export:"yes,channel"`
	RealmID       realm.ID
}

// Groups returns a realm's default channel groups, sorted by name.
func (s store) Groups(ctx context.Context, r realm.ID) ([]channel.Bundle, error) {
	var rows []bundleRow
	if err := s.db.From(ctx).NewSelect().Model(&rows).Where("realm_id = ?", r).Order("name", "id").Scan(ctx); err != nil ||
		len(rows) == 0 {
		return nil, err
	}
	var members []bundleMemberRow
	err := s.db.From(ctx).NewSelect().Model(&members).Where("realm_id = ?", r).Order("channel_id").Scan(ctx)
	in := map[channel.BundleID]channel.Set{}
	for _, m := range members {
		in[m.BundleID] = append(in[m.BundleID], m.ChannelID)
	}
	all := make([]channel.Bundle, len(rows))
	for i, b := range rows {
		all[i] = channel.Bundle{
			ID:          b.ID,
			Name:        b.Name,
			Description: b.Description,
			Channels:    append(channel.Set{}, in[b.ID]...),
		}
	}
	return all, err
}

// Save stores a group and sets its ID if it is new. had contains the channels that were in the group before.
func (s store) Save(ctx context.Context, r realm.ID, b *channel.Bundle, had channel.Set) error {
	row := &bundleRow{ID: b.ID, RealmID: r, Name: b.Name, Description: b.Description}
	if b.ID == 0 {
		if err := s.db.From(ctx).NewInsert().Model(row).Returning("id").Scan(ctx, &row.ID); err != nil {
			return err
		}
		b.ID = row.ID
	} else if _, err := s.db.From(ctx).NewUpdate().Model(row).WherePK().Where("realm_id = ?", r).Exec(ctx); err != nil {
		return err
	}
	var more []bundleMemberRow
	for _, c := range b.Channels.Minus(had) {
		more = append(more, bundleMemberRow{BundleID: b.ID, ChannelID: c, RealmID: r})
	}
	if len(more) > 0 {
		if _, err := s.db.From(ctx).NewInsert().Model(&more).Exec(ctx); err != nil {
			return err
		}
	}
	gone := had.Minus(b.Channels)
	if len(gone) == 0 {
		return nil
	}
	_, err := s.db.From(ctx).
		NewDelete().
		Model((*bundleMemberRow)(nil)).
		Where("bundle_id = ?", b.ID).
		Where("channel_id IN (?)", bun.List(gone)).
		Exec(ctx)
	return err
}

// Delete deletes a group.
func (s store) Delete(ctx context.Context, r realm.ID, id channel.BundleID) error {
	if _, err := s.db.From(ctx).NewDelete().Model((*bundleMemberRow)(nil)).Where("bundle_id = ?", id).Where("realm_id = ?",
		r).Exec(ctx); err != nil {
		return err
	}
	_, err := s.db.From(ctx).NewDelete().Model((*bundleRow)(nil)).Where("id = ?", id).Where("realm_id = ?", r).Exec(ctx)
	return err
}

// Unbundle removes a channel from all groups and reports whether it was in any.
func (s store) Unbundle(ctx context.Context, r realm.ID, c channel.ID) (bool, error) {
	return bunstore.Changed(s.db.From(ctx).
		NewDelete().
		Model((*bundleMemberRow)(nil)).
		Where("realm_id = ?", r).
		Where("channel_id = ?", c).
		Exec(ctx))
}
