package invites_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// A link created by an administrator loses its custom welcome message when the inviter is demoted.
func TestWelcomeOfDemoted(t *testing.T) {
	s := start(t)
	s.As("olga").Do("PATCH /realm", "welcome_message_custom_text", "Welcome, all.").OK()
	s.As("olga").Do("PATCH /realm", "create_multiuse_invite_group", `{"new":6}`).OK() // members
	link := s.link("adam", "welcome_message_custom_text", "Hello.")
	s.As("olga").Do(fmt.Sprintf("PATCH /users/%d", s.UserID("adam")), "role", "400").OK()
	s.join(link, "", "email", "eve@example.com").OK()
	s.join(s.key("eve@example.com"), "Eve").OK()
	if got := fmt.Sprint(serverMessages(s.login("eve@example.com"))); got != "[Welcome Bot: Welcome, all.]" {
		t.Errorf("eve received %s", got)
	}
}

// TestLinkFromJSON checks that the parameters of a link are accepted as a JSON object.
func TestLinkFromJSON(t *testing.T) {
	s := start(t)
	body := fmt.Sprintf(`{"invite_as":600,"stream_ids":[%d]}`, s.ChannelID("general"))
	s.As("olga").Send("POST /invites/multiuse", "application/json", strings.NewReader(body)).OK()
	all := s.As("olga").Do("GET /invites").OK()
	if all.Int("invites.0.invited_as") != 600 || all.Get("invites.0.is_multiuse") != true {
		t.Errorf("the link is %s", all.Body)
	}
}

// Users who join through a link confirm their address first.
func TestJoinByLink(t *testing.T) {
	s := start(t)
	general := int64(s.ChannelID("general"))
	link := s.link("adam", "invite_as", "600", "stream_ids", fmt.Sprintf("[%d]", general), "welcome_message_custom_text",
		"Hello.")
	s.Skip()
	s.Anonymous().Do("POST /join/look", "key", link).Is(200,
		`{"result":"success","msg":"","realm_name":"Stoics","email":"","confirmation_required":true}`)
	for _, email := range []string{"", "nonsense", "eve@example.com\r\nBcc: all@example.com",
		"eve@example.com,fay@example.com"} {
		s.join(link, "Eve", "email", email).Error(400, "BAD_REQUEST", "Enter a valid email address.")
	}
	s.join(link, "Eve", "email", "eve@example.com").Is(200,
		`{"result":"success","msg":"","email":"eve@example.com","confirmation_sent":true}`)
	s.NoEvents()
	got := s.sent()
	if len(got) != 1 || got[0].To != "eve@example.com" || got[0].Subject != "Joining Stoics" ||
		strings.Contains(got[0].Text, link) {
		t.Fatalf("%+v", got)
	}
	key := mailed.FindStringSubmatch(got[0].Text)[1]
	s.join(key, "Eve", "email", "mallory@example.com").Error(400, "BAD_REQUEST",
		"This invitation was sent to a different address.")
	s.join(key, "Eve").OK()
	eve := s.login("eve@example.com")
	if me := eve.Do("GET /users/me"); me.Int("role") != 600 || subscribedChannels(eve) != "general" ||
		fmt.Sprint(serverMessages(eve)) != "[Welcome Bot: Hello.]" {
		t.Errorf("%s, %s, %v", me.Body, subscribedChannels(eve), serverMessages(eve))
	}
	if got := serverMessages(s.As("adam")); len(got) != 1 || !strings.Contains(got[0], "has accepted your invitation") {
		t.Errorf("adam received %v", got)
	}
	s.join(key, "Eve").Error(404, "NOT_FOUND", notValid)
	s.join(link, "", "email", "fay@example.com").OK()
	fay := s.key("fay@example.com")
	s.Skip()
	s.join(fay, "Fay").OK()
	s.EventsOf("invites_changed", "invites_changed admins+adam {}")
	a := s.As("adam").Do("GET /invites").OK()
	if a.Int("invites.0.uses") != 2 || len(s.list("adam")) != 1 {
		t.Errorf("the link was used twice: %s", a.Body)
	}
}

