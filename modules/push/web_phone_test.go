package push_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// TestWebPushBesidePhone checks that while the push relay for a phone is down, a browser gets the notification of a
// message exactly once, and its withdrawal when the message is read. The phone then never gets either.
func TestWebPushBesidePhone(t *testing.T) {
	r := newRelay(t)
	w := startBrowsers(t, kittest.Memory,
		fmt.Sprintf(", push: {use: relay, url: %q, server_id: server-1, server_key: secret-1}", r.URL))
	bob := w.As("bob")
	device := fmt.Sprint(bob.Do("POST /register_client_device").OK().Int("device_id"))
	bob.Do("POST /mobile_push/register", append([]string{"device_id", device},
		append(keyFields(1, 'a'), tokenFields("phone")...)...)...).OK()
	w.RunJob("push.forward")
	w.subscribe("bob", w.browser("/browser"), "can_withdraw", "true")
	r.setAnswer(503, "")
	id := w.direct("hello")
	var seen []string
	run := func() {
		got, _ := w.sent()
		for _, m := range got {
			seen = append(seen, m.payload.Type)
		}
		w.Clock.Advance(10 * time.Minute)
	}
	for range 5 {
		run()
	}
	w.read(id)
	r.setAnswer(0, "")
	r.notified = nil
	run()
	run()
	if got := strings.Join(seen, " "); got != "message remove" {
		t.Errorf("the browser was sent %s", got)
	}
	for _, n := range r.notified {
		var sent struct {
			Payload struct {
				Data string `json:"encrypted_data"`
			} `json:"payload"`
		}
		if err := json.Unmarshal(n, &sent); err != nil ||
			!strings.Contains(decrypt(t, sent.Payload.Data, 'a'), `"type":"remove"`) {
			t.Errorf("the phone was sent %s", n)
		}
	}
}
