package accounts_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

func TestDeactivate(t *testing.T) {
	s := start(t)
	alice, bot := s.UserID("alice"), s.UserID("bot")
	q := s.As("adam").Register("event_types", `["realm_user"]`)
	s.As("adam").Do(path(s, "DELETE /users/%d", "alice")).Is(200, `{"result":"success","msg":""}`)
	same(t, "adam's events", q.Texts(),
		fmt.Sprintf(`{"op":"update","person":{"is_active":false,"user_id":%d},"type":"realm_user"}`, bot),
		fmt.Sprintf(`{"op":"update","person":{"is_active":false,"user_id":%d},"type":"realm_user"}`, alice))
	s.As("alice").Do("GET /users/me").Error(401, "UNAUTHORIZED", "deactivated")
	s.As("bot").Do("GET /users/me").Error(401, "UNAUTHORIZED", "deactivated")
	a := s.As("adam").Register().Start
	if a.Int("realm_non_active_users.0.user_id") != int64(alice) || a.Int("realm_users.0.user_id") == int64(alice) {
		t.Errorf("alice is in the wrong list: %v", a.Get("realm_non_active_users"))
	}
	s.As("adam").Do(path(s, "DELETE /users/%d", "alice")).Error(400, "BAD_REQUEST", "deactivated")

	s.As("adam").Do(path(s, "POST /users/%d/reactivate", "alice")).Is(200, `{"result":"success","msg":""}`)
	same(t, "adam's events", q.Texts(), fmt.Sprintf(`{"op":"update","person":{"is_active":true,"user_id":%d},`+
		`"type":"realm_user"}`, alice))
	s.LogIn("alice")
	s.As("alice").Do("GET /users/me").OK()
	s.As("bot").Do("GET /users/me").Error(401, "UNAUTHORIZED", "deactivated") // bots are not reactivated with their owner
	s.As("adam").Do(path(s, "POST /users/%d/reactivate", "bot")).OK()
	s.As("bot").Do("GET /users/me").OK()
	s.Skip()
	s.As("adam").Do(path(s, "POST /users/%d/reactivate", "bot")).OK()
	s.NoEvents()
}

// Earlier keys of a reactivated user are invalid: the user has to log in again. A bot keeps its key while its owner
// stays the same.
func TestReactivatedKeys(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := startOn(t, url)
		fetch := func() string {
			t.Helper()
			return s.Anonymous().Do("POST /fetch_api_key", "username", "alice@example.com", "password",
				kittest.Password).OK().String("api_key")
		}
		with := func(key string) *kittest.Response { return s.WithKey("alice@example.com", key).Do("GET /users/me") }
		second := fetch()
		s.As("adam").Do(path(s, "DELETE /users/%d", "alice")).OK()
		with(second).Error(401, "UNAUTHORIZED", "Account is deactivated")
		s.As("adam").Do(path(s, "POST /users/%d/reactivate", "alice")).OK()
		s.As("adam").Do(path(s, "POST /users/%d/reactivate", "bot")).OK()
		for range 2 {
			s.As("alice").Do("GET /users/me").Error(401, "UNAUTHORIZED", "Invalid API key")
			with(second).Error(401, "UNAUTHORIZED", "Invalid API key")
			s.As("bot").Do("GET /users/me").OK()
			s.Restart()
		}
		with(fetch()).OK()

		s.As("adam").Do(path(s, "DELETE /users/%d", "alice")).OK()
		s.As("bot").Do("GET /users/me").Error(401, "UNAUTHORIZED", "Account is deactivated")
		s.As("adam").Do(path(s, "POST /users/%d/reactivate", "bot")).OK() // adam becomes its owner
		s.As("bot").Do("GET /users/me").Error(401, "UNAUTHORIZED", "Invalid API key")
		s.Restart()
		s.As("bot").Do("GET /users/me").Error(401, "UNAUTHORIZED", "Invalid API key")
	})
}

func TestDeactivateRefusals(t *testing.T) {
	s := start(t)
	end := func(who, whom string) *kittest.Response { return s.As(who).Do(path(s, "DELETE /users/%d", whom)) }
	end("mona", "bob").Error(400, "UNAUTHORIZED_PRINCIPAL", "administrator")
	end("bob", "bob").Error(400, "UNAUTHORIZED_PRINCIPAL", "administrator")
	end("guest", "bob").Error(400, "BAD_REQUEST", "guest")
	end("adam", "olga").Error(400, "UNAUTHORIZED_PRINCIPAL", "owner")
	end("olga", "olga").Error(400, "BAD_REQUEST", "only organization owner")
	s.As("olga").Do("DELETE /users/999").Error(400, "BAD_REQUEST", "No such user")
	s.As("olga").Do("DELETE /users/1").Error(400, "BAD_REQUEST", "No such user") // the Notification Bot
	s.As("olga").Do("DELETE /users/me").Is(400, `{"result":"error","code":"CANNOT_DEACTIVATE_LAST_USER","msg":"*",`+
		`"is_last_owner":true,"entity":"organization owner"}`)
	s.As("bot").Do("DELETE /users/me").Error(400, "BAD_REQUEST", "bot")
	s.As("mona").Do(path(s, "POST /users/%d/reactivate", "bob")).Error(400, "UNAUTHORIZED_PRINCIPAL", "administrator")
	s.As("adam").Do("POST /users/x/reactivate").Error(404, "BAD_REQUEST", "Not found")
	s.NoEvents()
}

// Only owners can reactivate an owner, who regains that role.
func TestReactivateOwner(t *testing.T) {
	s := start(t)
	s.As("olga").Do(path(s, "PATCH /users/%d", "mona"), "role", "100").OK()
	s.As("olga").Do(path(s, "DELETE /users/%d", "mona")).OK()
	s.Skip()
	s.As("adam").Do(path(s, "POST /users/%d/reactivate", "mona")).Error(400, "UNAUTHORIZED_PRINCIPAL",
		"Must be an organization owner")
	s.NoEvents()
	s.As("adam").Do(path(s, "POST /users/%d/reactivate", "alice")).OK() // already active
	s.As("olga").Do(path(s, "POST /users/%d/reactivate", "mona")).OK()
	if a := s.As("bob").Do(path(s, "GET /users/%d", "mona")); a.Get("user.is_active") != true ||
		a.Int("user.role") != 100 {
		t.Errorf("bob sees %s", a.Body)
	}
}

func TestDeactivateSelf(t *testing.T) {
	s := start(t)
	s.As("guest").Do("DELETE /users/me").Is(200, `{"result":"success","msg":""}`)
	s.As("guest").Do("GET /users/me").Error(401, "UNAUTHORIZED", "deactivated")
	s.As("olga").Do(path(s, "PATCH /users/%d", "adam"), "role", "100").OK()
	s.As("olga").Do("DELETE /users/me").OK()
}

// Guests who can see a user only because of a shared channel are notified when the user is deactivated, because they no
// longer can.
func TestGuestNoLongerSeesDeactivated(t *testing.T) {
	s := start(t)
	s.As("olga").Do("PATCH /realm", "can_access_all_users_group", `{"new":6}`).OK()
	q := s.As("guest").Register("event_types", `["realm_user"]`)
	s.As("olga").Do(path(s, "DELETE /users/%d", "bob")).OK()
	same(t, "the guest's events", q.Texts(),
		fmt.Sprintf(`{"op":"remove","person":{"full_name":"Bob","user_id":%d},"type":"realm_user"}`, s.UserID("bob")))
}
