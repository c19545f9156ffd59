package reading

import (
	"context"
	"errors"
	"time"

	"github.com/stoachat/stoa/modules/kit"
)

// packing is the job that keeps what readers had to read from rows: a node that starts then has a chunk of facts with one row.
func (s *Service) packing() kit.Job {
	return kit.Job{Name: "facts", Every: time.Minute, Timeout: 10 * time.Minute, Everywhere: true, Run: s.pack}
}

// pack keeps the chunks that are worth it. Several nodes may do so at once.
func (s *Service) pack(ctx context.Context) error {
	var failed []error
	for _, k := range s.cache.due() {
		failed = append(failed, s.packOne(ctx, k))
	}
	return errors.Join(failed...)
}

// packOne reads a chunk after it is made sure that changes are noted, so that each change is either in what is kept or noted.
func (s *Service) packOne(ctx context.Context, k chunkKey) error {
	row, err := kit.Tx(ctx, s.needs.Work, func(ctx context.Context) (packedRow, error) {
		if _, err := s.needs.Log.Lock(ctx, k.Realm); err != nil {
			return packedRow{}, err
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
	if err != nil || !f.worth(s.cache.worth) { // another node was faster
		return err
	}
	return s.needs.Work.Do(ctx, func(ctx context.Context) error { return s.store.Keep(ctx, row, f) })
}
