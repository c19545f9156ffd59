package files

import (
	"context"
	"time"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
)

// Hooks are what happens to files when something else changes.
func (s *Service) Hooks() []kit.Hook { return []kit.Hook{kit.On(s.erase)} }

// Jobs are the jobs of files.
func (s *Service) Jobs() []kit.Job {
	return []kit.Job{{Name: "remove blobs", Every: 10 * time.Minute, Timeout: 30 * time.Minute, Run: s.removeBlobs}}
}

// erase removes the blobs of a realm that is deleted.
func (s *Service) erase(ctx context.Context, m *realm.Erasing) error {
	files, err := s.Store.OfRealm(ctx, m.Realm, removing)
	if err != nil {
		return err
	}
	noted, err := s.Store.BlobsOf(ctx, m.Realm, removing)
	if err != nil || len(files)+len(noted) == 0 {
		return err
	}
	keys := noted
	for i := range files {
		keys = append(keys, files[i].Key)
	}
	if err := s.Blobs.Delete(ctx, keys...); err != nil {
		return err
	}
	m.More = m.More || len(files) == removing || len(noted) == removing
	return s.Work.Do(ctx, func(ctx context.Context) error {
		if err := s.Store.ForgetBlobs(ctx, noted); err != nil {
			return err
		}
		return s.Store.Delete(ctx, idsOf(files))
	})
}
