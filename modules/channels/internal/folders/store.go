package folders

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

type store struct{ db *bunstore.DB }

type folderRow struct {
	bun.BaseModel `bun:"table:channel_folders,alias:f"`
	ID            channel.FolderID `bun:",pk,autoincrement" export:"yes"`
	RealmID       realm.ID
	Name          string    `export:"yes"`
	Description   string    `export:"yes"`
	Rendered      string    `export:"yes"`
	Position      int       `export:"yes"`
	CreatorID     user.ID   `export:"yes" person:"id"`
	CreatedAt     time.Time `export:"yes"`
	Archived      bool      `export:"yes"`
}

func toFolderRow(r realm.ID, f *channel.Folder) *folderRow {
	return &folderRow{
		ID: f.ID, RealmID: r, Name: f.Name, Description: f.Description, Rendered: f.Rendered, Position: f.Order,
		CreatorID: f.Creator,
		CreatedAt: f.Created, Archived: f.Archived,
	}
}

// Folders returns a realm's folders in the order chosen by administrators.
func (s store) Folders(ctx context.Context, r realm.ID) ([]channel.Folder, error) {
	var rows []folderRow
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("realm_id = ?", r).Order("position", "id").Scan(ctx)
	all := make([]channel.Folder, len(rows))
	for i, f := range rows {
		all[i] = channel.Folder{
			ID: f.ID, Name: f.Name, Description: f.Description, Rendered: f.Rendered, Order: f.Position, Creator: f.CreatorID,
			Created: f.CreatedAt, Archived: f.Archived,
		}
	}
	return all, err
}

// Insert stores a new folder and sets its ID.
func (s store) Insert(ctx context.Context, r realm.ID, f *channel.Folder) error {
	row := toFolderRow(r, f)
	err := s.db.From(ctx).NewInsert().Model(row).Returning("id").Scan(ctx, &row.ID)
	f.ID = row.ID
	return err
}

// Update stores a changed folder.
func (s store) Update(ctx context.Context, r realm.ID, f *channel.Folder) error {
	_, err := s.db.From(ctx).NewUpdate().Model(toFolderRow(r, f)).WherePK().Where("realm_id = ?", r).Exec(ctx)
	return err
}

// Order stores the order of the folders.
func (s store) Order(ctx context.Context, r realm.ID, order []channel.FolderID) error {
	if len(order) == 0 {
		return nil
	}
	text, args := "CASE id", []any{}
	for i, id := range order {
		text += " WHEN ? THEN ?"
		args = append(args, id, i)
	}
	_, err := s.db.From(ctx).NewUpdate().Model((*folderRow)(nil)).Set("position = "+text+" END", args...).
		Where("realm_id = ?", r).Where("id IN (?)", bun.List(order)).Exec(ctx)
	return err
}
