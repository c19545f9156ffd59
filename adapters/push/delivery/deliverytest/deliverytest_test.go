package deliverytest_test

import (
	"testing"

	"github.com/stoachat/stoa/adapters/push/delivery/deliverytest"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/relay"
)

func TestFake(t *testing.T) {
	to := func(token string) relay.Target { return relay.Target{Kind: push.FCM, Token: token} }
	deliverytest.Contract(t, deliverytest.Fake{}, to("one"), to(deliverytest.Dead), to(deliverytest.Later))
}
