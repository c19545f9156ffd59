package profilefields

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/profilefield"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

type profileRow struct {
	bun.BaseModel `bun:"table:user_profiles,alias:p"`
	UserID        user.ID `bun:",pk" export:"yes" person:"row"`
	RealmID       realm.ID
	Values        string `bun:"said" export:"yes,json"`
}

// Profiles returns users' profiles as JSON; if us is nil, those of all users in the realm.
func (s store) Profiles(ctx context.Context, r realm.ID, us []user.ID) (map[user.ID]json.RawMessage, error) {
	if us != nil && len(us) == 0 {
		return nil, nil
	}
	var rows []profileRow
	q := s.db.From(ctx).NewSelect().Model(&rows).Column("user_id", "said").Where("realm_id = ?", r)
	if us != nil {
		q = q.Where("user_id IN (?)", bun.List(us))
	}
	if err := q.Scan(ctx); err != nil {
		return nil, err
	}
	profiles := make(map[user.ID]json.RawMessage, len(rows))
	for _, p := range rows {
		profiles[p.UserID] = json.RawMessage(p.Values)
	}
	return profiles, nil
}

// Profile returns a user's profile, which is empty if none is stored.
func (s store) Profile(ctx context.Context, r realm.ID, u user.ID) (profilefield.Profile, error) {
	var rows []profileRow
	err := s.db.From(ctx).
		NewSelect().
		Model(&rows).
		Column("said").
		Where("realm_id = ?", r).
		Where("user_id = ?", u).
		Scan(ctx)
	if err != nil || len(rows) == 0 {
		return profilefield.Profile{}, err
	}
	return profilefield.ReadProfile(rows[0].Values)
}

// Write replaces the stored profiles of users. Empty profiles are deleted.
func (s store) Write(ctx context.Context, r realm.ID, profiles map[user.ID]profilefield.Profile) error {
	var rows []profileRow
	var emptied []user.ID
	for u, p := range profiles {
		if len(p) == 0 {
			emptied = append(emptied, u)
		} else {
			rows = append(rows, profileRow{UserID: u, RealmID: r, Values: p.String()})
		}
	}
	if len(emptied) > 0 {
		q := s.db.From(ctx).NewDelete().Model((*profileRow)(nil)).Where("user_id IN (?)", bun.List(emptied))
		if _, err := q.Exec(ctx); err != nil {
			return err
		}
	}
	if len(rows) == 0 {
		return nil
	}
	_, err := s.db.From(ctx).
		NewInsert().
		Model(&rows).
		On("CONFLICT (user_id) DO UPDATE").
		Set("said = EXCLUDED.said").
		Exec(ctx)
	return err
}

// block is the maximum number of profiles rewritten at once.
const block = 1000

// ClearValues clears the values of a field for which matches returns true. It returns the IDs of their users in
// ascending order.
func (s store) ClearValues(
	ctx context.Context,
	r realm.ID,
	id profilefield.ID,
	matches func(text string) bool,
) ([]user.ID, error) {
	var cleared []user.ID
	for last := user.ID(0); ; {
		var rows []profileRow
		err := s.db.From(ctx).
			NewSelect().
			Model(&rows).
			Column("user_id", "said").
			Where("realm_id = ?", r).
			Where("user_id > ?", last).
			Where("said LIKE ?", fmt.Sprintf(`%%"%d":{%%`, id)).
			Order("user_id").
			Limit(block).
			Scan(ctx)
		if err != nil || len(rows) == 0 {
			return cleared, err
		}
		profiles := map[user.ID]profilefield.Profile{}
		for _, row := range rows {
			p, err := profilefield.ReadProfile(row.Values)
			if err != nil {
				return nil, err
			}
			if v, ok := p[id]; ok && matches(v.Text) {
				delete(p, id)
				profiles[row.UserID] = p
				cleared = append(cleared, row.UserID)
			}
		}
		if err := s.Write(ctx, r, profiles); err != nil {
			return nil, err
		}
		last = rows[len(rows)-1].UserID
	}
}
