package invites_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/group"
)

func TestInvite(t *testing.T) {
	s := start(t)
	general := s.ChannelID("general")
	s.As("alice").Do("POST /invites", "invitee_emails", "Eve <eve@example.com>, fay@example.com\nEVE@example.com",
		"stream_ids", fmt.Sprintf("[%d]", general),
		"notify_referrer_on_join", "false").Is(200, `{"result":"success","msg":""}`)
	s.Events(`invites_changed admins+alice {}`)
	now := s.Clock.Now()
	record := func(id int, email string, notify bool) string {
		return fmt.Sprintf(`{"id":%d,"email":%q,"invited_by_user_id":%d,"invited":%d,"expiry_date":%d,"invited_as":400,`+
			`"is_multiuse":false,"notify_referrer_on_join":%v,"uses":0,"stream_ids":[%d],"group_ids":[],`+
			`"include_realm_default_subscriptions":false}`,
			id, email, s.UserID("alice"), now.Unix(), now.AddDate(0, 0, 10).Unix(), notify, general)
	}
	both := `{"result":"success","msg":"","invites":[` + record(1, "eve@example.com", false) + `,` +
		record(2, "fay@example.com", false) + `]}`
	for _, who := range []string{"alice", "adam", "olga"} {
		s.As(who).Do("GET /invites").Is(200, both)
	}
	for _, who := range []string{"bob", "mona"} {
		s.As(who).Do("GET /invites").Is(200, `{"result":"success","msg":"","invites":[]}`)
	}
	s.As("guest").Do("GET /invites").Error(400, "BAD_REQUEST", "Not allowed for guest users")
	got := s.sent()
	if len(got) != 2 || got[0].To != "eve@example.com" || got[1].To != "fay@example.com" ||
		got[0].Subject != "Alice invites you to join Stoics" {
		t.Fatalf("%+v", got)
	}
	for _, want := range []string{"Alice invites you to join Stoics", site + "/accounts/do_confirm/",
		"until 15 June 2026, 12:00 UTC"} {
		if !strings.Contains(got[0].Text, want) {
			t.Errorf("no %q in\n%s", want, got[0].Text)
		}
	}
	if mailed.FindString(got[0].Text) == mailed.FindString(got[1].Text) {
		t.Error("two invitations have the same key")
	}
	s.NoEvents()
}

func TestInviteWithoutExpiry(t *testing.T) {
	s := start(t)
	s.As("alice").Do("POST /invites", "invitee_emails", "eve@example.com", "stream_ids", "[]", "invite_expires_in_minutes",
		"null").OK()
	s.As("alice").Do("POST /invites", "invitee_emails", "fay@example.com", "stream_ids", "[]", "invite_expires_in_minutes",
		"2").OK()
	a := s.As("alice").Do("GET /invites").OK()
	if a.Get("invites.0.expiry_date") != nil || a.Int("invites.1.expiry_date") != s.Clock.Now().Unix()+120 {
		t.Errorf("%s", a.Body)
	}
	if got := s.sent(); strings.Contains(got[0].Text, "until") {
		t.Errorf("%s", got[0].Text)
	}
	s.Clock.Advance(2 * time.Minute)
	if got := s.list("alice"); len(got) != 1 {
		t.Errorf("%v", got)
	}
	s.Clock.Advance(100 * 365 * 24 * time.Hour)
	if got := s.list("olga"); len(got) != 1 {
		t.Errorf("%v", got)
	}
}

