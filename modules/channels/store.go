package channels

import (
	"context"
	"encoding/json"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/channels/internal/access"
)

// store stores channels and their email addresses.
type store struct{ db *bunstore.DB }

// block is the maximum number of IDs in one statement.
const block = 1000

type channelRow struct {
	bun.BaseModel `bun:"table:channels,alias:c"`
	ID            channel.ID `bun:",pk,autoincrement" export:"yes,channel"`
	RealmID       realm.ID
	Name          string `export:"yes"`
	// View.NameKey of the name, computed when the name was set; in older rows, the name in lower case
	NameKey       string           `export:"no"`
	Description   string           `export:"yes"`
	Rendered      string           `export:"yes"`
	CreatedAt     time.Time        `export:"yes"`
	CreatorID     user.ID          `export:"yes" person:"id"`
	Private       bool             `export:"yes"`
	WebPublic     bool             `export:"yes"`
	HistoryPublic bool             `export:"yes"`
	RetentionDays *int             `export:"yes"`
	FirstMessage  int64            `export:"yes"`
	FolderID      channel.FolderID `export:"yes"`
	TopicsPolicy  string           `export:"yes"`
	Archived      bool             `export:"yes"`
	IsDefault     bool             `export:"yes"`
	Permissions   string           `bun:"type:text" export:"yes,json"`
	Weekly        *int             `export:"no"`
	Quiet         bool             `export:"no"`
}

func toRow(r realm.ID, c *channel.Channel, key string) (*channelRow, error) {
	permissions, err := json.Marshal(c.Permissions)
	return &channelRow{
		ID: c.ID, RealmID: r, Name: c.Name, NameKey: key, Description: c.Description, Rendered: c.Rendered,
		CreatedAt: c.Created, CreatorID: c.Creator, Private: c.Private, WebPublic: c.WebPublic,
		HistoryPublic: c.HistoryPublic,
		RetentionDays: c.RetentionDays, FirstMessage: c.FirstMessage, FolderID: c.Folder, TopicsPolicy: c.TopicsPolicy,
		Archived: c.Archived, IsDefault: c.Default, Permissions: string(permissions),
		Weekly: c.Weekly, Quiet: c.Quiet,
	}, err
}

func (r *channelRow) channel(permissions map[string]group.Setting) *channel.Channel {
	return &channel.Channel{
		ID: r.ID, Name: r.Name, Description: r.Description, Rendered: r.Rendered, Created: r.CreatedAt.UTC(),
		Creator: r.CreatorID,
		Private: r.Private, WebPublic: r.WebPublic, HistoryPublic: r.HistoryPublic, RetentionDays: r.RetentionDays,
		FirstMessage: r.FirstMessage, Folder: r.FolderID, TopicsPolicy: r.TopicsPolicy, Archived: r.Archived,
		Default: r.IsDefault,
		Weekly:  r.Weekly, Quiet: r.Quiet, Permissions: permissions,
	}
}

// adaptChannel completes an imported channel, whose first message is not known yet.
func adaptChannel(m importing.Mapping, row *channelRow) (bool, error) {
	row.NameKey, row.FirstMessage, row.Weekly, row.Quiet = m.NameKey(row.Name), 0, nil, false
	var err error
	row.Permissions, err = m.Permissions(row.Permissions, group.OfStream, row.CreatorID)
	return true, err
}

// Insert stores new channels and sets their IDs. key returns the comparison key of a name. Errors: ChannelExists if a
// name is in use.
func (s store) Insert(ctx context.Context, r realm.ID, key func(string) string, cs ...*channel.Channel) error {
	if len(cs) == 0 {
		return nil
	}
	rows, named := make([]*channelRow, len(cs)), map[string]*channel.Channel{}
	for i, c := range cs {
		row, err := toRow(r, c, key(c.Name))
		if err != nil {
			return err
		}
		rows[i], named[row.NameKey] = row, c
	}
	var ids []struct {
		ID      channel.ID
		NameKey string
	}
	if err := s.db.From(ctx).NewInsert().Model(&rows).On("CONFLICT DO NOTHING").Returning("id, name_key").Scan(ctx,
		&ids); err != nil {
		return err
	}
	for _, got := range ids {
		named[got.NameKey].ID = got.ID
	}
	for _, c := range cs {
		if c.ID == 0 {
			return access.ErrNameInUse(c.Name)
		}
	}
	return nil
}

// Update stores a changed channel. key is the comparison key of a new name, or "" if the name is unchanged: existing
// channels may have names that are equal under the current rule. Errors: ChannelExists if the new name is in use.
func (s store) Update(ctx context.Context, r realm.ID, c *channel.Channel, key string) error {
	row, err := toRow(r, c, key)
	if err != nil {
		return err
	}
	q := s.db.From(ctx).NewUpdate().Model(row).WherePK().Where("realm_id = ?", r)
	if key == "" {
		_, err = q.ExcludeColumn("name_key").Exec(ctx)
		return err
	}
	taken, err := s.db.From(ctx).NewSelect().Model((*channelRow)(nil)).
		Where("realm_id = ?", r).Where("name_key = ?", key).Where("id <> ?", c.ID).Exists(ctx)
	if err != nil {
		return err
	}
	if taken {
		return access.ErrNameInUse(c.Name)
	}
	_, err = q.Exec(ctx)
	return err
}

// SetFirst stores the ID of a channel's oldest message.
func (s store) SetFirst(ctx context.Context, r realm.ID, c channel.ID, first int64) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*channelRow)(nil)).Set("first_message = ?", first).
		Where("id = ?", c).Where("realm_id = ?", r).Exec(ctx)
	return err
}

// Load adds the realm's channels to a view. Each distinct permission text is decoded only once, since most channels
// have the same permissions.
func (s store) Load(ctx context.Context, r realm.ID, b *directory.Builder) error {
	var rows []*channelRow
	if err := s.db.From(ctx).NewSelect().Model(&rows).Where("realm_id = ?", r).Scan(ctx); err != nil {
		return err
	}
	read := map[string]map[string]group.Setting{}
	for _, row := range rows {
		permissions, known := read[row.Permissions]
		if !known {
			if err := json.Unmarshal([]byte(row.Permissions), &permissions); err != nil {
				return err
			}
			read[row.Permissions] = permissions
		}
		b.Channel(row.channel(permissions))
	}
	return nil
}
