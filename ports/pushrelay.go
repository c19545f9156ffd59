package ports

import (
	"context"

	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/relay"
)

// PushDelivery delivers notifications to devices, through the services of their platforms. adapter → pushrelay.
type PushDelivery interface {
	// Admit refuses targets that nothing can be delivered to: a kind of token or an app that is not configured, or an
	// address inside the network. Errors: BadRequest.
	Admit(t relay.Target) error
	// Deliver hands over notifications, and repeats those that a service does not take now while ctx and the
	// configuration allow it. It gives an outcome for each. Calls are remote: never inside Do.
	Deliver(ctx context.Context, all []relay.Delivery) []push.Outcome
	// Check reports whether the credentials for the services work; it may ask them. Errors: which do not, or that
	// there are none.
	Check(ctx context.Context) error
}

// PushRelay administers the push relay of this server. pushrelay → commands.
type PushRelay interface {
	// CreateKey creates the first key pair. Errors: BadRequest if one exists.
	CreateKey(ctx context.Context) (relay.Key, error)
	// RotateKey creates a new key pair. The former one keeps opening registrations for the configured time.
	// Errors: BadRequest if there is none.
	RotateKey(ctx context.Context) (relay.Key, error)
	// Keys lists the key pairs, the newest first.
	Keys(ctx context.Context) ([]relay.Key, error)
	// AddServer admits a server, by its Name and quotas, and gives the only copy of its key. Errors: BadRequest for a
	// name that is in use or can't be one.
	AddServer(ctx context.Context, s relay.Server) (relay.Credentials, error)
	// Servers lists the servers that may use the relay by name.
	Servers(ctx context.Context) ([]relay.Server, error)
	// RemoveServer refuses a server from now on; its registrations are deleted soon. Errors: BadRequest for an unknown
	// name.
	RemoveServer(ctx context.Context, name string) error
}
