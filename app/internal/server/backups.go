package server

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/stoachat/stoa/app/internal/backup"
	"github.com/stoachat/stoa/modules/kit"
)

// perPage is how many keys one query reads from the database.
const perPage = 1000

// ReferencedBlobs yields the keys of all blobs that any module's rows refer to, in byte order.
func (s *Server) ReferencedBlobs(ctx context.Context) iter.Seq2[kit.BlobKey, error] {
	var sources []kit.BlobKeys
	for _, m := range s.modules.Modules {
		sources = append(sources, m.Parts.Blobs...)
	}
	slices.SortFunc(sources, func(a, b kit.BlobKeys) int { return strings.Compare(a.Prefix, b.Prefix) })
	return func(yield func(kit.BlobKey, error) bool) {
		for _, src := range sources {
			for after := ""; ; {
				page, err := src.List(ctx, after, perPage)
				if err != nil {
					yield(kit.BlobKey{}, err)
					return
				}
				if len(page) == 0 {
					break
				}
				for _, k := range page {
					if !yield(k, nil) {
						return
					}
				}
				after = page[len(page)-1].Key
			}
		}
	}
}

// BackupSource returns this server as the source of a backup.
func (s *Server) BackupSource() (backup.Source, error) {
	text, err := s.SecretText()
	if err != nil {
		return backup.Source{}, err
	}
	config, err := s.Config.Print()
	if err != nil {
		return backup.Source{}, err
	}
	return backup.Source{
		DB: s.db, Blobs: s.Ports.Blobs, Keys: s.ReferencedBlobs, Clock: s.options.Clock, Version: s.options.Version,
		Secret: text, Config: config, Progress: func(string, int, int) {},
	}, nil
}

// RestoreTarget returns this server as the target of a restore.
func (s *Server) RestoreTarget() backup.Target {
	return backup.Target{
		DB: s.db, Blobs: s.Ports.Blobs, Migrations: s.Migrations(), Tables: s.modules.Tables(), Clock: s.options.Clock,
		DataDir: s.Config.Settings.DataDir, Secret: string(s.Config.Settings.Secret),
		Finish: func(ctx context.Context, m *backup.Manifest, source string) error {
			return s.FinishRestore(ctx, m.Began, source)
		},
	}
}
