package accounts_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// If a guest cannot see a new user, clients that need a record for every ID get a placeholder. It does not even reveal
// whether the account has been deactivated since.
func TestUnknownUsers(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := startOn(t, url)
		s.As("olga").Do("PATCH /realm", "can_access_all_users_group", `{"new":6}`).OK()
		old := s.As("guest").Register("event_types", `["realm_user"]`)
		able := s.As("guest").Register("event_types", `["realm_user"]`, "client_capabilities",
			`{"user_list_incomplete":true}`)
		alice := s.As("alice").Register("event_types", `["realm_user"]`)
		s.Skip()
		id := s.As("olga").Do("POST /users", "email", "nina@example.com", "full_name", "Nina", "password",
			kittest.Password).OK().Int("user_id")
		placeholder := func(rest string) string {
			return fmt.Sprintf(`{"avatar_url":"*","avatar_version":1,"date_joined":"1970-01-01T00:00+00:00",`+
				`"delivery_email":null,`+
				`"email":"user%d@stoa.invalid","full_name":"Unknown user",%s"is_admin":false,"is_bot":false,"is_guest":false,`+
				`"is_owner":false,`+
				`"profile_data":{},"role":400,"timezone":"","user_id":%d}`, id, rest, id)
		}
		s.EventsOf("realm_user", fmt.Sprintf(`realm_user/add seeing:%d {"user_id":%d}`, id, id),
			fmt.Sprintf(`realm_user/add users:guest {"unseen":%d}`, id))
		received := old.Take()
		received.Body = kittest.JSON(received.Get("events.0.person"))
		received.Is(200, placeholder(`"is_active":true,`))
		same(t, "clients that accept an incomplete list", able.Texts())
		if got := alice.Texts(); len(got) != 1 {
			t.Errorf("a user with full visibility received %v", got)
		}
		registers := func(when string) {
			t.Helper()
			a := s.As("guest").Do("POST /register", "fetch_event_types", `["realm_user"]`).OK()
			for i := 0; ; i++ {
				at := fmt.Sprintf("realm_users.%d", i)
				if !a.Has(at) {
					t.Fatalf("%s: the guest's list has no placeholder: %s", when, a.Body)
				}
				if a.Int(at+".user_id") == id {
					a.Body = kittest.JSON(a.Get(at))
					a.Is(200, placeholder(`"is_imported_stub":false,`))
					return
				}
			}
		}
		registers("new")
		s.As("olga").Do(fmt.Sprintf("DELETE /users/%d", id)).OK()
		same(t, "the guest after the deactivation", old.Texts())
		registers("deactivated")

		// Receivers who can see the user at delivery get only the user's record.
		s.As("olga").Do("POST /users", "email", "nora@example.com", "full_name", "Nora", "password", kittest.Password).OK()
		s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"general"}]`, "principals",
			`["nora@example.com"]`).OK()
		if got := old.Texts(); len(got) != 1 {
			t.Errorf("for a user who has become visible: %v", got)
		}
	})
}
