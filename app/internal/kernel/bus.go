package kernel

import (
	"context"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/ports"
)

// databaseBus is the bus of servers that configure no other: PostgreSQL's notifications.
type databaseBus struct{ db *bunstore.DB }

const noticeChannel = "stoa" // in PostgreSQL

func (b databaseBus) Tell(ctx context.Context, text string) error {
	return b.db.Notify(ctx, noticeChannel, text)
}

func (b databaseBus) Listen(ctx context.Context, ready func(), received func(string)) error {
	return b.db.Listen(ctx, noticeChannel, ready, received)
}

func (databaseBus) Close() error { return nil } // the database closes it

// UseBus replaces PostgreSQL's notifications. On SQLite there are no other nodes to notify. Call it before Start.
func (k *Kernel) UseBus(b ports.Bus) {
	if k.bus != nil {
		k.bus = b
	}
}
