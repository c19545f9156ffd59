package zulip

import (
	"context"
	"encoding/json"
	"errors"
	"path"
	"strings"

	"github.com/stoachat/stoa/domain/importing"
)

// attachments calls fn for each uploaded file, and bad, unless it is nil, for malformed rows.
func (s *source) attachments(ctx context.Context, fn func(a *attachmentRow, where string) error,
	bad func(where string),
) error {
	if _, ok := s.Archive.Size("attachment.json"); !ok {
		return nil
	}
	if bad == nil {
		bad = func(string) {}
	}
	err := s.read(ctx, "attachment.json", func(table, where string, row []byte) error {
		var a attachmentRow
		switch {
		case table != "zerver_attachment":
			return nil
		case importing.Decode(row, &a) != nil || !safe(a.Path):
			bad(where)
			return nil //nolint:nilerr // bad counts it
		}
		return fn(&a, where)
	})
	var broken damage
	if errors.As(err, &broken) {
		bad("attachment.json")
		return nil
	}
	return err
}

// safe reports whether a path is one of an uploaded file.
func safe(name string) bool {
	return name != "" && name == strings.TrimPrefix(path.Clean("/"+name), "/") && !strings.Contains(name, `\`)
}

// Files implements importing.Source. The engine counts those that are missing.
func (s *source) Files(ctx context.Context, fn func(*importing.File) error) error {
	return s.attachments(ctx, func(a *attachmentRow, _ string) error {
		return fn(&importing.File{
			Key: importing.Key(a.Path), Owner: key(a.Owner), Name: a.Name, Created: a.Created.Time, Path: "uploads/" + a.Path,
		})
	}, func(where string) { s.Report.Count(importing.Files, importing.Refused, "malformed", where) })
}

// images returns the images of a folder by the user to whom they belong, preferably in their original size.
func (s *source) images(ctx context.Context, folder string) (map[int64]*importing.File, error) {
	all := map[int64]*importing.File{}
	f, err := s.Archive.Open(folder + "/records.json")
	if err != nil {
		return all, ctx.Err() // there are none
	}
	err = importing.Elements(f, func(_ int, row json.RawMessage) error {
		var r struct {
			Path string `json:"path"`
			S3   string `json:"s3_path"`
			User int64  `json:"user_profile_id"`
		}
		if importing.Decode(row, &r) != nil || !safe(r.Path) || all[r.User] != nil && !strings.HasSuffix(r.S3, ".original") {
			return ctx.Err()
		}
		if _, ok := s.Archive.Size(folder + "/" + r.Path); ok {
			all[r.User] = &importing.File{Name: path.Base(r.Path), Path: folder + "/" + r.Path}
		}
		return ctx.Err()
	})
	if err != nil && ctx.Err() == nil {
		s.Report.Count(importing.Files, importing.Refused, "the list of images is damaged", folder+"/records.json")
	}
	return all, errors.Join(ctx.Err(), f.Close())
}
