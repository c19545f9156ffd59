package accounts_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
)

func TestServerSettings(t *testing.T) {
	s := start(t)
	s.As("olga").Do("PATCH /realm", "description", "**Virtue** first").OK()
	s.Anonymous().Do("GET /server_settings").Is(200, fmt.Sprintf(`{"result":"success","msg":"","service_feature_level":496,
		"service_version":"12.0","service_merge_base":"12.0","stoa_version":"*","push_notifications_enabled":false,
		"is_incompatible":false,
		"email_auth_enabled":true,"require_email_format_usernames":true,"realm_url":%[1]q,"realm_uri":%[1]q,
		"realm_name":"Stoics",
		"realm_icon":"%[1]s/static/stoa/icon.svg","realm_description":"<p><strong>Virtue</strong> first</p>",
		"realm_web_public_access_enabled":false,"external_authentication_methods":[],
		"authentication_methods":{"password":true,"email":true,
		"dev":false,"ldap":false,"remoteuser":false,"github":false,"azuread":false,"gitlab":false,"google":false,
		"apple":false,"saml":false,
		"openid connect":false,"discord":false}}`, s.URL))
	if s.Anonymous().Agent("ZulipInvalid/1.0").Do("GET /server_settings").Get("is_incompatible") != true {
		t.Error("a client that must be refused was accepted")
	}
	s.WithKey("alice@example.com", "wrong").Do("GET /server_settings").OK() // credentials are ignored here
}

func TestFetchKey(t *testing.T) {
	s := start(t)
	fetch := func(username, password string) *kittest.Response {
		return s.Anonymous().Do("POST /fetch_api_key", "username", username, "password", password)
	}
	a := fetch("Alice@Example.com", kittest.Password).Is(200,
		fmt.Sprintf(`{"result":"success","msg":"","api_key":"*","email":"alice@example.com","user_id":%d}`,
			s.UserID("alice")))
	s.Events(`user/keys nobody {}`)
	key := a.String("api_key")
	if len(key) != 32 {
		t.Errorf("the key has %d characters", len(key))
	}
	s.WithKey("alice@example.com", key).Do("GET /users/me").OK()
	s.As("alice").Do("GET /users/me").OK() // the earlier key still works
	for _, c := range [][2]string{
		{"alice@example.com", "wrong password"}, {"alice@example.com", ""}, {"nobody@example.com", kittest.Password},
		{"bot@example.com", kittest.Password}, {"notification-bot@stoa.invalid", ""},
		{"alice@example.com", string(make([]byte, 10000))},
	} {
		fetch(c[0], c[1]).Is(401, `{"result":"error","code":"AUTHENTICATION_FAILED","msg":"Your username or password is `+
			`incorrect"}`)
	}
	fetch("alice", kittest.Password).Error(400, "BAD_REQUEST", "valid email")
	s.Anonymous().Do("POST /fetch_api_key", "username", "alice@example.com").Error(400, "REQUEST_VARIABLE_MISSING",
		"password")
	s.NoEvents()
}

func TestFetchKeyRefusals(t *testing.T) {
	s := start(t)
	s.As("olga").Do(path(s, "DELETE /users/%d", "bob")).OK()
	bob := func(password string) *kittest.Response {
		return s.Anonymous().Do("POST /fetch_api_key", "username", "bob@example.com", "password", password)
	}
	bob("wrong password").Error(401, "AUTHENTICATION_FAILED", "") // reveals nothing without the right password
	bob(kittest.Password).Error(401, "USER_DEACTIVATED", "")
	change(s, func(r *realm.Realm) { r.Settings.PasswordAuth = false })
	bob(kittest.Password).Error(401, "PASSWORD_AUTH_DISABLED", "")
	change(s, func(r *realm.Realm) { r.Deactivated = true })
	bob(kittest.Password).Error(401, "REALM_DEACTIVATED", "")
	s.As("alice").Do("GET /users/me").Error(401, "REALM_DEACTIVATED", "deactivated")
}

// change changes the realm's record directly, bypassing validation.
func change(s *kittest.Server, how func(*realm.Realm)) {
	s.Do(func(ctx context.Context) error {
		v, err := s.Ports.Directory.View(ctx, s.Realm)
		if err != nil {
			return err
		}
		now := *v.Realm()
		how(&now)
		e := kit.Event[kit.None]("realm", "created").To(s.Realm, event.None(), kit.None{})
		return s.Ports.Log.Append(ctx, e.Changing(directory.OfRealm(v.Realm(), &now)))
	})
}

func TestAuthenticate(t *testing.T) {
	s := start(t)
	key := s.As("alice").Key()
	s.WithKey(" ALICE@example.com ", key).Do("GET /users/me").OK()
	s.WithKey(path(s, "user%d@stoa.invalid", "alice"), key).Do("GET /users/me").OK()
	for _, c := range [][2]string{
		{"alice@example.com", key + "x"}, {"alice@example.com", key[:31]}, {"bob@example.com", key},
		{"nobody@example.com", key}, {"", key},
		{path(s, "user%d@stoa.invalid", "bob"), key}, {"notification-bot@stoa.invalid", key},
	} {
		s.WithKey(c[0], c[1]).Do("GET /users/me").Error(401, "UNAUTHORIZED", "Invalid API key")
	}
	s.As("olga").Do(path(s, "DELETE /users/%d", "alice")).OK()
	s.WithKey("alice@example.com", key).Do("GET /users/me").Error(401, "UNAUTHORIZED", "Account is deactivated")
	s.WithKey("alice@example.com", "wrong").Do("GET /users/me").Error(401, "UNAUTHORIZED", "Invalid API key")
}

func TestRegenerate(t *testing.T) {
	s := start(t)
	login := s.Anonymous().Do("POST /fetch_api_key", "username", "alice@example.com", "password",
		kittest.Password).OK().String("api_key")
	s.Skip()
	key := s.As("alice").Do("POST /users/me/api_key/regenerate").Is(200,
		`{"result":"success","msg":"","api_key":"*"}`).String("api_key")
	s.Events(`user/keys nobody {}`)
	s.WithKey("alice@example.com", key).Do("GET /users/me").OK()
	s.As("alice").Do("GET /users/me").Error(401, "UNAUTHORIZED", "")
	s.WithKey("alice@example.com", login).Do("GET /users/me").Error(401, "UNAUTHORIZED", "")
	s.As("bot").Do("POST /users/me/api_key/regenerate").OK()
	s.Restart()
	s.WithKey("alice@example.com", key).Do("GET /users/me").OK() // accepted in its stored form, too
	s.WithKey("alice@example.com", login).Do("GET /users/me").Error(401, "UNAUTHORIZED", "")
}

func TestOldestKeyIsRevoked(t *testing.T) {
	s := start(t, "max_keys: 2")
	first := s.As("alice").Key()
	var keys []string
	for range 2 {
		s.Clock.Advance(1e9)
		a := s.Anonymous().Do("POST /fetch_api_key", "username", "alice@example.com", "password", kittest.Password).OK()
		keys = append(keys, a.String("api_key"))
	}
	s.WithKey("alice@example.com", first).Do("GET /users/me").Error(401, "UNAUTHORIZED", "")
	for _, k := range keys {
		s.WithKey("alice@example.com", k).Do("GET /users/me").OK()
	}
}