func TestInviteRefusals(t *testing.T) {
	s := start(t)
	general, secret := int64(s.ChannelID("general")), int64(s.ChannelID("secret"))
	theirs := s.As("bob").Do("POST /user_groups/create", "name", "theirs", "description", "d", "members",
		"[]").OK().Int("group_id")
	s.Skip()
	ids := func(ids ...int64) string { return strings.ReplaceAll(fmt.Sprint(ids), " ", ",") }
	for _, c := range []struct {
		who, call string
		params    []string
		code, msg string
	}{
		{"guest", "POST /invites", nil, "BAD_REQUEST", "Not allowed for guest users"},
		{"alice", "POST /invites", []string{"stream_ids", "[]"}, "REQUEST_VARIABLE_MISSING", "invitee_emails"},
		{"alice", "POST /invites", []string{"invitee_emails", "eve@example.com"}, "REQUEST_VARIABLE_MISSING", "stream_ids"},
		{"alice", "POST /invites", []string{"invitee_emails", " ,\n", "stream_ids", "[]"}, "BAD_REQUEST",
			"You must specify at least one email address."},
		{"alice", "POST /invites", []string{"invitee_emails", many(1001), "stream_ids", "[]"}, "BAD_REQUEST",
			"Too many addresses"},
		{"alice", "POST /invites", []string{"invite_as", "100"}, "BAD_REQUEST", "Must be an organization owner"},
		{"adam", "POST /invites", []string{"invite_as", "100"}, "BAD_REQUEST", "Must be an organization owner"},
		{"alice", "POST /invites", []string{"invite_as", "200"}, "BAD_REQUEST", "Must be an organization administrator"},
		{"mona", "POST /invites", []string{"invite_as", "200"}, "BAD_REQUEST", "Must be an organization administrator"},
		{"alice", "POST /invites", []string{"invite_as", "300"}, "BAD_REQUEST", "Must be an organization moderator"},
		{"olga", "POST /invites", []string{"invite_as", "500"}, "BAD_REQUEST", "Invalid invite_as"},
		{"alice", "POST /invites", []string{"stream_ids", ids(general, 999)}, "BAD_REQUEST", "Invalid channel ID 999"},
		{"bob", "POST /invites", []string{"stream_ids", ids(secret)}, "BAD_REQUEST", "Invalid channel ID"},
		{"adam", "POST /invites", []string{"stream_ids", ids(secret)}, "BAD_REQUEST",
			"You do not have permission to subscribe other users to channels."},
		{"alice", "POST /invites", []string{"group_ids", "[999]"}, "BAD_REQUEST", "Invalid user group"},
		{"alice", "POST /invites", []string{"group_ids", ids(theirs)}, "BAD_REQUEST", "Insufficient permission"},
		{"olga", "POST /invites", []string{"group_ids", ids(int64(group.Owners))}, "BAD_REQUEST", "Insufficient permission"},
		{"alice", "POST /invites", []string{"invite_expires_in_minutes", "0"}, "BAD_REQUEST", "invite_expires_in_minutes"},
		{"alice", "POST /invites", []string{"invite_expires_in_minutes", "-5"}, "BAD_REQUEST", "invite_expires_in_minutes"},
		{"alice", "POST /invites", []string{"invite_expires_in_minutes", "9999999999"}, "BAD_REQUEST",
			"invite_expires_in_minutes"},
		{"olga", "POST /invites", []string{"welcome_message_custom_text", strings.Repeat("ä", 8001)}, "BAD_REQUEST",
			"too long"},

		{"guest", "POST /invites/multiuse", nil, "BAD_REQUEST", "Not allowed for guest users"},
		{"alice", "POST /invites/multiuse", nil, "BAD_REQUEST", "Insufficient permission"},
		{"mona", "POST /invites/multiuse", nil, "BAD_REQUEST", "Insufficient permission"},
		{"adam", "POST /invites/multiuse", []string{"invite_as", "100"}, "BAD_REQUEST", "Must be an organization owner"},
		{"adam", "POST /invites/multiuse", []string{"stream_ids", "[999]"}, "BAD_REQUEST", "Invalid channel ID"},
		{"adam", "POST /invites/multiuse", []string{"group_ids", "[999]"}, "BAD_REQUEST", "Invalid user group"},
		{"adam", "POST /invites/multiuse", []string{"invite_expires_in_minutes", "0"}, "BAD_REQUEST",
			"invite_expires_in_minutes"},
		{"adam", "POST /invites/multiuse", []string{"welcome_message_custom_text", strings.Repeat("x", 8001)}, "BAD_REQUEST",
			"too long"},
	} {
		params := c.params
		if c.call == "POST /invites" && c.code == "BAD_REQUEST" {
			for name, value := range map[string]string{"invitee_emails": "eve@example.com", "stream_ids": "[]"} {
				if !strings.Contains(strings.Join(params, "|")+"|", name+"|") {
					params = append(params, name, value)
				}
			}
		}
		s.As(c.who).Do(c.call, params...).Error(400, c.code, c.msg)
	}
	s.NoEvents()
	if got := s.sent(); len(got) != 0 || len(s.list("olga")) != 0 {
		t.Errorf("invited nevertheless: %v", got)
	}
}

func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "a%d@example.com,", i)
	}
	return b.String()
}

