package readstate

import (
	"context"
	"errors"
	"time"

	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// packer stores chunks of facts in packed form in the database.
type packer struct {
	facts  factStore
	finder *finder
	work   ports.UnitOfWork
	log    ports.EventLog
}

// jobs returns the jobs that pack chunks. One packs chunks that requests had to read from many rows, so that a starting
// node can read each from a single row. The other repacks changed chunks, since deleted messages must not remain in
// chunks that no one requests.
func (p *packer) jobs() []kit.Job {
	return []kit.Job{
		{Name: "facts", Every: time.Minute, Timeout: 10 * time.Minute, Everywhere: true, Run: p.pack},
		{Name: "changed facts", Every: 24 * time.Hour, Timeout: time.Hour, Run: p.repack},
	}
}

// pack packs the chunks that are worth packing. Several nodes may do so concurrently.
func (p *packer) pack(ctx context.Context) error {
	return p.packAll(ctx, p.finder.cache.takeWorthPacking(), p.finder.cache.packThreshold)
}

// repackedPerDay is the maximum number of changed chunks packed per day.
const repackedPerDay = 500

func (p *packer) repack(ctx context.Context) error {
	changed, err := p.facts.changed(ctx, repackedPerDay)
	if err != nil {
		return err
	}
	return p.packAll(ctx, changed, 0)
}

func (p *packer) packAll(ctx context.Context, all []chunkKey, threshold int) error {
	var failed []error
	for _, k := range all {
		if err := p.packOne(ctx, k, threshold); err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// packOne packs a chunk. It first ensures that changes of the chunk are recorded from then on, so that each change is
// either contained in the packed chunk or recorded.
func (p *packer) packOne(ctx context.Context, k chunkKey, threshold int) error {
	at, err := kit.Tx(ctx, p.work, func(ctx context.Context) (changesRow, error) {
		if _, err := p.log.Lock(ctx, k.Realm); err != nil {
			return changesRow{}, err
		}
		return p.facts.trackChanges(ctx, k.Realm, k.Chunk)
	})
	if err != nil {
		return err
	}
	var f *facts
	err = p.work.Snapshot(ctx, k.Realm, func(ctx context.Context) error {
		f, err = p.facts.chunk(ctx, k.Realm, k.Chunk)
		return err
	})
	if err != nil {
		return err
	}
	defer p.finder.cache.markPacked(k, len(f.list))
	if !f.worthPacking(threshold) { // another node has packed it
		return nil
	}
	head, list, err := f.pack()
	if err != nil {
		return err
	}
	return p.work.Do(ctx, func(ctx context.Context) error { return p.facts.storePacked(ctx, at, head, list) })
}
