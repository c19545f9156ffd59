package ports

import (
	"context"

	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/relay"
)

// PushDelivery delivers notifications to devices through their platforms' services. adapter → pushrelay. It isolates
// the services of the platforms.
type PushDelivery interface {
	// Admit refuses undeliverable targets: a token kind or an app that is not configured, or an internal address.
	// Errors: BadRequest.
	Admit(t relay.Target) error
	// Deliver sends notifications, and retries temporary refusals while ctx and the configuration allow it. It
	// returns an outcome for each. Calls are remote: never inside Do.
	Deliver(ctx context.Context, all []relay.Delivery) []push.Outcome
	// Check verifies the services' credentials; it may contact the services. Errors: which credentials fail, or that
	// none are configured.
	Check(ctx context.Context) error
}

// PushRelay administers the push relay of this server. pushrelay → commands. It is a port because it acts for commands
// of the server itself.
type PushRelay interface {
	// CreateKey creates the first key pair. Errors: BadRequest if one exists.
	CreateKey(ctx context.Context) (relay.Key, error)
	// RotateKey creates a new key pair. The previous one keeps opening registrations for the configured time. Errors:
	// BadRequest if there is none.
	RotateKey(ctx context.Context) (relay.Key, error)
	// Keys lists the key pairs, newest first.
	Keys(ctx context.Context) ([]relay.Key, error)
	// AddServer admits a server with a name and quotas, and returns the only copy of its key. Errors: BadRequest for
	// an invalid or used name.
	AddServer(ctx context.Context, s relay.Server) (relay.Credentials, error)
	// Servers lists the servers that are allowed to use the relay, in order of name.
	Servers(ctx context.Context) ([]relay.Server, error)
	// RemoveServer revokes a server's access immediately; its registrations are deleted soon after. Errors: BadRequest
	// for an unknown name.
	RemoveServer(ctx context.Context, name string) error
}
