package absence

import (
	"context"
	"reflect"
	"time"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
)

// batch is the maximum number of messages that are looked up at once.
const batch = 500

// follow lets hooks follow the messages that were sent, edited or deleted since a time.
func (k *Keeper) follow(ctx context.Context, r realm.ID, since time.Time, hooks []kit.Hook) error {
	for _, h := range hooks {
		var err error
		switch {
		case h.Event == reflect.TypeFor[message.Missed]():
			err = k.changed(ctx, r, since, h)
		case h.Among != nil:
			err = k.gone(ctx, r, h)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// changed runs a hook for the messages that were sent or edited since a time.
func (k *Keeper) changed(ctx context.Context, r realm.ID, since time.Time, h kit.Hook) error {
	query := kit.QueryOf[message.ChangedSince, message.ChangedMessages](k.Collected)
	for after := message.ID(0); ; {
		found, ok, err := query.Ask(ctx, message.ChangedSince{Realm: r, Since: since, After: after})
		if err != nil || !ok || found.Upto == after {
			return err
		}
		if len(found.Messages) > 0 {
			if err := h.Run(ctx, &message.Missed{Realm: r, Messages: found.Messages}); err != nil {
				return err
			}
		}
		after = found.Upto
	}
}

// gone runs a hook for messages that no longer exist.
func (k *Keeper) gone(ctx context.Context, r realm.ID, h kit.Hook) error {
	query := kit.QueryOf[message.Gone, []message.ID](k.Collected)
	for after := message.ID(0); ; {
		ids, err := h.Among(ctx, r, after, batch)
		if err != nil || len(ids) == 0 {
			return err
		}
		after = ids[len(ids)-1]
		gone, _, err := query.Ask(ctx, message.Gone{Realm: r, Messages: ids})
		if err != nil {
			return err
		}
		if len(gone) == 0 {
			continue
		}
		deleted := &message.Deleted{Realm: r, Messages: make([]message.Message, len(gone))}
		for i, id := range gone {
			deleted.Messages[i].ID = id
		}
		if err := k.Work.Do(ctx, func(ctx context.Context) error {
			if _, err := k.Directory.View(ctx, r); err != nil { // locks the realm
				return err
			}
			return h.Run(ctx, deleted)
		}); err != nil {
			return err
		}
	}
}
