package pushrelay_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/push"
)

// TestSlowAddresses checks that unresponsive endpoints of one server's devices do not delay notifications of other
// servers.
func TestSlowAddresses(t *testing.T) {
	r := start(t, kittest.Memory, "")
	r.RestartWith(strings.Replace(r.config, "retry: 1ms", "retry: 1ms\n    workers: 16", 1))
	r.register(push.FCM, "fcm:1")
	var slow []string
	for i := range 20 {
		web := r.device.Subscription(fmt.Sprintf("%s/push/%d", r.web.URL, i))
		r.register(push.Web, web)
		slow = append(slow, forWeb(web, "n1"))
	}
	r.web.hangs.Store(true)
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.notify(slow...)
	}()
	for r.web.waiting.Load() == 0 { // until the call has started
		select {
		case <-done:
			t.Fatal("the slow call has ended")
		default:
		}
	}
	r.notify(forFCM("fcm:1", "high")).Is(200, answer(1, 0, 0, "", ""))
	if n := r.web.waiting.Load(); n > 1 { // out of sixteen workers
		t.Errorf("the slow call blocked %d workers", n)
	}
	close(r.web.free)
	<-done
}