// Lists of invitations contain what they grant, without channels that the reader can no longer see.
func TestListedTerms(t *testing.T) {
	s := start(t)
	general, secret := s.ChannelID("general"), s.ChannelID("secret")
	team := s.As("alice").Do("POST /user_groups/create", "name", "team", "description", "d", "members",
		"[]").OK().Int("group_id")
	s.invite("alice", "eve@example.com", "stream_ids", fmt.Sprintf("[%d,%d]", general, secret), "group_ids",
		fmt.Sprintf("[%d]", team), "include_realm_default_subscriptions", "true")
	check := func(who, want string) {
		t.Helper()
		one := s.list(who)[0].(map[string]any)
		got := fmt.Sprint(one["stream_ids"], one["group_ids"], one["include_realm_default_subscriptions"])
		if got != want {
			t.Errorf("%s sees %s, want %s", who, got, want)
		}
	}
	all := fmt.Sprintf("[%d %d] [%d] true", general, secret, team)
	check("alice", all)
	s.As("olga").Do("DELETE /users/me/subscriptions", "subscriptions", `["secret"]`, "principals",
		fmt.Sprintf("[%d]", s.UserID("alice"))).OK()
	check("alice", fmt.Sprintf("[%d] [%d] true", general, team))
	check("olga", all)
	s.As("olga").Do(fmt.Sprintf("POST /user_groups/%d/deactivate", team)).OK()
	check("olga", fmt.Sprintf("[%d %d] [] true", general, secret))
}

// Only the email reveals that there is already an account with an address.
func TestLinkRevealsNoAccounts(t *testing.T) {
	s := start(t)
	link := s.link("adam")
	for _, email := range []string{"new@example.com", "alice@example.com", "ALICE@example.com"} {
		s.join(link, "", "email", email).Is(200,
			fmt.Sprintf(`{"result":"success","msg":"","email":%q,"confirmation_sent":true}`, email))
	}
	for _, m := range s.sent() {
		if has, link := strings.Contains(m.Text, "There is already an account with it"),
			mailed.MatchString(m.Text); has == link || has != strings.Contains(strings.ToLower(m.To), "alice") {
			t.Errorf("%s:\n%s", m.To, m.Text)
		}
	}
}

// A confirmation becomes invalid with its link.
func TestLinkIsRevoked(t *testing.T) {
	s := start(t)
	revoked, ended, used := s.link("adam"), s.link("olga", "invite_expires_in_minutes", "60"), s.link("olga")
	keys := map[string]string{}
	for name, link := range map[string]string{"revoked": revoked, "ended": ended, "used": used} {
		s.join(link, "", "email", name+"@example.com").OK()
		keys[name] = s.key(name + "@example.com")
	}
	s.join(revoked, "", "email", "unsent@example.com").OK()
	s.As("adam").Do("DELETE /invites/multiuse/1").OK()
	s.Clock.Advance(time.Hour)
	for _, name := range []string{"revoked", "ended"} {
		s.join(keys[name], "Eve").Error(404, "NOT_FOUND", notValid)
	}
	for _, link := range []string{revoked, ended} {
		s.join(link, "", "email", "gil@example.com").Error(404, "NOT_FOUND", notValid)
		s.Anonymous().Do("POST /join/look", "key", link).Error(404, "NOT_FOUND", notValid)
	}
	s.join(keys["used"], "Eve").OK()
	s.join(used, "", "email", "late@example.com").OK()
	late := ""
	for _, m := range s.sent() {
		if m.To == "late@example.com" {
			late = mailed.FindStringSubmatch(m.Text)[1]
		}
	}
	s.Clock.Advance(24 * time.Hour)
	s.join(late, "Late").Error(404, "NOT_FOUND", notValid)
}

func TestLinkUses(t *testing.T) {
	s := start(t, "max_link_uses: 2")
	link := s.link("adam")
	var keys []string
	for i := range 3 {
		email := fmt.Sprintf("eve%d@example.com", i)
		s.join(link, "", "email", email).OK()
		keys = append(keys, s.key(email))
	}
	s.join(keys[0], "Eve").OK()
	s.join(keys[1], "Eve").OK()
	s.Skip()
	s.join(keys[2], "Eve").Error(404, "NOT_FOUND", notValid)
	s.join(link, "", "email", "fay@example.com").Error(404, "NOT_FOUND", notValid)
	s.NoEvents()
}

func TestConfirmationLimits(t *testing.T) {
	s := start(t, "daily_confirmations: 6", "daily_per_address: 2", "daily_per_source: 3", "daily_per_source_with_link: 5")
	s.As("olga").Do("PATCH /realm", "invite_required", "false").OK()
	link := s.link("adam")
	ask := func(key, email string) int {
		s.T.Helper()
		a := s.Anonymous().Do("POST /join", "key", key, "email", email)
		if a.Status != 200 {
			a.Error(429, "RATE_LIMIT_HIT", "today")
		}
		return a.Status
	}
	for i, c := range []struct {
		key, email string
		status     int
	}{
		{"", "a@example.com", 200}, {"", "A@example.com", 200}, {"", "a@example.com", 429}, {"", "b@example.com", 200},
		{"", "c@example.com", 429},
		{link, "c@example.com", 200}, {link, "d@example.com", 200}, {link, "e@example.com", 429},
	} {
		if got := ask(c.key, c.email); got != c.status {
			t.Errorf("%d: %d", i, got)
		}
	}
	if got := s.sent(); len(got) != 5 {
		t.Errorf("%d mails", len(got))
	}
	s.As("alice").Do("POST /invites", "invitee_emails", "a@example.com", "stream_ids", "[]").Error(400,
		"INVITATION_FAILED", "None")
	s.Clock.Advance(24 * time.Hour)
	s.RunJob("invites.forget_invites")
	if got := ask(link, "e@example.com"); got != 200 {
		t.Errorf("the next day: %d", got)
	}
}

