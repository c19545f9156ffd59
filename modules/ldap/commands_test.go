package ldap_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// command runs a command with flags, and decodes its output.
func command(t *testing.T, s *kittest.Server, name, flags string) (map[string]any, error) {
	t.Helper()
	c, ok := s.Ports.Collected.Command(name)
	if !ok {
		t.Fatalf("no command %s", name)
	}
	var text bytes.Buffer
	if err := c.Run(t.Context(), user.Actor{Realm: s.Realm, System: true}, []byte(flags), &text); err != nil {
		return nil, err
	}
	var out map[string]any
	return out, json.Unmarshal(text.Bytes(), &out)
}

func TestCommands(t *testing.T) {
	a := alice(nil)
	d := newDirectory(t, "127.0.0.1", true, a, members("Staff", a.dn))
	s := start(t, "", d, "group_filter: \"(member=%s)\"", "deny_groups: [Staff]")
	out, err := command(t, s, "ldap test", `{"Name":"alice"}`)
	if err != nil || out["decision"] != "refused by require_groups or deny_groups" || out["id"] != "id-of-alice" ||
		out["email"] != "alice@example.com" {
		t.Errorf("%v %v", out, err)
	}
	if _, err := command(t, s, "ldap test", `{"Name":"*"}`); err == nil {
		t.Error("found somebody with the name *")
	}
	d.set(func() { d.people = d.people[:1] }) // the service account is gone, and connections are open
	if out, err := command(t, s, "ldap test", `{"Name":"alice"}`); err != nil ||
		out["decision"] != "the account with the address alice@example.com is connected at the first login" {
		t.Errorf("%v %v", out, err)
	}
	if _, err := command(t, s, "ldap test", `{"Name":"alice","Directory":"other"}`); err == nil {
		t.Error("found a directory that is not configured")
	}
	if out, err := command(t, s, "ldap sync", `{}`); err != nil || out["updated"] != 0. {
		t.Errorf("%v %v", out, err)
	}
	s = start(t, "", d) // which refuses the service account
	if _, err := command(t, s, "ldap test", `{"Name":"alice"}`); !errs.Is(err, errs.BadRequest) {
		t.Errorf("%v", err)
	}
}
