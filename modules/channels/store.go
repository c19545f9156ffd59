package channels

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// store holds channels and subscriptions.
type store struct{ db *bunstore.DB }

type channelRow struct {
	bun.BaseModel `bun:"table:channels,alias:c"`
	ID            channel.ID `bun:",pk,autoincrement"`
	RealmID       realm.ID
	Name          string
	NameKey       string
	Description   string
	Rendered      string
	CreatedAt     time.Time
	CreatorID     user.ID
	Private       bool
	WebPublic     bool
	HistoryPublic bool
	RetentionDays *int
	FirstMessage  int64
	FolderID      channel.FolderID
	TopicsPolicy  string
	Archived      bool
	IsDefault     bool
	Permissions   string `bun:"type:text"`
	Weekly        *int
	Quiet         bool
}

func toRow(r realm.ID, c *channel.Channel) (*channelRow, error) {
	permissions, err := json.Marshal(c.Permissions)
	return &channelRow{
		ID: c.ID, RealmID: r, Name: c.Name, NameKey: channel.NameKey(c.Name), Description: c.Description, Rendered: c.Rendered,
		CreatedAt: c.Created, CreatorID: c.Creator, Private: c.Private, WebPublic: c.WebPublic, HistoryPublic: c.HistoryPublic,
		RetentionDays: c.RetentionDays, FirstMessage: c.FirstMessage, FolderID: c.Folder, TopicsPolicy: c.TopicsPolicy,
		Archived: c.Archived, IsDefault: c.Default, Permissions: string(permissions),
		Weekly: c.Weekly, Quiet: c.Quiet,
	}, err
}

func (r *channelRow) channel() (*channel.Channel, error) {
	c := &channel.Channel{
		ID: r.ID, Name: r.Name, Description: r.Description, Rendered: r.Rendered, Created: r.CreatedAt.UTC(), Creator: r.CreatorID,
		Private: r.Private, WebPublic: r.WebPublic, HistoryPublic: r.HistoryPublic, RetentionDays: r.RetentionDays,
		FirstMessage: r.FirstMessage, Folder: r.FolderID, TopicsPolicy: r.TopicsPolicy, Archived: r.Archived, Default: r.IsDefault,
		Weekly: r.Weekly, Quiet: r.Quiet,
	}
	return c, json.Unmarshal([]byte(r.Permissions), &c.Permissions)
}

// Insert stores new channels and gives them their ids. Errors: ChannelExists when one of the names has been taken.
func (s store) Insert(ctx context.Context, r realm.ID, cs ...*channel.Channel) error {
	if len(cs) == 0 {
		return nil
	}
	rows, named := make([]*channelRow, len(cs)), map[string]*channel.Channel{}
	for i, c := range cs {
		row, err := toRow(r, c)
		if err != nil {
			return err
		}
		rows[i], named[row.NameKey] = row, c
	}
	var ids []struct {
		ID      channel.ID
		NameKey string
	}
	if err := s.db.From(ctx).NewInsert().Model(&rows).On("CONFLICT DO NOTHING").Returning("id, name_key").Scan(ctx, &ids); err != nil {
		return err
	}
	for _, got := range ids {
		named[got.NameKey].ID = got.ID
	}
	for _, c := range cs {
		if c.ID == 0 {
			return exists(c.Name)
		}
	}
	return nil
}

func exists(name string) error {
	return errs.New(errs.ChannelExists, "Channel '%s' already exists", name).With("channel_name", name)
}

// Update stores a changed channel. Errors: ChannelExists when its new name has been taken.
func (s store) Update(ctx context.Context, r realm.ID, c *channel.Channel) error {
	row, err := toRow(r, c)
	if err != nil {
		return err
	}
	taken, err := s.db.From(ctx).NewSelect().Model((*channelRow)(nil)).
		Where("realm_id = ?", r).Where("name_key = ?", row.NameKey).Where("id <> ?", c.ID).Exists(ctx)
	if err != nil {
		return err
	}
	if taken {
		return exists(c.Name)
	}
	_, err = s.db.From(ctx).NewUpdate().Model(row).WherePK().Where("realm_id = ?", r).Exec(ctx)
	return err
}

// SetFirst stores which message of a channel is its oldest.
func (s store) SetFirst(ctx context.Context, r realm.ID, c channel.ID, first int64) error {
	_, err := s.db.From(ctx).NewUpdate().Model((*channelRow)(nil)).Set("first_message = ?", first).
		Where("id = ?", c).Where("realm_id = ?", r).Exec(ctx)
	return err
}

// Load puts the realm's channels and active subscriptions into a view.
func (s store) Load(ctx context.Context, r realm.ID, b *directory.Builder) error {
	var rows []*channelRow
	if err := s.db.From(ctx).NewSelect().Model(&rows).Where("realm_id = ?", r).Scan(ctx); err != nil {
		return err
	}
	for _, row := range rows {
		c, err := row.channel()
		if err != nil {
			return err
		}
		b.Channel(c)
	}
	return s.loadSubscribers(ctx, r, b)
}

// loadSubscribers reads one row for each channel: a realm has hundreds of thousands of subscriptions, and each row that crosses into
// Go costs more than what is in it.
func (s store) loadSubscribers(ctx context.Context, r realm.ID, b *directory.Builder) error {
	rows, err := s.db.From(ctx).NewSelect().Model((*subscriptionRow)(nil)).Column("channel_id").
		ColumnExpr("string_agg(CAST(user_id AS text), ',')").Where("realm_id = ?", r).Where("active").Group("channel_id").Rows(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // what it could tell, Err tells
	var users []user.ID
	for rows.Next() {
		var c channel.ID
		var list string
		if err := rows.Scan(&c, &list); err != nil {
			return err
		}
		users = users[:0]
		for text := range strings.SplitSeq(list, ",") {
			u, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return err
			}
			users = append(users, user.ID(u))
		}
		b.Subscription(c, users...)
	}
	return rows.Err()
}
