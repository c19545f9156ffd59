package files

import (
	"context"
	"net/url"
	"regexp"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/scheduled"
	"github.com/stoachat/stoa/domain/upload"
	"github.com/stoachat/stoa/modules/uploads/internal/store"
)

// A scheduled message prevents the removal of its sender's files that are linked in it. It grants no access to them.
// When it is sent, the references of the new message replace those of the scheduled one.

// maxScheduled is the maximum number of links considered in one scheduled message.
const maxScheduled = 100

var uploadLink = regexp.MustCompile(`/user_uploads/([^\s()<>"'\]]+)`)

func (s *Service) scheduled(ctx context.Context, m *scheduled.Created) error {
	return s.addScheduledRefs(ctx, m.Message)
}

func (s *Service) rescheduled(ctx context.Context, m *scheduled.Changed) error {
	if m.Old.Content == m.New.Content {
		return nil
	}
	if err := s.removeScheduledRefs(ctx, []scheduled.ID{m.New.ID}); err != nil {
		return err
	}
	return s.addScheduledRefs(ctx, m.New)
}

func (s *Service) unscheduled(ctx context.Context, m *scheduled.Removed) error {
	return s.removeScheduledRefs(ctx, m.IDs)
}

// addScheduledRefs stores references to the files linked in a scheduled message.
func (s *Service) addScheduledRefs(ctx context.Context, m scheduled.Message) error {
	paths := linked(m.Realm, m.Content)
	if len(paths) == 0 {
		return nil
	}
	files, err := s.Store.ByPaths(ctx, m.Realm, paths)
	if err != nil {
		return err
	}
	var refs []store.ScheduledRef
	var own []upload.ID
	for i := range files {
		if f := &files[i]; f.Owner == m.Sender {
			own = append(own, f.ID)
			refs = append(refs, store.ScheduledRef{File: f.ID, Scheduled: m.ID, Realm: m.Realm})
		}
	}
	if len(refs) == 0 {
		return nil
	}
	if err := s.Store.AddScheduledRefs(ctx, refs); err != nil {
		return err
	}
	return s.Store.KeepReferenced(ctx, own)
}

// removeScheduledRefs removes the references of scheduled messages. Files without other references are removed after
// KeepUnused, unless a message refers to them later.
func (s *Service) removeScheduledRefs(ctx context.Context, ids []scheduled.ID) error {
	files, err := s.Store.RemoveScheduledRefs(ctx, ids)
	if err != nil || len(files) == 0 {
		return err
	}
	err = s.Store.ExpireUnreferenced(ctx, files, s.Clock.Now().Add(s.cfg.KeepUnused))
	return err
}

// linked returns the path IDs of a realm's files that a text links to.
func linked(r realm.ID, text string) []string {
	var paths []string
	for _, found := range uploadLink.FindAllStringSubmatch(text, maxScheduled) {
		path, err := url.PathUnescape(found[1])
		if err == nil && upload.CheckPathID(r, path) {
			paths = append(paths, path)
		}
	}
	return paths
}
