package files

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/export"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/upload"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/uploads/internal/store"
)

// Tables declares the module's tables.
func (s *Service) Tables() []kit.Table {
	attachments := store.AttachmentTable("An uploaded file that a message in the export refers to (message_ids, at most " +
		"the newest 200), or whose owner consents: its path (after /user_uploads/) and the file in the archive.")
	attachments = kit.Paged[exportedFile](attachments, s.export).Sized(s.exportSize)
	return append(store.Tables(), attachments, s.secret.Declared(store.Internal))
}

// These limits apply to a page of an export.
const (
	perExport   = 100      // maximum number of files examined
	exportRefs  = 200      // maximum number of messages listed per file
	exportBytes = 64 << 20 // total size in bytes of the files after which the page ends
)

// exportedFile describes a file in an export.
type exportedFile struct {
	ID          upload.ID    `json:"id"`
	Owner       user.ID      `json:"owner_id"`
	PathID      string       `json:"path_id"`
	Name        string       `json:"name"`
	Size        int64        `json:"size"` // bytes
	ContentType string       `json:"content_type"`
	Created     time.Time    `json:"created_at"`
	Messages    []message.ID `json:"message_ids"`
	File        string       `json:"file"`
}

// export returns the page of files that follows the cursor after.
func (s *Service) export(ctx context.Context, x *export.Scope, after string) (export.Page, error) {
	var last upload.ID
	if after != "" {
		if err := json.Unmarshal([]byte(after), &last); err != nil {
			return export.Page{}, err
		}
	}
	found, err := s.Store.After(ctx, x.View.Realm().ID, last, perExport)
	if err != nil {
		return export.Page{}, err
	}
	refs, err := s.Store.MessagesOf(ctx, idsOf(found), exportRefs)
	if err != nil {
		return export.Page{}, err
	}
	var all []message.ID
	for _, ids := range refs {
		all = append(all, ids...)
	}
	inExport, _, err := s.Exported.Ask(ctx, message.InExport{Scope: x, Messages: all})
	if err != nil {
		return export.Page{}, err
	}
	var page export.Page
	more := len(found) == perExport
	size := int64(0)
	for i := range found {
		f := &found[i]
		last = f.ID
		messages := intersect(refs[f.ID], inExport)
		included := len(messages) > 0 || x.Private(f.Owner)
		if !included && len(refs[f.ID]) == exportRefs {
			if included, err = s.exportable(ctx, x, f.ID, refs[f.ID][0]); err != nil {
				return export.Page{}, err
			}
		}
		if !included || f.CreatedAt.After(x.Until) {
			continue
		}
		page.Lines = append(page.Lines, exportedFile{
			ID: f.ID, Owner: f.Owner, PathID: f.PathID, Name: f.Name, Size: f.Size, ContentType: f.ContentType,
			Created: f.CreatedAt.UTC(), Messages: messages, File: export.NameOf(f.Key),
		})
		page.Files = append(page.Files, export.File{Key: f.Key})
		if size += f.Size; size > exportBytes {
			more = true
			break
		}
	}
	if more {
		next, err := json.Marshal(last)
		page.Next = string(next)
		return page, err
	}
	return page, nil
}

// intersect returns the elements of some that are in the sorted slice among.
func intersect(some, among []message.ID) []message.ID {
	out := []message.ID{}
	for _, id := range some {
		if _, ok := slices.BinarySearch(among, id); ok {
			out = append(out, id)
		}
	}
	return out
}

// exportable reports whether the export contains a message that refers to the file and has an ID less than below.
func (s *Service) exportable(ctx context.Context, x *export.Scope, id upload.ID, below message.ID) (bool, error) {
	for {
		ids, err := s.Store.Messages(ctx, id, below, messagesPerCheck)
		if err != nil || len(ids) == 0 {
			return false, err
		}
		seen, _, err := s.Exported.Ask(ctx, message.InExport{Scope: x, Messages: ids})
		if err != nil || len(seen) > 0 {
			return len(seen) > 0, err
		}
		below = ids[len(ids)-1]
	}
}

// exportSize returns the total size of the realm's files.
func (s *Service) exportSize(ctx context.Context, x *export.Scope) (export.Size, error) {
	n, err := s.Store.Space(ctx, x.View.Realm().ID)
	return export.Size{Bytes: n}, err
}
