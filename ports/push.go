package ports

import (
	"context"
	"crypto/ecdsa"

	"github.com/stoachat/stoa/domain/push"
)

// PushService sends notifications to a push relay, which delivers them to devices: only the relay holds the apps'
// credentials and can open the devices' registrations. Calls are remote: never inside Do. adapter → push. It isolates
// the protocol of the relay.
type PushService interface {
	// Configured reports whether the server uses a push service; without one every other method fails.
	Configured() bool
	// Register passes a device's sealed registration to the service. Repeating it is harmless. Errors:
	// InvalidBouncerKey, BadRequest and RequestExpired when the service refuses it permanently; any other error may
	// be temporary.
	Register(ctx context.Context, r push.ServiceRegistration) error
	// Notify passes on notifications of one realm. Errors: PushDisallowed when the service won't deliver for the
	// realm, AdminAction when it doesn't know the realm; any other error may be temporary. Repeating delivered
	// notifications with the same data is harmless.
	Notify(ctx context.Context, realmUUID string, all []push.ServiceNotification) (push.ServiceReport, error)
}

// WebPush delivers notifications to browsers and UnifiedPush distributors, without a relay. adapter → push. It isolates
// the Web Push protocol.
type WebPush interface {
	// Configured reports whether notifications can be delivered; otherwise the other methods fail.
	Configured() bool
	// Admit refuses subscriptions whose endpoint must not be called. Errors: BadRequest.
	Admit(s push.Subscription) error
	// Deliver tries each notification once and returns a result for each. key is the VAPID key that the subscriptions
	// were created with. Calls are remote: never inside Do.
	Deliver(ctx context.Context, key *ecdsa.PrivateKey, all []push.WebNotification) []push.WebResult
}