// Signups without an invitation do not exhaust the limits of signups with a link, nor the other way round, with or
// without email confirmation.
func TestSignupLimitsAreSeparate(t *testing.T) {
	limits := []string{"daily_confirmations: 2", "daily_without_link: 3", "daily_per_source: 100"}
	for name, s := range map[string]server{"mails": start(t, limits...), "none": startWithoutEmail(t, limits...)} {
		link := s.link("adam")
		s.As("olga").Do("PATCH /realm", "invite_required", "false").OK()
		for i, c := range []struct {
			key    string
			status int
		}{{"", 200}, {"", 200}, {"", 200}, {"", 429}, {link, 200}, {link, 200}, {link, 429}, {"", 429}} {
			if a := s.join(c.key, "Eve", "email", fmt.Sprintf("eve%d@example.com", i)); a.Status != c.status {
				t.Errorf("%s %d: %d, want %d: %s", name, i, a.Status, c.status, a.Body)
			}
		}
		s.Clock.Advance(24 * time.Hour)
		s.join("", "Fay", "email", "fay@example.com").OK()
		s.join(link, "Gil", "email", "gil@example.com").OK()
	}
}

// Signup without an invitation, if the realm permits it.
func TestOpenSignup(t *testing.T) {
	s := start(t)
	s.As("adam").Do("POST /default_streams", "stream_id", fmt.Sprint(int64(s.ChannelID("general")))).OK()
	s.As("olga").Do("PATCH /realm", "welcome_message_custom_text", "Welcome.").OK()
	s.Anonymous().Do("POST /join/look").Error(400, "BAD_REQUEST", "You need an invitation")
	s.Anonymous().Do("POST /join", "email", "eve@example.com").Error(400, "BAD_REQUEST", "You need an invitation")
	s.As("olga").Do("PATCH /realm", "invite_required", "false").OK()
	s.Anonymous().Do("POST /join/look").Is(200,
		`{"result":"success","msg":"","realm_name":"Stoics","email":"","confirmation_required":true}`)
	s.Anonymous().Do("POST /join", "email", "eve@example.com").OK()
	s.Anonymous().Do("POST /join", "email", "fay@example.com").OK()
	keys := map[string]string{}
	for _, m := range s.sent() {
		keys[m.To] = mailed.FindStringSubmatch(m.Text)[1]
	}
	s.Skip()
	s.join(keys["eve@example.com"], "Eve").OK()
	s.EventsOf("invites_changed")
	eve := s.login("eve@example.com")
	if me := eve.Do("GET /users/me"); me.Int("role") != 400 || subscribedChannels(eve) != "general" ||
		fmt.Sprint(serverMessages(eve)) != "[Welcome Bot: Welcome.]" {
		t.Errorf("%s, %s, %v", me.Body, subscribedChannels(eve), serverMessages(eve))
	}
	s.As("olga").Do("PATCH /realm", "invite_required", "true").OK()
	s.join(keys["fay@example.com"], "Fay").Error(400, "BAD_REQUEST", "You need an invitation")
}

