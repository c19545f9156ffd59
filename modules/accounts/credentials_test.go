package accounts_test

import (
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/realm"
)

// On servers that cannot verify addresses, users cannot change theirs. The error does not reveal whether the new
// address belongs to another user, unless the caller can see that user's address.
func TestRequestEmail(t *testing.T) {
	s := start(t)
	ask := func(who, email string, more ...string) *kittest.Response {
		return s.As(who).Do("PATCH /settings", append([]string{"email", email}, more...)...)
	}
	ask("alice", "new@example.org", "enter_sends", "true", "full_name", "Alicia").Error(400, "BAD_REQUEST",
		"can't change addresses")
	ask("alice", "nonsense", "full_name", "Alicia").Error(400, "BAD_REQUEST", "Enter a valid email address.")
	ask("alice", "Bob@example.com").Error(400, "BAD_REQUEST", "Email 'Bob@example.com' already in use")
	ask("alice", "user7@stoa.invalid").Error(400, "BAD_REQUEST", "already in use")
	ask("alice", "x@mailinator.com").Error(400, "BAD_REQUEST", "Disposable")
	ask("adam", "new@example.org", "target_users", `{"user_ids":[1]}`).Error(400, "BAD_REQUEST", "address")
	ask("bot", "new@example.org").Error(400, "BAD_REQUEST", "bot")
	s.NoEvents()
	ask("alice", "").OK()
	ask("alice", " alice@example.com ").OK()
	s.NoEvents()

	s.As("bob").Do("PATCH /settings", "email_address_visibility", "3").OK()
	s.As("olga").Do("PATCH /realm", "email_changes_disabled", "true").OK()
	s.Skip()
	for _, who := range []string{"alice", "mona", "guest"} {
		ask(who, "new@example.org").Error(400, "BAD_REQUEST", "Email address changes are disabled in this organization.")
	}
	ask("adam", "new@example.org").Error(400, "BAD_REQUEST", "can't change addresses")
	ask("adam", "bob@example.com").Error(400, "BAD_REQUEST", "already in use")
	s.As("olga").Do("PATCH /realm", "email_changes_disabled", "false").OK()
	// The response does not reveal that it is bob's address.
	ask("alice", "bob@example.com").Error(400, "BAD_REQUEST", "can't change addresses")
}

// The realm's rules for addresses apply to addresses set by owners, but not to those of bots.
func TestNewEmailOfAnotherDomain(t *testing.T) {
	s := kittest.StartWith(t, kittest.Options{Config: "modules: {accounts: {change_emails: true}}"}, realm.Module,
		accounts.Module)
	s.As("olga").Do("POST /realm/domains", "domain", "example.com", "allow_subdomains", "false").OK()
	s.As("olga").Do("PATCH /realm", "emails_restricted_to_domains", "true").OK()
	s.Skip()
	call := path(s, "PATCH /users/%d", "alice")
	s.As("olga").Do(call, "new_email", "alice@example.org").Error(400, "BAD_REQUEST", "not allowed in this organization")
	s.As("olga").Do(call, "new_email", "alice+x@example.com", "full_name", "Alicia").Error(400, "BAD_REQUEST",
		"containing + are not allowed")
	s.NoEvents()
	s.As("olga").Do(call, "new_email", "alicia@example.com").OK()
	s.As("olga").Do(path(s, "PATCH /users/%d", "bot"), "new_email", "bot@example.org").OK()
}
