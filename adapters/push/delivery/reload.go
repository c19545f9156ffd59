package delivery

import (
	"context"
	"log/slog"
	"sync/atomic"

	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/relay"
	"github.com/stoachat/stoa/ports"
)

// reloadable is a Delivery that can be replaced. Notifications that are being delivered keep the former one.
type reloadable struct {
	clock ports.Clock
	log   *slog.Logger
	now   atomic.Pointer[Delivery]
}

// Reload implements kit.Reloader.
func (r *reloadable) Reload(c Config) error {
	d, err := New(c, r.clock, r.log)
	if err == nil {
		r.now.Store(d)
	}
	return err
}

// Admit implements ports.PushDelivery.
func (r *reloadable) Admit(t relay.Target) error { return r.now.Load().Admit(t) }

// Deliver implements ports.PushDelivery.
func (r *reloadable) Deliver(ctx context.Context, all []relay.Delivery) []push.Outcome {
	return r.now.Load().Deliver(ctx, all)
}

// Check implements ports.PushDelivery.
func (r *reloadable) Check(ctx context.Context) error { return r.now.Load().Check(ctx) }
