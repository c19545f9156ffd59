package files

import (
	"context"
	"slices"
	"time"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/upload"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/uploads/internal/store"
)

// References change only under the realm's lock, in the transaction that changes the message. Code that changes files
// acquires the lock first, so that the holder of the lock never waits for a row.

// sent stores the references of new messages.
func (s *Service) sent(ctx context.Context, m *message.Sent) error {
	if len(m.Attachments) == 0 {
		return nil
	}
	var paths []string
	for _, one := range m.Messages {
		paths = append(paths, m.Attachments[one.ID]...)
	}
	slices.Sort(paths)
	files, err := s.Store.ByPaths(ctx, m.Realm, slices.Compact(paths))
	if err != nil {
		return err
	}
	var refs []store.Ref
	by := byPath(files)
	for _, one := range m.Messages {
		for _, p := range m.Attachments[one.ID] {
			if f := by[p]; f != nil { // nil: deleted in the meantime
				refs = append(refs, store.Ref{File: f.ID, Message: one.ID, Realm: m.Realm})
			}
		}
	}
	return s.addRefs(ctx, m.Realm, files, refs)
}

func byPath(files []upload.File) map[string]*upload.File {
	by := make(map[string]*upload.File, len(files))
	for i := range files {
		by[files[i].PathID] = &files[i]
	}
	return by
}

// addRefs stores references to files and notifies the files' owners.
func (s *Service) addRefs(ctx context.Context, r realm.ID, files []upload.File, refs []store.Ref) error {
	if len(refs) == 0 {
		return nil
	}
	if err := s.Store.AddRefs(ctx, refs); err != nil {
		return err
	}
	if err := s.Store.KeepReferenced(ctx, idsOf(files)); err != nil {
		return err
	}
	return s.changed(ctx, r, files)
}

// refChange is the effect of an edit on a message's references.
type refChange struct {
	dropped []upload.ID   // files to which the message no longer refers
	added   []upload.File // files to which it refers only now
}

// refChange returns the effect of an edit after which a message refers to the files with the given path IDs.
func (s *Service) refChange(ctx context.Context, r realm.ID, id message.ID, paths []string) (refChange, error) {
	oldRefs, err := s.Store.RefsOf(ctx, []message.ID{id})
	if err != nil || len(oldRefs)+len(paths) == 0 {
		return refChange{}, err
	}
	current, err := s.Store.ByPaths(ctx, r, paths)
	if err != nil {
		return refChange{}, err
	}
	var out refChange
	for _, r := range oldRefs {
		if !slices.ContainsFunc(current, func(f upload.File) bool { return f.ID == r.File }) {
			out.dropped = append(out.dropped, r.File)
		}
	}
	out.added = slices.DeleteFunc(current, func(f upload.File) bool {
		return slices.ContainsFunc(oldRefs, func(r store.Ref) bool { return r.File == f.ID })
	})
	return out, nil
}

// detached answers message.DetachedFiles, so that clients can offer to delete the files.
func (s *Service) detached(ctx context.Context, q message.DetachedFiles) ([]message.Attachment, error) {
	c, err := s.refChange(ctx, q.Realm, q.Message, q.Attachments)
	if err != nil || len(c.dropped) == 0 {
		return nil, err
	}
	files, err := s.Store.ReferredOnlyBy(ctx, q.Message, c.dropped)
	var out []message.Attachment
	for i := range files {
		if f := &files[i]; f.Owner == q.Owner {
			out = append(out, describe(f, []message.ID{}))
		}
	}
	return out, err
}

// edited updates a message's references after its content has changed.
func (s *Service) edited(ctx context.Context, m *message.Edited) error {
	if m.Before.Content == m.After.Content {
		return nil // moving a message does not change its references
	}
	return s.refer(ctx, m.Realm, m.After.ID, m.Attachments)
}

// refer makes the files with the given path IDs those to which a message refers.
func (s *Service) refer(ctx context.Context, r realm.ID, id message.ID, paths []string) error {
	c, err := s.refChange(ctx, r, id, paths)
	if err != nil {
		return err
	}
	refs := make([]store.Ref, len(c.added))
	for i := range c.added {
		refs[i] = store.Ref{File: c.added[i].ID, Message: id, Realm: r}
	}
	if err := s.addRefs(ctx, r, c.added, refs); err != nil || len(c.dropped) == 0 {
		return err
	}
	if err := s.Store.RemoveRefs(ctx, id, c.dropped); err != nil {
		return err
	}
	return s.expireUnreferenced(ctx, r, c.dropped, s.Clock.Now().Add(s.cfg.KeepUnused))
}

// deleted removes the references of messages, and the files that have no others.
func (s *Service) deleted(ctx context.Context, m *message.Deleted) error {
	ids := make([]message.ID, 0, len(m.Messages))
	for i := range m.Messages {
		ids = append(ids, m.Messages[i].ID)
	}
	refs, err := s.Store.RefsOf(ctx, ids)
	if err != nil || len(refs) == 0 {
		return err
	}
	if err := s.Store.RemoveRefsOf(ctx, ids); err != nil {
		return err
	}
	affected := make([]upload.ID, len(refs))
	for i := range refs {
		affected[i] = refs[i].File
	}
	slices.Sort(affected)
	affected = slices.Compact(affected)
	unreferenced, err := s.Store.Unreferenced(ctx, affected)
	if err != nil {
		return err
	}
	if err := s.removeUnreferenced(ctx, m.Realm, unreferenced); err != nil {
		return err
	}
	files, err := s.Store.ByIDs(ctx, affected)
	if err != nil {
		return err
	}
	return s.changed(ctx, m.Realm, files)
}

// expireUnreferenced schedules the removal of the files that have no references left, and notifies the owners of all of
// the given files.
func (s *Service) expireUnreferenced(ctx context.Context, r realm.ID, ids []upload.ID, until time.Time) error {
	if err := s.Store.ExpireUnreferenced(ctx, ids, until); err != nil {
		return err
	}
	files, err := s.Store.ByIDs(ctx, ids)
	if err != nil {
		return err
	}
	return s.changed(ctx, r, files)
}

// profileDeleted schedules the removal of a user's unreferenced and archived files when the user's data is deleted.
// Files that messages refer to are removed when the messages are deleted.
func (s *Service) profileDeleted(ctx context.Context, m *user.ProfileDeleted) error {
	if _, err := s.Log.Lock(ctx, m.Realm); err != nil {
		return err
	}
	if err := s.Store.ExpireArchivedOf(ctx, m.User.ID, s.Clock.Now()); err != nil {
		return err
	}
	return s.Store.ExpireUnreferencedOf(ctx, m.User.ID, s.Clock.Now())
}

// changed notifies the owners of files whose references have changed.
func (s *Service) changed(ctx context.Context, r realm.ID, files []upload.File) error {
	if len(files) == 0 {
		return nil
	}
	space, err := s.Store.Space(ctx, r)
	if err != nil {
		return err
	}
	events := make([]event.Event, len(files))
	for i := range files {
		events[i] = updated.To(r, event.To(files[i].Owner), fileUpdated{ID: files[i].ID, Space: space})
	}
	return s.Log.Append(ctx, events...)
}
