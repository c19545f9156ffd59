package accounts

import (
	"context"
	"encoding/json"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// These constants define the bit fields of the first number in a row of All. The lowest bits are the role.
const (
	rowActive  = 1 << 10
	rowSystem  = 1 << 11
	rowBotType = 1 << 12
	rowID      = 1 << 20
)

// All returns all users of a realm with their API keys, in any order. A realm may have thousands of users, and reading
// each column costs time. Therefore the query combines several columns into one number, and returns NULL for the
// settings of users who have not changed any.
func (s store) All(ctx context.Context, r realm.ID) ([]*user.User, error) {
	keys, err := s.keys(ctx, r)
	if err != nil {
		return nil, err
	}
	var users []*user.User
	q := s.db.From(ctx).NewSelect().Model((*userRow)(nil)).
		ColumnExpr("id * ? + role + CASE WHEN active THEN ? ELSE 0 END + CASE WHEN system THEN ? ELSE 0 END + bot_type * ?",
			rowID, rowActive, rowSystem, rowBotType).
		Column("delivery_email", "full_name", "joined_at", "bot_owner", "avatar_source", "avatar_version", "avatar").
		ColumnExpr("NULLIF(settings, '{}')").Where("realm_id = ?", r)
	err = bunstore.Each(ctx, q, func(row []any) error {
		joined, err := bunstore.Time(row[3])
		if err != nil {
			return err
		}
		bits := row[0].(int64)
		u := &user.User{
			ID:            user.ID(bits / rowID),
			Role:          user.Role(bits % rowActive),
			Active:        bits&rowActive != 0,
			System:        bits&rowSystem != 0,
			BotType:       user.BotType(bits % rowID / rowBotType),
			DeliveryEmail: row[1].(string),
			FullName:      row[2].(string),
			Joined:        joined,
			BotOwner:      user.ID(row[4].(int64)),
			AvatarSource:  row[5].(string),
			AvatarVersion: int(row[6].(int64)),
			Avatar:        row[7].(string),
			Settings:      user.Defaults(),
		}
		u.Keys = keys[u.ID]
		users = append(users, u)
		if changed, is := row[8].(string); is {
			return json.Unmarshal([]byte(changed), &u.Settings)
		}
		return nil
	})
	return users, err
}
