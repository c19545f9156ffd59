package realm_test

import (
	"fmt"
	"testing"
)

// A permission that must not be empty cannot be set to any value without members. It can become empty later, because
// users can leave its group.
func TestNonEmptyPermissions(t *testing.T) {
	s := startAll(t)
	olga, id := s.As("olga"), func(name string) string { return fmt.Sprint(s.UserID(name)) }
	make := func(name, members string) string {
		return fmt.Sprint(olga.Do("POST /user_groups/create", "name", name, "description", "", "members",
			"["+members+"]").OK().Int("group_id"))
	}
	empty, staff, left, guests, bots := make("empty", ""), make("staff", id("alice")), make("left", id("bob")),
		make("guests", id("guest")), make("bots", id("bot"))
	over := fmt.Sprint(olga.Do("POST /user_groups/create", "name", "over", "description", "", "members", "[]", "subgroups",
		"["+empty+","+left+"]").OK().Int("group_id"))
	olga.Do("DELETE /users/" + id("bob")).OK()
	s.Skip()
	for _, name := range []string{"can_manage_all_groups", "can_manage_billing_group"} {
		for _, nobody := range []string{
			"1", empty, left, over, guests, bots, `{"direct_members":[],"direct_subgroups":[]}`,
			`{"direct_members":[],"direct_subgroups":[` + empty + `]}`,
			`{"direct_members":[],"direct_subgroups":[` + empty + `,` + over + `]}`,
			`{"direct_members":[` + id("guest") + `],"direct_subgroups":[` + left + `]}`,
			`{"direct_members":[` + id("bot") + `],"direct_subgroups":[]}`,
		} {
			olga.Do("PATCH /realm", name, `{"new":`+nobody+`}`, "send_welcome_emails", "false").
				Is(400, fmt.Sprintf(`{"result":"error","code":"BAD_REQUEST","msg":"'%s' setting cannot be set to 'role:nobody' `+
					`group."}`, name))
		}
		s.NoEvents()
	}
	olga.Do("PATCH /realm", "can_manage_all_groups", `{"new":`+staff+`}`, "can_create_groups", `{"new":`+empty+`}`).OK()
	s.Skip()
	s.As("alice").Do("POST /user_groups/"+staff+"/members", "delete", "["+id("alice")+"]").OK()
	s.Events(`user_group/remove_members everyone {"group_id":` + staff + `,"user_ids":[` + id("alice") + `]}`)
	olga.Do("PATCH /realm", "can_manage_all_groups", `{"new":`+staff+`}`, "name", "Stoa").OK() // same value as before
	s.Skip()
	olga.Do("PATCH /realm", "can_manage_all_groups", `{"new":`+empty+`,"old":`+staff+`}`).Error(400, "BAD_REQUEST",
		"role:nobody")
	olga.Do("PATCH /realm", "can_manage_all_groups", `{"new":2}`).OK()
}
