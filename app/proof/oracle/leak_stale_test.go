package oracle_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// Permissions are checked again when a change is made. A user who has been deactivated or has lost a role since the
// request began changes nothing.
func TestPermissionsAreRechecked(t *testing.T) {
	s := sequential(t)
	stale := s.Actor("adam")
	s.As("olga").Do(fmt.Sprintf("PATCH /users/%d", s.UserID("adam")), "role", "400").OK()
	try := func(t *testing.T, name, call string, who user.Actor, fields map[string]any) {
		t.Run(name, func(t *testing.T) {
			s.Skip()
			tried := false
			for _, e := range s.Ports.Collected.Endpoints {
				if e.Method+" "+e.Path != call {
					continue
				}
				tried = true
				_, err := e.Call(t.Context(), who, filled(fields))
				var refusal *errs.Error
				if !errors.As(err, &refusal) {
					t.Errorf("%s: %v, want a refusal", call, err)
				}
				s.In(t).NoEvents()
			}
			if !tried {
				t.Errorf("%s does not exist", call)
			}
		})
	}
	type request struct {
		call   string
		fields map[string]any
	}
	calls := []request{
		{"POST /users", map[string]any{"email": "new@example.com", "full_name": "New", "password": "correct horse battery"}},
		{"PATCH /realm", map[string]any{"name": ptr("Sophists")}},
		{"PATCH /users/:user_id", map[string]any{"user_id": fmt.Sprint(s.UserID("bob")), "full_name": ptr("Robert")}},
		{"DELETE /users/:user_id", map[string]any{"user_id": s.UserID("bob")}},
	}
	for _, c := range calls {
		try(t, "no longer an administrator "+c.call, c.call, stale, c.fields)
	}
	s.As("olga").Do(fmt.Sprintf("PATCH /users/%d", s.UserID("adam")), "role", "100").OK()
	stale = s.Actor("adam")
	stale.Role = user.Owner
	s.As("olga").Do(fmt.Sprintf("DELETE /users/%d", s.UserID("adam"))).OK()
	for _, c := range append(calls,
		request{"PATCH /settings", map[string]any{"full_name": ptr("Ghost")}},
		request{"POST /users/me/api_key/regenerate", nil},
		request{"POST /users/:user_id/reactivate", map[string]any{"user_id": s.UserID("adam")}},
	) {
		try(t, "no longer active "+c.call, c.call, stale, c.fields)
	}
}

func ptr[T any](v T) *T { return &v }

// filled returns a function that sets a request's fields by wire name.
func filled(fields map[string]any) func(any) error {
	return func(req any) error {
		v := reflect.ValueOf(req).Elem()
		for f := range v.Type().Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if x, ok := fields[name]; ok {
				v.FieldByIndex(f.Index).Set(reflect.ValueOf(x))
			}
		}
		return nil
	}
}
