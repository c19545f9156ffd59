package invites_test

import (
	"encoding/json"
	"testing"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/ports"
)

// A request whose API key is revoked while it runs must not leave a usable invitation.
func TestRevokedKey(t *testing.T) {
	s := start(t, "")
	s.link("adam")
	came, err := s.Ports.Authenticator.Authenticate(t.Context(), s.Realm, "adam@example.com", s.As("adam").Key())
	if err != nil {
		t.Fatal(err)
	}
	s.As("adam").Do("POST /users/me/api_key/regenerate").OK()
	late := map[string]string{
		"POST /invites":                       `{"invitee_emails":"eve@example.com","stream_ids":[]}`,
		"POST /invites/multiuse":              `{}`,
		"DELETE /invites/multiuse/:invite_id": `{"invite_id":1}`,
	}
	for _, e := range s.Ports.Collected.Endpoints {
		body, ok := late[e.Method+" "+e.Path]
		if !ok {
			continue
		}
		delete(late, e.Method+" "+e.Path)
		if _, err := e.Call(ports.WithCaller(t.Context(), came), came,
			func(req any) error { return json.Unmarshal([]byte(body), req) }); !errs.Is(err, errs.Unauthorized) {
			t.Errorf("%s %s: %v", e.Method, e.Path, err)
		}
	}
	if len(late) > 0 {
		t.Errorf("no such rows: %v", late)
	}
	if got := len(s.list("olga")); got != 1 {
		t.Errorf("%d invitations", got)
	}
	if got := s.sent(); len(got) != 0 {
		t.Errorf("%d mails", len(got))
	}
}
