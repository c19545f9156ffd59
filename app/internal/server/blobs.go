package server

import (
	"context"
	"io"
	"reflect"
	"slices"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/internal/moving"
	"github.com/stoachat/stoa/app/internal/registry"
	"github.com/stoachat/stoa/domain/blob"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/ports"
)

// blobs counts the operations of a store.
type blobs struct {
	ports.Blobs
	done *ports.Counter // by operation and outcome
}

// linkedBlobs are blobs from which clients can fetch directly.
type linkedBlobs struct {
	blobs
	ports.BlobLinks
}

// movingBlobs are linkedBlobs that can be moved.
type movingBlobs struct {
	linkedBlobs
	ports.BlobMover
}

// storeOptions makes the store of blobs count its operations, and during a move combines it with the former one.
func storeOptions(plan registry.Plan, m *ports.Metrics) []fx.Option {
	i := slices.IndexFunc(plan, func(c registry.Chosen) bool {
		return slices.Contains(c.Provides, reflect.TypeFor[ports.Blobs]())
	})
	if i < 0 {
		return nil
	}
	measured := func(b ports.Blobs) ports.Blobs {
		if m == nil {
			return b
		}
		return measuredBlobs(b, m)
	}
	if plan[i].From == nil {
		return []fx.Option{fx.Decorate(measured)}
	}
	type both struct {
		fx.In
		To   ports.Blobs
		From ports.Blobs `name:"moving_from"`
	}
	return []fx.Option{fx.Decorate(func(s both) ports.Blobs { return measured(moving.New(s.From, s.To)) })}
}

// measuredBlobs returns a store whose operations are counted.
func measuredBlobs(b ports.Blobs, m *ports.Metrics) ports.Blobs {
	counted := blobs{b, m.Counter(ports.Instrument{
		Name: "stoa_blob_operations_total", Help: "Operations of the store of files. A missing file is no failure.",
		Labels: []ports.Label{{Name: "operation", Values: []string{"put", "open", "delete"}}, ports.Outcomes()},
	})}
	links, linked := b.(ports.BlobLinks)
	mover, moves := b.(ports.BlobMover)
	switch {
	case linked && moves:
		return movingBlobs{linkedBlobs{counted, links}, mover}
	case linked:
		return linkedBlobs{counted, links}
	}
	return counted
}

func (b blobs) unmeasured() ports.Blobs { return b.Blobs }

func (b blobs) count(operation string, err error) {
	if errs.Is(err, errs.NotFound) || errs.Is(err, errs.TooLarge) || errs.Is(err, errs.BadRequest) {
		err = nil
	}
	b.done.Add(1, operation, ports.Outcome(err))
}

// Put implements ports.Blobs.
func (b blobs) Put(ctx context.Context, key string, r io.Reader, limit int64) (blob.Info, error) {
	info, err := b.Blobs.Put(ctx, key, r, limit)
	b.count("put", err)
	return info, err
}

// Open implements ports.Blobs.
func (b blobs) Open(ctx context.Context, key string, from, n int64) (io.ReadCloser, blob.Info, error) {
	r, info, err := b.Blobs.Open(ctx, key, from, n)
	b.count("open", err)
	return r, info, err
}

// Delete implements ports.Blobs.
func (b blobs) Delete(ctx context.Context, keys ...string) error {
	err := b.Blobs.Delete(ctx, keys...)
	b.count("delete", err)
	return err
}