// The permission to invite is a setting of the realm.
func TestInviteSettings(t *testing.T) {
	s := start(t)
	s.As("olga").Do("PATCH /realm", "can_invite_users_group", fmt.Sprintf(`{"new":%d}`, group.Moderators)).OK()
	s.As("olga").Do("PATCH /realm", "create_multiuse_invite_group", fmt.Sprintf(`{"new":%d}`, group.Moderators)).OK()
	s.As("alice").Do("POST /invites", "invitee_emails", "eve@example.com", "stream_ids", "[]").Error(400, "BAD_REQUEST",
		"Insufficient permission")
	s.As("alice").Do("POST /invites/multiuse").Error(400, "BAD_REQUEST", "Insufficient permission")
	s.As("mona").Do("POST /invites", "invitee_emails", "eve@example.com", "stream_ids", "[]").OK()
	s.As("mona").Do("POST /invites/multiuse").OK()
	s.As("mona").Do("POST /invites/multiuse", "invite_as", "300").OK() // to her own role
	s.As("mona").Do("POST /invites/multiuse", "invite_as", "200").Error(400, "BAD_REQUEST",
		"Must be an organization administrator")
}

// Valid addresses are invited even though the response is an error.
func TestPartialFailure(t *testing.T) {
	s := start(t)
	s.As("olga").Do("POST /realm/domains", "domain", "example.com", "allow_subdomains", "false").OK()
	s.As("olga").Do("PATCH /realm", "emails_restricted_to_domains", "true").OK()
	s.As("adam").Do(fmt.Sprintf("DELETE /users/%d", s.UserID("bob"))).OK()
	s.Skip()
	bad := "alice@example.com,Bob <BOB@example.com>,nonsense,eve@elsewhere.org,a+b@example.com,a b@example.com," +
		fmt.Sprintf("user%d@stoa.invalid", s.UserID("adam")) + ",notification-bot@stoa.invalid"
	errors := `[["alice@example.com","Already has an account.",false],
		["BOB@example.com","Account has been deactivated.",true],
		["nonsense","Enter a valid email address.",false],
		["eve@elsewhere.org","Email addresses of elsewhere.org are not allowed in this organization.",false],
		["a+b@example.com","Email addresses containing + are not allowed.",false],
		["a b@example.com","Enter a valid email address.",false],
		["user` + fmt.Sprint(s.UserID("adam")) + `@stoa.invalid","*",false],["notification-bot@stoa.invalid","*",false]]`
	s.As("adam").Do("POST /invites", "invitee_emails", bad, "stream_ids", "[]").Is(400,
		`{"result":"error","msg":"None of these people could be invited.",
		"code":"INVITATION_FAILED","errors":`+errors+`,"sent_invitations":false,"license_limit_reached":false,
		"daily_limit_reached":false}`)
	s.NoEvents()
	s.As("adam").Do("POST /invites", "invitee_emails", "eve@example.com,"+bad, "stream_ids", "[]").Is(400,
		`{"result":"error",
		"msg":"Some of these people could not be invited. The others have been.",
		"code":"INVITATION_FAILED","errors":`+errors+`,"sent_invitations":true,"license_limit_reached":false,
		"daily_limit_reached":false}`)
	s.Events(`invites_changed admins+adam {}`)
	if got := s.sent(); len(got) != 1 || got[0].To != "eve@example.com" || len(s.list("olga")) != 1 {
		t.Errorf("%+v", got)
	}
}

func failed(msg, flags string) string {
	return `{"result":"error","msg":"` + msg + `","code":"INVITATION_FAILED","errors":[],"sent_invitations":false,` +
		flags + `}`
}

func TestAccountAge(t *testing.T) {
	s := start(t)
	s.As("olga").Do("POST /users", "email", "new@example.com", "full_name", "New", "password", password).OK()
	me := s.login("new@example.com")
	s.Skip()
	tooNew := failed("Your account is too new to invite people. Ask an administrator or a longer-standing member.",
		`"license_limit_reached":false,"daily_limit_reached":false`)
	me.Do("POST /invites", "invitee_emails", "eve@example.com", "stream_ids", "[]").Is(400, tooNew)
	s.Clock.Advance(3*24*time.Hour - time.Second)
	me.Do("POST /invites", "invitee_emails", "eve@example.com", "stream_ids", "[]").Is(400, tooNew)
	s.NoEvents()
	s.Clock.Advance(time.Second)
	me.Do("POST /invites", "invitee_emails", "eve@example.com", "stream_ids", "[]").OK()
	s.Clock.Set(s.Clock.Now().Add(-4 * 24 * time.Hour))
	// The waiting period does not apply to administrators.
	s.As("adam").Do("POST /invites", "invitee_emails", "fay@example.com", "stream_ids", "[]").OK()
}

