package accounts_test

import (
	"reflect"
	"testing"
)

// Every endpoint that accepts the old password counts failures. Otherwise a stolen API key would allow guessing the
// password.
func TestOldPasswordsAreCounted(t *testing.T) {
	s := start(t)
	rows := 0
	for _, e := range s.Ports.Collected.Endpoints {
		if e.Req == nil || e.Req.Kind() != reflect.Struct {
			continue
		}
		for _, f := range reflect.VisibleFields(e.Req) {
			if f.Tag.Get("json") == "old_password" {
				if rows++; e.PasswordParam != "old_password" {
					t.Errorf("%s %s accepts old_password without counting it", e.Method, e.Path)
				}
			}
		}
	}
	if rows != 3 {
		t.Errorf("%d endpoints accept old_password", rows)
	}
}
