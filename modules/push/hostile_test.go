package push_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// TestSlowService checks that the unresponsive push service of one device does not delay notifications for other
// devices, and that notifications which it did not accept are retried.
func TestSlowService(t *testing.T) {
	w := startBrowsersWith(t, kittest.Memory, "first_try: 3s")
	w.subscribe("bob", w.browser("/hangs"))
	w.subscribe("bob", w.browser("/good"))
	w.direct("both work")
	if got, _ := w.sent(); len(got) != 2 {
		t.Fatalf("sent %+v", got)
	}
	w.push.mu.Lock()
	w.push.hangs = "/hangs"
	w.push.mu.Unlock()
	w.direct("hello")
	begun := time.Now()
	w.RunJob("notifications.judge notifications")
	w.RunJob("push.push notifications")
	if got, _ := w.push.takeMessages(); len(got) != 1 || got[0].path != "/good" {
		t.Errorf("sent %+v", got)
	}
	if passed := time.Since(begun); passed > 30*time.Second { // the adapter's own timeout is a minute
		t.Errorf("others waited for %v", passed)
	}
	w.push.mu.Lock()
	w.push.hangs = ""
	w.push.mu.Unlock()
	w.Clock.Advance(time.Minute)
	if got, _ := w.sent(); len(got) != 1 || got[0].path != "/hangs" || got[0].payload.Content != "hello" {
		t.Errorf("repeated %+v", got)
	}
}

// TestHourlyLimits checks that no user can use up the server's quota of its push service, or make the server send many
// requests to a URL.
func TestHourlyLimits(t *testing.T) {
	r := newRelay(t)
	s := start(t, "", r)
	bob := s.As("bob")
	id := fmt.Sprint(bob.Do("POST /register_client_device").OK().Int("device_id"))
	r.setAnswer(400, `{"result":"error","msg":"no","code":"BAD_REQUEST"}`)
	register := func(i int) *kittest.Response {
		fields := append([]string{"device_id", id}, append(keyFields(1, 'a'), tokenFields(fmt.Sprint("token", i))...)...)
		return bob.Do("POST /mobile_push/register", fields...)
	}
	for i := range 60 {
		register(i).OK()
		s.RunJob("push.forward")
	}
	s.Skip()
	register(60).Error(429, "RATE_LIMIT_HIT", "")
	s.NoEvents()
	if got := len(r.takeCalls()); got != 60 {
		t.Errorf("the relay was called %d times", got)
	}
	for range 60 {
		bob.Do("POST /mobile_push/e2ee/test_notification").Error(400, "NO_ACTIVE_PUSH_DEVICE", "")
	}
	bob.Do("POST /mobile_push/e2ee/test_notification").Error(429, "RATE_LIMIT_HIT", "")
	s.As("alice").Do("POST /mobile_push/e2ee/test_notification").Error(400, "NO_ACTIVE_PUSH_DEVICE", "")
	s.Clock.Advance(time.Hour)
	register(61).OK()
	bob.Do("POST /mobile_push/e2ee/test_notification").Error(400, "NO_ACTIVE_PUSH_DEVICE", "")
}
