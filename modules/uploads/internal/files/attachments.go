package files

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/upload"
	"github.com/stoachat/stoa/modules/kit"
)

// maxListed is the maximum number of files listed. Older files are omitted.
const maxListed = 50_000

type listRes struct {
	Attachments []message.Attachment `json:"attachments"`
	Space       int64                `json:"upload_space_used"` // bytes of the whole realm
}

// list handles GET /attachments.
func (s *Service) list(ctx context.Context, a kit.Actor, _ kit.None) (listRes, error) {
	files, err := s.Store.Owned(ctx, a.User, maxListed)
	if err != nil {
		return listRes{}, err
	}
	shown, err := s.describeAll(ctx, files)
	if err != nil {
		return listRes{}, err
	}
	space, err := s.Store.Space(ctx, a.Realm)
	return listRes{shown, space}, err
}

type fileReq struct {
	ID upload.ID `json:"attachment_id"`
}

// remove handles DELETE /attachments/{attachment_id}. Messages keep their links. Errors: BadRequest.
func (s *Service) remove(ctx context.Context, a kit.Actor, in fileReq) (kit.None, error) {
	err := s.Work.Do(ctx, func(ctx context.Context) error {
		if _, err := s.Log.Lock(ctx, a.Realm); err != nil {
			return err
		}
		f, err := s.Store.ByID(ctx, a.Realm, in.ID)
		if err != nil {
			return err
		}
		if f == nil || f.Owner != a.User {
			return errs.Bad("Invalid attachment")
		}
		return s.discard(ctx, a.Realm, []upload.File{*f})
	})
	return kit.None{}, err
}

// discard deletes files of a realm with their references, and schedules the deletion of their blobs. The caller must
// hold the realm's lock.
func (s *Service) discard(ctx context.Context, r realm.ID, files []upload.File) error {
	return s.delete(ctx, r, files, files)
}

// delete deletes files of a realm with their references, and schedules the deletion of the blobs of those in erased.
// All files are deleted through it, except those of deleted realms. The caller must hold the realm's lock.
func (s *Service) delete(ctx context.Context, r realm.ID, files, erased []upload.File) error {
	if len(files) == 0 {
		return nil
	}
	var bytes int64
	for i := range files {
		bytes += files[i].Size
	}
	if err := s.Store.Delete(ctx, idsOf(files)); err != nil {
		return err
	}
	if err := s.Store.AddBlobs(ctx, r, s.Clock.Now(), keysOf(erased)...); err != nil {
		return err
	}
	space, err := s.Store.AddSpace(ctx, r, -bytes)
	if err != nil {
		return err
	}
	events := make([]event.Event, len(files))
	for i := range slices.Backward(files) { // each event has the space that is used after it
		events[i] = removed.To(r, event.To(files[i].Owner), fileRemoved{removedID{files[i].ID}, space})
		space += files[i].Size
	}
	s.RemoveSoon(ctx)
	return s.Log.Append(ctx, events...)
}