func TestDailyLimit(t *testing.T) {
	s := start(t, "daily_invitations: 10", "daily_per_address: 2")
	today := failed("Too many people have been invited today. Please try again tomorrow.",
		`"license_limit_reached":false,"daily_limit_reached":true`)
	invite := func(who, emails string) {
		s.T.Helper()
		s.As(who).Do("POST /invites", "invitee_emails", emails, "stream_ids", "[]").OK()
	}
	refuse := func(who, emails, answer string) {
		s.T.Helper()
		s.Skip()
		s.As(who).Do("POST /invites", "invitee_emails", emails, "stream_ids", "[]").Is(400, answer)
		s.NoEvents()
	}
	invite("alice", "a@example.com,b@example.com")
	invite("bob", "c@example.com")
	s.As("alice").Do("POST /invites/1/resend").OK()
	// One member leaves something to the others, members to administrators, and administrators to owners.
	refuse("alice", "d@example.com,e@example.com",
		strings.Replace(today, "Too many people have been invited", "You have invited too many people", 1))
	invite("adam", "d@example.com,e@example.com,f@example.com,g@example.com")
	refuse("bob", "h@example.com", today)
	s.As("bob").Do("POST /invites/3/resend").Error(400, "BAD_REQUEST", "Too many people")
	invite("adam", "h@example.com")
	refuse("adam", "i@example.com", today)
	invite("olga", "i@example.com")
	refuse("olga", "j@example.com", today)
	s.Clock.Advance(24 * time.Hour)
	s.As("alice").Do("POST /invites/1/resend").OK()
	s.As("alice").Do("POST /invites/1/resend").OK()
	s.As("alice").Do("POST /invites/1/resend").Error(400, "BAD_REQUEST", "This address")
	s.As("bob").Do("POST /invites", "invitee_emails", "A@example.com", "stream_ids", "[]").Error(400, "INVITATION_FAILED",
		"None")
	if got := s.sent(); len(got) != 12 {
		t.Errorf("%d mails", len(got))
	}
}

func TestMaxPending(t *testing.T) {
	s := start(t, "max_pending: 4", "max_pending_per_inviter: 3")
	s.link("adam")
	s.As("alice").Do("POST /invites", "invitee_emails", "a@example.com,b@example.com,c@example.com", "stream_ids", "[]").
		Error(400, "BAD_REQUEST", "You have too many invitations that have not been used (limit: 2)")
	s.invite("alice", "a@example.com")
	s.link("adam")
	s.link("adam")
	s.As("adam").Do("POST /invites/multiuse").Error(400, "BAD_REQUEST", "limit: 4")
	s.As("adam").Do("DELETE /invites/multiuse/1").OK()
	s.link("adam")
}

func TestLink(t *testing.T) {
	s := start(t)
	link := s.As("adam").Do("POST /invites/multiuse").OK().String("invite_link")
	s.Events(`invites_changed admins+adam {}`)
	if !strings.HasPrefix(link, site+"/join/") || !strings.HasSuffix(link, "/") {
		t.Error(link)
	}
	now := s.Clock.Now()
	want := fmt.Sprintf(`{"result":"success","msg":"","invites":[{"id":1,"link_url":%q,"invited_by_user_id":%d,
	"invited":%d,"expiry_date":%d,"invited_as":400,
		"is_multiuse":true,"notify_referrer_on_join":true,"uses":0,"stream_ids":[],"group_ids":[],
		"include_realm_default_subscriptions":false}]}`, link, s.UserID("adam"), now.Unix(),
		now.AddDate(0, 0, 10).Unix())
	s.As("adam").Do("GET /invites").Is(200, want)
	s.As("olga").Do("GET /invites").Is(200, want)
	if len(s.list("alice")) != 0 {
		t.Error("another user sees a link")
	}
	s.Restart()
	s.As("adam").Do("GET /invites").Is(200, want)
	owners := s.As("olga").Do("POST /invites/multiuse", "invite_as", "100", "invite_expires_in_minutes",
		"null").OK().String("invite_link")
	if a := s.As("adam").Do("GET /invites").OK(); strings.Contains(a.Body, owners) || len(s.list("olga")) != 2 {
		t.Errorf("an administrator can become an owner: %s", a.Body)
	}
	s.As("adam").Do("DELETE /invites/multiuse/2").Error(400, "BAD_REQUEST", "No such invitation")
	s.As("olga").Do("DELETE /invites/multiuse/2").OK()
}
