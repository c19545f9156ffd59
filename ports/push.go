package ports

import (
	"context"
	"crypto/ecdsa"

	"github.com/stoachat/stoa/domain/push"
)

// PushService hands notifications over to a service that delivers them to devices: a push relay, which alone holds the
// credentials of the apps and can open the devices' registrations. Calls are remote: never inside Do. adapter → push.
type PushService interface {
	// Configured reports whether the server uses a push service; without one every other method fails.
	Configured() bool
	// Register gives the service a device's sealed registration. A repeat is harmless. Errors: InvalidBouncerKey,
	// BadRequest and RequestExpired when the service refuses it for good; any other error may be over later.
	Register(ctx context.Context, r push.ServiceRegistration) error
	// Notify hands over notifications of one realm. Errors: PushDisallowed when the service won't deliver for the realm,
	// AdminAction when it doesn't know the realm; any other error may be over later. A repeat of what was delivered, with
	// the same data, is harmless.
	Notify(ctx context.Context, realmUUID string, all []push.ServiceNotification) (push.ServiceReport, error)
}

// WebPush delivers notifications to browsers and UnifiedPush distributors, without a relay. adapter → push.
type WebPush interface {
	// Configured reports whether notifications can be delivered; otherwise the other methods fail.
	Configured() bool
	// Admit refuses subscriptions whose address is not called. Errors: BadRequest.
	Admit(s push.Subscription) error
	// Deliver tries each notification once, and returns a result for each. key is the VAPID key that the subscriptions
	// were made for. Calls are remote: never inside Do.
	Deliver(ctx context.Context, key *ecdsa.PrivateKey, all []push.WebNotification) []push.WebResult
}
