package stoa

import (
	"context"
	"encoding/json"

	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/picture"
)

// images adds custom emoji and avatars, whose images are listed by their addresses.
func (s *source) images(ctx context.Context, d *importing.Directory) error {
	files := map[string]*importing.File{}
	err := s.lines(ctx, "images", func(_ string, line []byte) error {
		var one struct{ Address, File string }
		if importing.Decode(line, &one) == nil && one.File != "" {
			files[one.Address] = &importing.File{Path: one.File}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, r := range d.Rows {
		var u struct {
			ID     json.Number `json:"id"`
			Avatar string      `json:"avatar"`
		}
		if r.Table != "users" || json.Unmarshal(r.Line, &u) != nil || u.Avatar == "" {
			continue
		}
		image := files[picture.Medium(u.Avatar)]
		if image == nil {
			image = files[u.Avatar]
		}
		if image != nil {
			d.Avatars = append(d.Avatars, importing.Avatar{Person: key(u.ID), Image: image})
		}
	}
	return s.lines(ctx, "custom_emoji", func(where string, line []byte) error {
		var e struct {
			ID          json.Number `json:"id"`
			Name        string      `json:"name"`
			Source      string      `json:"source"`
			Author      json.Number `json:"author_id"`
			Deactivated bool        `json:"deactivated"`
		}
		if importing.Decode(line, &e) != nil || e.ID == "" {
			s.Report.Count(importing.Emojis, importing.Refused, "not a line of an emoji", where)
			return nil //nolint:nilerr // it is counted
		}
		d.Emoji = append(d.Emoji, importing.Emoji{
			Key: key(e.ID), Name: e.Name, Author: key(e.Author), Image: files[e.Source], Inactive: e.Deactivated,
		})
		return nil
	})
}
