package files

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/upload"
	"github.com/stoachat/stoa/modules/kit"
)

// Events are sent to the owner of a file. Many messages may refer to a file, so their IDs are not logged but read at
// delivery.
type (
	fileAdded struct {
		Attachment message.Attachment `json:"attachment"`
		Space      int64              `json:"upload_space_used"` // bytes of the whole realm
	}
	fileUpdated struct {
		ID    upload.ID `json:"id"`
		Space int64     `json:"upload_space_used"`

		now *message.Attachment // read at delivery; nil if the file has been deleted
	}
	fileRemoved struct {
		Attachment removedID `json:"attachment"`
		Space      int64     `json:"upload_space_used"`
	}
	removedID struct {
		ID upload.ID `json:"id"`
	}
)

var (
	added   = kit.Event[fileAdded]("attachment", "add")
	removed = kit.Event[fileRemoved]("attachment", "remove")
	updated = kit.Event[fileUpdated]("attachment", "update").Shape(
		func(_ context.Context, _ *directory.View, _ event.Client, e *fileUpdated) (any, bool) {
			if e.now == nil {
				return nil, false
			}
			return fileAdded{*e.now, e.Space}, true
		}).Sends(fileAdded{})
)

// Events returns the event types.
func (s *Service) Events() []kit.AnyEvent {
	return []kit.AnyEvent{added.Any(), removed.Any(), updated.Late(s.load).Any()}
}

// load sets the current state of the file of each event.
func (s *Service) load(ctx context.Context, _ *directory.View, page []*fileUpdated) error {
	ids := make([]upload.ID, len(page))
	for i, e := range page {
		ids[i] = e.ID
	}
	files, err := s.Store.ByIDs(ctx, ids)
	if err != nil {
		return err
	}
	shown, err := s.describeAll(ctx, files)
	if err != nil {
		return err
	}
	by := make(map[upload.ID]*message.Attachment, len(files))
	for i := range files {
		by[files[i].ID] = &shown[i]
	}
	for _, e := range page {
		e.now = by[e.ID]
	}
	return nil
}

// maxRefs is the maximum number of messages listed per file. Older messages are omitted.
const maxRefs = 1000

func (s *Service) describeAll(ctx context.Context, files []upload.File) ([]message.Attachment, error) {
	messages, err := s.Store.MessagesOf(ctx, idsOf(files), maxRefs)
	if err != nil {
		return nil, err
	}
	out := make([]message.Attachment, len(files))
	for i := range files {
		refs := messages[files[i].ID]
		if refs == nil {
			refs = []message.ID{}
		}
		out[i] = describe(&files[i], refs)
	}
	return out, nil
}

// describe returns a file as shown in responses and events.
func describe(f *upload.File, refs []message.ID) message.Attachment {
	return message.Attachment{
		ID: int64(f.ID), Name: f.Name, PathID: f.PathID, Size: f.Size, CreateTime: f.CreatedAt.Unix(), MessageIDs: refs,
	}
}
