package push_test

import (
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/push"
)

func TestModule(t *testing.T) { kittest.Check(t, push.Module) }

func TestRegister(t *testing.T) {
	s := kittest.Start(t, push.Module)
	const path, code = "POST /mobile_push/register", "PUSH_SERVICE_NOT_CONFIGURED"
	whole := []string{"device_id", "1", "push_key_id", "4294967295", "push_key", "MQ==", "token_kind", "fcm", "token_id", "AAAAAAAAAAA=",
		"bouncer_public_key", "AA==", "encrypted_push_registration", "AA=="}
	for _, c := range []struct {
		who       string
		params    []string
		code, msg string
	}{
		{"alice", whole, code, "Server is not configured to use push notification service."},
		{"guest", whole[:2], code, ""},
		{"alice", nil, "REQUEST_VARIABLE_MISSING", "Missing 'device_id' argument"},
		{"alice", []string{"device_id", "one"}, "BAD_REQUEST", ""},
		{"alice", []string{"device_id", "1", "push_key_id", "4294967296"}, "BAD_REQUEST", "push_key_id is not an integer"},
		{"alice", []string{"device_id", "1", "push_key_id", "-1"}, "BAD_REQUEST", "push_key_id is not an integer"},
		{"bot", whole, "BAD_REQUEST", ""},
	} {
		s.In(t).As(c.who).Do(path, c.params...).Error(400, c.code, c.msg)
	}
	s.Anonymous().Do(path, whole...).Error(401, "UNAUTHORIZED", "")
	s.Events()
}
