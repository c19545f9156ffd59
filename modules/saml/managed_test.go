package saml_test

import (
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// TestManaged refuses changes by hand of what the provider says at each login.
func TestManaged(t *testing.T) {
	p := newIDP(t)
	s := start(t, "", p, "groups_map: {staff: Staff}", "roles_map: {admins: admin}", "name_attributes: [first]")
	s.As("olga").Do("POST /user_groups/create", "name", "Staff", "description", "", "members", "[]").OK()
	path := kittest.JSON(s.UserID("alice"))
	s.As("alice").Do("PATCH /settings", "full_name", "Al").OK()
	shown := func(want string) {
		t.Helper()
		s.As("olga").Do("GET /stoa/identities/users/"+path).Is(200, `{"result":"success","msg":"",`+want+`}`)
	}
	shown(`"managed_by":"","managed_fields":[]`)
	p.person = []string{"email", "alice@example.com", "first", "Ada", "groups", "staff"}
	login := func() {
		t.Helper()
		if a := newBrowser(s).login(p, ""); a.status != 302 {
			t.Fatalf("%v", a)
		}
	}
	login()
	shown(`"managed_by":"Corp","managed_fields":["full_name"]`)
	const elsewhere = "managed by Corp. Change its name there."
	s.As("alice").Do("PATCH /settings", "full_name", "Al").Error(400, "BAD_REQUEST", elsewhere)
	s.As("olga").Do("PATCH /users/"+path, "full_name", "Al").Error(400, "BAD_REQUEST", elsewhere)
	s.As("olga").Do("PATCH /users/"+path, "role", "200").Error(400, "BAD_REQUEST", "Change its role there.")
	s.As("olga").Do("PATCH /users/"+path, "role", "300").OK() // which the provider does not give
	members := "POST /user_groups/" + groupID(s, "Staff") + "/members"
	s.As("olga").Do(members, "delete", "["+path+"]").Error(400, "BAD_REQUEST", "Corp says who is in this user group")
	s.As("olga").Do(members, "add", "["+kittest.JSON(s.UserID("bob"))+"]").OK() // who is not connected

	p.person = []string{"email", "alice@example.com", "first", "Augusta", "groups",
		"staff</saml:AttributeValue><saml:AttributeValue>admins"}
	login()
	shown(`"managed_by":"Corp","managed_fields":["full_name","role"]`)
	if got := s.As("alice").Do("GET /users/me").OK(); got.String("full_name") != "Augusta" || got.Int("role") != 200 {
		t.Error(got.Body)
	}
	s.As("olga").Do("PATCH /users/"+path, "role", "400").Error(400, "BAD_REQUEST", "Change its role there.")
	s.As("olga").Do("PATCH /users/"+path, "role", "100").OK()
	shown(`"managed_by":"Corp","managed_fields":["full_name"]`)
	s.As("bob").Do("GET /stoa/identities/users/"+path).Error(400, "UNAUTHORIZED_PRINCIPAL", "")
	s.As("olga").Do("GET /stoa/identities/users/987654321").Error(400, "BAD_REQUEST", "No such user")
	s.As("olga").Do("DELETE /users/" + path).OK()
}

// groupID returns the ID of a user group.
func groupID(s *kittest.Server, name string) string {
	s.T.Helper()
	var all struct {
		Groups []struct {
			ID   int64  `json:"id"`
			Name string `json:"name"`
		} `json:"user_groups"`
	}
	s.As("olga").Do("GET /user_groups").OK().JSON(&all)
	for _, g := range all.Groups {
		if g.Name == name {
			return kittest.JSON(g.ID)
		}
	}
	return "0"
}
