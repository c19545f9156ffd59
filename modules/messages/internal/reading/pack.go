package reading

import (
	"context"
	"errors"
	"time"

	"github.com/stoachat/stoa/modules/kit"
)

// packing is the jobs that keep facts packed. One keeps what readers had to read from rows: a node that starts then has
// a chunk with one row. The other packs again what has changed: what is deleted must not stay there, if nobody reads
// it.
func (s *Service) packing() []kit.Job {
	return []kit.Job{
		{Name: "facts", Every: time.Minute, Timeout: 10 * time.Minute, Everywhere: true, Run: s.pack},
		{Name: "changed facts", Every: 24 * time.Hour, Timeout: time.Hour, Run: s.packAgain},
	}
}

// pack keeps the chunks that are worth it. Several nodes may do so at once.
func (s *Service) pack(ctx context.Context) error {
	return s.packAll(ctx, s.cache.due(), s.cache.worth)
}

// perDay is how many chunks are packed again in a day.
const perDay = 500

func (s *Service) packAgain(ctx context.Context) error {
	changed, err := s.store.Changed(ctx, perDay)
	if err != nil {
		return err
	}
	return s.packAll(ctx, changed, 0)
}

func (s *Service) packAll(ctx context.Context, all []chunkKey, worth int) error {
	var failed []error
	for _, k := range all {
		if err := s.packOne(ctx, k, worth); err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// packOne reads a chunk after it is made sure that changes are noted, so that each change is either in what is kept or
// noted.
func (s *Service) packOne(ctx context.Context, k chunkKey, worth int) error {
	at, err := kit.Tx(ctx, s.needs.Work, func(ctx context.Context) (changesRow, error) {
		if _, err := s.needs.Log.Lock(ctx, k.Realm); err != nil {
			return changesRow{}, err
		}
		return s.store.Reserve(ctx, k.Realm, k.Chunk)
	})
	if err != nil {
		return err
	}
	var f *facts
	err = s.needs.Work.Snapshot(ctx, k.Realm, func(ctx context.Context) error {
		f, err = s.store.Chunk(ctx, k.Realm, k.Chunk)
		return err
	})
	if err != nil {
		return err
	}
	defer s.cache.packed(k, len(f.list))
	if !f.worth(worth) { // another node was faster
		return nil
	}
	head, list, err := f.pack()
	if err != nil {
		return err
	}
	return s.needs.Work.Do(ctx, func(ctx context.Context) error { return s.store.Keep(ctx, at, head, list) })
}
