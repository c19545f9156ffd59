package accounts_test

import (
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// Callers that create an account within a transaction hash the password first, through ports.Passwords.
func TestCreateWithHash(t *testing.T) {
	s := start(t)
	const password = "battery horse staple"
	for bad, email := range map[string]string{"short": "", strings.Repeat("x", 101): "",
		"eve@example.com": "eve@example.com"} {
		if hash, err := s.Ports.Passwords.Hash(t.Context(), bad, email); !errs.Is(err, errs.BadRequest) || hash != "" {
			t.Errorf("%.10s: %q, %v", bad, hash, err)
		}
	}
	hash, err := s.Ports.Passwords.Hash(t.Context(), password, "eve@example.com")
	if err != nil || strings.Contains(hash, password) {
		t.Fatalf("%q, %v", hash, err)
	}
	by := user.Actor{Realm: s.Realm}
	id, err := s.Ports.Accounts.Create(t.Context(), by,
		ports.NewUser{Email: "eve@example.com", FullName: "Eve", PasswordHash: hash, Role: user.Member})
	if err != nil {
		t.Fatal(err)
	}
	login := func(password string) *kittest.Response {
		return s.Anonymous().Do("POST /fetch_api_key", "username", "eve@example.com", "password", password)
	}
	if got := login(password).OK().Int("user_id"); got != int64(id) {
		t.Errorf("logged in as %d, not as %d", got, id)
	}
	login(hash).Error(401, "AUTHENTICATION_FAILED", "")
}
