// Package push answers clients that want to be woken by a service of their phone's maker (realm-and-rest.md §10). This server uses
// no push notification service: whoever registers is told so, and not that there is no such route.
package push

import (
	"context"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

// Module is the module.
var Module = kit.Define("push", "Says that the server uses no push notification service.", Config{}, wire)

// Config has no settings.
type Config struct{}

type needs struct{ fx.In }

func wire(Config, needs) (kit.Parts, error) {
	return kit.Parts{Endpoints: []kit.Endpoint{
		kit.POST("/mobile_push/register", kit.Humans, register, "Registers a device for encrypted push notifications."),
	}}, nil
}

// registration is what a device registers with: a key to encrypt for it, and a token by which it can be reached, or one of both.
type registration struct {
	Device       int64   `json:"device_id"`
	KeyID        *uint32 `json:"push_key_id"`
	Key          *string `json:"push_key"`
	TokenKind    *string `json:"token_kind"`
	TokenID      *string `json:"token_id"`
	BouncerKey   *string `json:"bouncer_public_key"`
	Registration *string `json:"encrypted_push_registration"`
}

// register is POST /mobile_push/register. Errors: PushNotConfigured.
func register(context.Context, kit.Actor, registration) (kit.None, error) {
	return kit.None{}, errs.New(errs.PushNotConfigured, "Server is not configured to use push notification service.")
}
