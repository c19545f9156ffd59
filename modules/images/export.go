package images

import (
	"context"
	"strings"

	"github.com/stoachat/stoa/domain/export"
	"github.com/stoachat/stoa/modules/kit"
)

// table declares the table of images, of which only those in use are exported.
func (s *service) table() kit.Table {
	t := kit.Exported[row]("An avatar, emoji or icon in use: the address that other tables contain, and the file in the " +
		"archive. Anyone who knows the address can fetch the image, so every export contains it.")
	return kit.Paged[exportedPicture](t, s.export)
}

// exportedPicture is an image in an export.
type exportedPicture struct {
	Address string `json:"address"`
	File    string `json:"file"`
}

// export returns a page of the images in use.
func (s *service) export(ctx context.Context, x *export.Scope, after string) (export.Page, error) {
	rows, err := s.rows.KeysOf(ctx, x.View.Realm().ID, after, batch)
	if err != nil {
		return export.Page{}, err
	}
	var page export.Page
	for _, r := range rows {
		if r.State != claimed {
			continue
		}
		page.Lines = append(
			page.Lines,
			exportedPicture{prefix + strings.TrimPrefix(r.Key, keyPrefix), export.NameOf(r.Key)},
		)
		page.Files = append(page.Files, export.File{Key: r.Key})
	}
	if len(rows) == batch {
		page.Next = rows[batch-1].Key
	}
	return page, nil
}
