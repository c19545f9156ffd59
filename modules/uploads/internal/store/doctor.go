package store

import (
	"context"
	"fmt"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/upload"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Diagnoses returns the module's checks of stoa doctor. keepUntil is when files are deleted that nothing refers to now.
func (s *Store) Diagnoses(blobs ports.Blobs, keepUntil time.Time) []kit.Diagnosis {
	size := func(table string) string {
		return "COALESCE((SELECT sum(a.size) FROM " + table + " a WHERE a.realm_id = r.realm_id), 0)"
	}
	return []kit.Diagnosis{{
		Name: "space", Doc: "The total size of each organization's files is recorded.",
		Wrong: []kit.Wrong{{
			Table: "upload_space", Where: "r.bytes <> " + size("attachments"), Text: "record a wrong size of files",
			Fix: "bytes = " + size("attachments"),
		}, {
			Table: "upload_space", Where: "r.archived <> " + size("attachment_archive"),
			Text: "record a wrong size of the archive", Fix: "archived = " + size("attachment_archive"),
		}},
	}, {
		Name: "references", Doc: "Messages refer to files that exist, and files without a message will be deleted.",
		Wrong: []kit.Wrong{{
			Table: "attachment_messages", Where: "NOT EXISTS (SELECT 1 FROM attachments a WHERE a.id = r.attachment_id)",
			Text: "refer to no file", Fix: kit.Delete,
		}, {
			Table: "attachment_messages", With: []string{"messages"},
			Where: "NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = r.message_id)",
			Text:  "belong to no message", Fix: kit.Delete,
		}, {
			Table: "attachments", Minor: true, Text: "are in no message, but would be kept forever",
			Where: "r.unused_until IS NULL AND " +
				"NOT EXISTS (SELECT 1 FROM attachment_messages m WHERE m.attachment_id = r.id) AND " +
				"NOT EXISTS (SELECT 1 FROM attachment_scheduled s WHERE s.attachment_id = r.id)",
			Fix: "unused_until = '" + keepUntil.UTC().Format("2006-01-02 15:04:05-07:00") + "'",
		}},
	}, {
		Name: "sizes", Doc: "The newest files have the size that is recorded.",
		Run: func(ctx context.Context) ([]kit.Finding, error) { return s.examineSizes(ctx, blobs) },
	}}
}

// sampled is how many files are compared with the store.
const sampled = 200

// examineSizes compares the sizes of the newest files with those of their blobs. Others report blobs that are missing.
func (s *Store) examineSizes(ctx context.Context, blobs ports.Blobs) ([]kit.Finding, error) {
	if blobs.Check(ctx) != nil {
		return nil, nil //nolint:nilerr // the health check reports it
	}
	var rows []struct {
		ID      upload.ID
		Size    int64
		BlobKey string
	}
	err := s.db.From(ctx).NewSelect().Table("attachments").Column("id", "size", "blob_key").Order("id DESC").
		Limit(sampled).Scan(ctx, &rows)
	if err != nil {
		return nil, err
	}
	var all []kit.Finding
	for _, r := range rows {
		body, info, err := blobs.Open(ctx, r.BlobKey, 0, 0)
		if errs.Is(err, errs.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := body.Close(); err != nil {
			return nil, err
		}
		if info.Size != r.Size {
			all = append(all, kit.Finding{
				Text:   fmt.Sprintf("the file %d has %d bytes instead of %d", r.ID, info.Size, r.Size),
				Remedy: "copy the file from a backup",
			})
		}
	}
	return all, nil
}
