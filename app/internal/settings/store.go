package settings

import (
	"context"
	"encoding/json"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/declared"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

type store struct{ db *bunstore.DB }

type row struct {
	bun.BaseModel `bun:"table:module_settings"`
	RealmID       realm.ID   `bun:",pk"`
	Key           string     `bun:",pk" export:"yes"`
	UserID        user.ID    `bun:",pk" export:"yes" person:"row"`
	ChannelID     channel.ID `bun:",pk" export:"yes,channel"`
	Value         string     `export:"yes,json"`
}

// load returns all values of a realm.
func (s store) load(ctx context.Context, r realm.ID) ([]declared.Change, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("realm_id = ?", r).Scan(ctx)
	all := make([]declared.Change, len(rows))
	for i, one := range rows {
		all[i] = declared.Change{
			Key: one.Key, ID: int64(one.UserID) + int64(one.ChannelID), New: json.RawMessage(one.Value),
		}
	}
	return all, err
}

// set stores a new value.
func (s store) set(ctx context.Context, r realm.ID, of declared.Scope, c declared.Change) error {
	one := row{RealmID: r, Key: c.Key, Value: string(c.New)}
	switch of {
	case declared.OfUser:
		one.UserID = user.ID(c.ID)
	case declared.OfChannel:
		one.ChannelID = channel.ID(c.ID)
	}
	_, err := s.db.From(ctx).NewInsert().Model(&one).
		On("CONFLICT (realm_id, key, user_id, channel_id) DO UPDATE").Exec(ctx)
	return err
}

// forget deletes all values of a user.
func (s store) forget(ctx context.Context, r realm.ID, u user.ID) error {
	_, err := s.db.From(ctx).NewDelete().Model((*row)(nil)).Where("realm_id = ?", r).Where("user_id = ?", u).Exec(ctx)
	return err
}
