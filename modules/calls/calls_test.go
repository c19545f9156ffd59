package calls_test

import (
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/calls"
)

func TestModule(t *testing.T) { kittest.Check(t, calls.Module) }

// If no video call service is configured, all users get a specific error.
func TestNoService(t *testing.T) {
	s := kittest.Start(t, calls.Module)
	for _, c := range []struct {
		call, msg string
		params    []string
	}{
		{"GET /calls/bigbluebutton/create", "BigBlueButton is not configured.",
			[]string{"meeting_name", "general", "voice_only", "true"}},
		{"POST /calls/zoom/create", "Zoom is not configured.", nil},
		{"POST /calls/constructorgroups/create", "Constructor Groups is not configured.", nil},
		{"POST /calls/nextcloud_talk/create", "Nextcloud Talk is not configured.", []string{"room_name", "general"}},
		{"POST /calls/webex/create", "Webex is not configured.", nil},
	} {
		for _, who := range []string{"alice", "guest", "bot"} {
			s.As(who).Do(c.call, c.params...).Error(400, "BAD_REQUEST", c.msg)
		}
		s.Anonymous().Do(c.call, c.params...).Error(401, "UNAUTHORIZED", "")
		if len(c.params) > 0 {
			s.As("alice").Do(c.call).Error(400, "REQUEST_VARIABLE_MISSING", "")
		}
	}
	s.Events()
}
