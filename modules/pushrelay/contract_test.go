package pushrelay_test

import (
	"slices"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/push/delivery/deliverytest"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/relay"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// TestContract checks that the adapter that delivers through APNs, FCM and Web Push satisfies the contract of its port.
func TestContract(t *testing.T) {
	var d ports.PushDelivery
	hand := kit.Define("hand", "Hands a port to the test.", kit.None{}, func(_ kit.None, n struct {
		fx.In
		Delivery ports.PushDelivery
	},
	) (kit.Parts, error) {
		d = n.Delivery
		return kit.Parts{}, nil
	})
	r := start(t, "", "", hand)
	r.apns.refuse(apnsToken, refusal{status: 410, body: `{"reason":"Unregistered"}`})
	r.fcm.refuse("fcm:busy", slices.Repeat([]refusal{{status: 503}}, 99)...)
	deliverytest.Contract(t, d, relay.Target{Kind: push.FCM, Token: "fcm:1"},
		relay.Target{Kind: push.APNs, Token: apnsToken, AppID: app}, relay.Target{Kind: push.FCM, Token: "fcm:busy"})
}