// On a server without email the account is created immediately.
func TestWithoutEmail(t *testing.T) {
	s := startWithoutEmail(t, "daily_per_source: 5") // three attempts are counted below first
	link := s.link("adam")
	s.Skip()
	s.Anonymous().Do("POST /join/look", "key", link).Is(200,
		`{"result":"success","msg":"","realm_name":"Stoics","email":"","confirmation_required":false}`)
	s.join(link, "Eve").Error(400, "BAD_REQUEST", "Enter a valid email address.")
	s.join(link, "", "email", "eve@example.com").Error(400, "BAD_REQUEST", "Name must not be empty!")
	s.join(link, "Eve", "email", "alice@example.com").Error(400, "BAD_REQUEST",
		"This address cannot be used to join. If you have an account, log in with it.")
	s.join(link, "Eve", "email", fmt.Sprintf("user%d@stoa.invalid", s.UserID("alice"))).Error(400, "BAD_REQUEST",
		"This address cannot be used to join.")
	s.NoEvents()
	s.join(link, "Eve", "email", "eve@example.com").OK()
	s.login("eve@example.com")
	s.As("olga").Do("POST /realm/domains", "domain", "example.com", "allow_subdomains", "false").OK()
	s.As("olga").Do("PATCH /realm", "emails_restricted_to_domains", "true").OK()
	s.join(link, "Fay", "email", "fay@example.com").Error(400, "BAD_REQUEST", "this server can't verify addresses")
	s.As("olga").Do("PATCH /realm", "emails_restricted_to_domains", "false").OK()
	s.As("olga").Do("PATCH /realm", "invite_required", "false").OK()
	for i := range 4 {
		a := s.join("", "Gil", "email", fmt.Sprintf("gil%d@example.com", i))
		if i < 2 {
			a.OK()
		} else {
			a.Error(429, "RATE_LIMIT_HIT", "today")
		}
	}
	s.As("alice").Do("POST /invites", "invitee_emails", "hal@example.com", "stream_ids", "[]").Error(400, "BAD_REQUEST",
		"This server does not send email. Create an invitation link instead")
	s.As("alice").Do("POST /invites/1/resend").Error(400, "BAD_REQUEST", "This server does not send email.")
	if got := s.As("olga").Do("GET /invites").OK().Body; strings.Contains(got, "hal@example.com") {
		t.Errorf("a refused invitation is listed: %s", got)
	}
}

// An attempt is counted before the password is hashed, which is expensive, and before the response reveals anything
// about the address, even if the signup then fails. Invalid requests are rejected immediately and not counted.
func TestAttemptsAreCounted(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		s := startWithoutEmailOn(t, database, "daily_per_source_with_link: 3")
		s.As("olga").Do("PATCH /realm", "require_unique_names", "true").OK()
		link := s.link("adam")
		s.Skip()
		for range 4 {
			s.Anonymous().Do("POST /join", "key", link, "full_name", "Eve", "email", "eve@example.com", "password",
				"short").Error(400, "BAD_REQUEST", "The password must have at least 8 characters.")
		}
		s.join(link, "Eve", "email", "alice@example.com").Error(400, "BAD_REQUEST", "This address cannot be used to join.")
		s.join(link, "Alice", "email", "eve@example.com").Error(400, "BAD_REQUEST", "")
		s.join(link, "Eve", "email", "adam@example.com").Error(400, "BAD_REQUEST", "This address cannot be used to join.")
		for range 2 { // the same response for used and unused addresses
			s.join(link, "Eve", "email", "alice@example.com").Error(429, "RATE_LIMIT_HIT", "today")
			s.join(link, "Eve", "email", "fay@example.com").Error(429, "RATE_LIMIT_HIT", "today")
		}
		s.NoEvents()
		s.Clock.Advance(24 * time.Hour)
		s.join(link, "Eve", "email", "eve@example.com").OK()
	})
}

// Administrators who cannot read a channel do not get a link to join it under another account.
func TestLinkVisibility(t *testing.T) {
	s := start(t)
	secret := fmt.Sprintf("[%d]", s.ChannelID("secret"))
	s.link("olga", "stream_ids", secret)                                      // 1
	s.link("adam", "stream_ids", fmt.Sprintf("[%d]", s.ChannelID("general"))) // 2
	s.link("olga")                                                            // 3
	s.invite("olga", "eve@example.com", "stream_ids", secret)                 // 4
	check := func(who string, want ...string) {
		t.Helper()
		var got []string
		for _, one := range s.list(who) {
			one := one.(map[string]any)
			link, has := one["link_url"].(string)
			switch {
			case has != one["is_multiuse"].(bool):
				t.Errorf("%s: %v", who, one)
			case linked.MatchString(link):
				got = append(got, fmt.Sprintf("%v link", one["id"]))
			default:
				got = append(got, fmt.Sprintf("%v %s", one["id"], link))
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s sees %q, want %q", who, got, want)
		}
	}
	check("olga", "1 link", "2 link", "3 link", "4 ")
	check("adam", "1 ", "2 link", "3 link", "4 ")
	s.As("olga").Do(fmt.Sprintf("DELETE /streams/%d", s.ChannelID("secret"))).OK()
	check("adam", "1 ", "2 link", "3 link", "4 ") // the permission has been restored
	s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", s.ChannelID("secret")), "is_archived", "false").OK()
	s.As("olga").Do("PATCH /realm", "create_multiuse_invite_group",
		fmt.Sprintf(`{"new":{"direct_members":[%d],"direct_subgroups":[]}}`, s.UserID("olga"))).OK()
	check("adam", "1 ", "2 link", "3 ", "4 ")
	s.Skip()
	s.As("adam").Do("DELETE /invites/multiuse/1").OK()
	s.Events("invites_changed admins+olga {}")
}
