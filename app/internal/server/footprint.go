package server

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"slices"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/app/internal/nodes"
	"github.com/stoachat/stoa/app/internal/registry"
	"github.com/stoachat/stoa/modules/kit"
)

// Footprint returns how many bytes of memory the configured modules and adapters, but for those whose sections are
// named, occupy once they are assembled. It assembles them on an empty database in memory, and starts nothing.
func (c Config) Footprint(ctx context.Context, without ...string) (bytes int64, err error) {
	c.Plan = slices.DeleteFunc(slices.Clone(c.Plan), func(m registry.Chosen) bool {
		return slices.Contains(without, m.Path)
	})
	db, err := bunstore.Open(ctx, bunstore.Config{URL: "sqlite::memory:"})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	log := slog.New(slog.DiscardHandler)
	node := nodes.New(nodes.Options{DB: db, Clock: stoppedClock{}, Log: log})
	before := heap()
	a, err := assemble(c, db, stoppedClock{}, log, "", node, nil, nil, kit.Parts{}, false)
	if err != nil {
		return 0, err
	}
	after := heap()
	runtime.KeepAlive(a)
	return after - before, nil
}

// heap returns the bytes of reachable objects.
func heap() int64 {
	runtime.GC()
	runtime.GC() // frees what finalizers held during the first collection
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
