// Package deliverytest contains the contract test for ports.PushDelivery, and a fake.
package deliverytest

import (
	"context"
	"slices"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/relay"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Contract tests a ports.PushDelivery with the devices of a test: one that is reached, one whose token is dead, and one
// that its service does not accept notifications for at the moment.
func Contract(t *testing.T, d ports.PushDelivery, reached, dead, later relay.Target) {
	t.Helper()
	if err := d.Check(t.Context()); err != nil {
		t.Error(err)
	}
	for _, to := range []relay.Target{reached, dead, later} {
		if err := d.Admit(to); err != nil {
			t.Errorf("%+v: %v", to, err)
		}
	}
	for _, to := range []relay.Target{{}, {Kind: "other", Token: reached.Token}} {
		if err := d.Admit(to); !errs.Is(err, errs.BadRequest) {
			t.Errorf("%+v: %v", to, err)
		}
	}
	var all []relay.Delivery
	for _, to := range []relay.Target{dead, reached, later, reached} {
		all = append(all, relay.Delivery{
			Target: to, Urgent: true, KeyID: 7, Data: "ZGF0YQ==", Collapse: "abcdefghijklmnopqrstuvwxyz012345",
		})
	}
	want := []push.Outcome{push.Dead, push.Delivered, push.Later, push.Delivered}
	if got := d.Deliver(t.Context(), all); !slices.Equal(got, want) {
		t.Errorf("outcomes %v, want %v", got, want)
	}
	if got := d.Deliver(t.Context(), nil); len(got) != 0 {
		t.Errorf("outcomes of nothing: %v", got)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if got := d.Deliver(ended, all[1:2]); !slices.Equal(got, []push.Outcome{push.Later}) {
		t.Errorf("without time: %v", got)
	}
}

// Tokens that the Fake treats specially.
const (
	Dead  = "dead"
	Later = "later"
)

// Fake reaches all devices but those with special tokens.
type Fake struct{}

// Module provides a Fake to a test's server.
var Module = kit.Adapter("delivery", "fake", "Reaches all devices, for a test.", kit.None{},
	func(kit.None, struct{ fx.In }) (ports.PushDelivery, error) { return Fake{}, nil })

// Admit implements ports.PushDelivery.
func (Fake) Admit(t relay.Target) error {
	if t.Token == "" || !slices.Contains([]push.TokenKind{push.APNs, push.FCM, push.Web}, t.Kind) {
		return errs.Bad("Invalid target")
	}
	return nil
}

// Deliver implements ports.PushDelivery.
func (Fake) Deliver(ctx context.Context, all []relay.Delivery) []push.Outcome {
	out := make([]push.Outcome, len(all)) // Later
	for i, d := range all {
		switch {
		case ctx.Err() != nil, d.Token == Later:
		case d.Token == Dead:
			out[i] = push.Dead
		default:
			out[i] = push.Delivered
		}
	}
	return out
}

// Check implements ports.PushDelivery.
func (Fake) Check(context.Context) error { return nil }
