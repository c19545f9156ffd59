package access_test

import (
	"context"
	"sync/atomic"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/relay"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// pushService replaces a push relay and accepts everything. It counts as configured only during some rows.
type pushService struct{ on atomic.Bool }

// module returns the module that provides p.
func (p *pushService) module() kit.Module {
	return kit.Adapter("push", "taking", "Takes notifications, for a test.", kit.None{},
		func(kit.None, struct{ fx.In }) (ports.PushService, error) { return p, nil })
}

// Configured implements ports.PushService.
func (p *pushService) Configured() bool { return p.on.Load() }

// Register implements ports.PushService.
func (p *pushService) Register(context.Context, push.ServiceRegistration) error { return nil }

// Notify implements ports.PushService.
func (p *pushService) Notify(_ context.Context, _ string, all []push.ServiceNotification) (push.ServiceReport, error) {
	return push.ServiceReport{FCM: len(all)}, nil
}

// delivering replaces a relay's services for delivering to devices.
type delivering struct{}

var deliveringModule = kit.Adapter("delivery", "taking", "Takes notifications, for a test.", kit.None{},
	func(kit.None, struct{ fx.In }) (ports.PushDelivery, error) { return delivering{}, nil })

// Admit implements ports.PushDelivery.
func (delivering) Admit(relay.Target) error { return nil }

// Deliver implements ports.PushDelivery.
func (delivering) Deliver(_ context.Context, all []relay.Delivery) []push.Outcome {
	return make([]push.Outcome, len(all))
}

// Check implements ports.PushDelivery.
func (delivering) Check(context.Context) error { return nil }
