package invites_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/modules/kit"
)

const notValid = "This invitation is not valid: it may have been used, been revoked or expired."

// subscribedChannels returns the channels that a user is subscribed to.
func subscribedChannels(me *kittest.Client) string {
	var out []string
	for _, sub := range me.Do("GET /users/me/subscriptions").OK().Get("subscriptions").([]any) {
		out = append(out, sub.(map[string]any)["name"].(string))
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// serverMessages returns the direct messages that a user received from the server, oldest first.
func serverMessages(me *kittest.Client) []string {
	out := []string{}
	for _, m := range me.Do("GET /messages", "anchor", "newest", "num_before", "50", "num_after", "0", "narrow",
		`[{"operator":"is","operand":"dm"}]`, "apply_markdown", "false").OK().Get("messages").([]any) {
		m := m.(map[string]any)
		out = append(out, fmt.Sprintf("%s: %s", m["sender_full_name"], m["content"]))
	}
	return out
}

func TestJoinByMail(t *testing.T) {
	s := start(t)
	key := s.invite("alice", "eve@example.com")
	s.Skip()
	for _, c := range []struct {
		params []string
		status int
		code   string
		msg    string
	}{
		{[]string{"key", key, "password", password}, 400, "BAD_REQUEST", "Name must not be empty!"},
		{[]string{"key", key, "full_name", "*Eve*", "password", password}, 400, "BAD_REQUEST", "Invalid characters in name!"},
		{[]string{"key", key, "full_name", "Eve"}, 400, "BAD_REQUEST", "The password must have at least 8 characters."},
		{[]string{"key", key, "full_name", "Eve", "password", "eve@example.com"}, 400, "BAD_REQUEST",
			"The password is too easy to guess. Make it longer, or combine several unusual words."},
		{[]string{"key", key, "full_name", "Eve", "password", password, "email", "mallory@example.com"}, 400, "BAD_REQUEST",
			"This invitation was sent to a different address."},
		{[]string{"key", key + "x", "full_name", "Eve", "password", password}, 404, "NOT_FOUND", notValid},
		{[]string{"key", key[:len(key)-1], "full_name", "Eve", "password", password}, 404, "NOT_FOUND", notValid},
		{[]string{"key", "2" + key[1:], "full_name", "Eve", "password", password}, 404, "NOT_FOUND", notValid},
		{[]string{"key", "nonsense", "full_name", "Eve", "password", password}, 404, "NOT_FOUND", notValid},
		{[]string{"full_name", "Eve", "password", password, "email", "eve@example.com"}, 400, "BAD_REQUEST",
			"You need an invitation to join this organization."},
	} {
		s.Anonymous().Do("POST /join", c.params...).Error(c.status, c.code, c.msg)
	}
	s.NoEvents()
	s.Anonymous().Do("POST /join/look", "key", key).Is(200,
		`{"result":"success","msg":"","realm_name":"Stoics","email":"eve@example.com","confirmation_required":false}`)
	a := s.join(key, "Eve", "email", "EVE@example.com").OK()
	id := a.Int("user_id")
	a.Is(200, fmt.Sprintf(`{"result":"success","msg":"","user_id":%d,"email":"eve@example.com","confirmation_sent":false}`,
		id))
	s.EventsOf("realm_user", fmt.Sprintf("realm_user/add seeing:%d", id))
	eve := s.login("eve@example.com")
	eve.Do("GET /users/me").OK()
	if me := eve.Do("GET /users/me").OK(); me.Int("role") != 400 || me.String("full_name") != "Eve" ||
		me.Int("user_id") != id {
		t.Errorf("%s", me.Body)
	}
	if got := subscribedChannels(eve); got != "" {
		t.Errorf("subscribes to %q", got)
	}
	want := []string{fmt.Sprintf("Notification Bot: @_**Eve|%d** has accepted your invitation and joined.", id)}
	if got := serverMessages(s.As("alice")); !slices.Equal(got, want) {
		t.Errorf("alice received %q", got)
	}
	if got := serverMessages(eve); len(got) != 1 || !strings.HasPrefix(got[0], "Welcome Bot: Hello, and welcome!") {
		t.Errorf("eve received %q", got)
	}
	for _, name := range []string{"Eve", "Mallory"} {
		s.join(key, name).Error(404, "NOT_FOUND", notValid)
	}
	s.Anonymous().Do("POST /join/look", "key", key).Error(404, "NOT_FOUND", notValid)
	if got := s.list("alice"); len(got) != 0 {
		t.Errorf("still listed: %v", got)
	}
	s.As("alice").Do("DELETE /invites/1").Error(400, "BAD_REQUEST", "No such invitation")
}

// Without passwords, nobody joins past the method by which people log in.
func TestWithoutPasswords(t *testing.T) {
	s := start(t)
	key := s.invite("alice", "eve@example.com")
	s.As("olga").Do("PATCH /realm", "invite_required", "false").OK()
	s.Do(func(ctx context.Context) error {
		v, err := s.Ports.Directory.View(ctx, s.Realm)
		if err != nil {
			return err
		}
		now := *v.Realm()
		now.Settings.PasswordAuth = false
		return s.Ports.Log.Append(ctx, kit.Event[kit.None]("realm", "created").
			To(s.Realm, event.None(), kit.None{}).Changing(directory.OfRealm(v.Realm(), &now)))
	})
	s.Skip()
	s.Anonymous().Do("POST /join/look", "key", key).Error(400, "BAD_REQUEST", "This organization uses no passwords.")
	s.join(key, "Eve").Error(400, "BAD_REQUEST", "This organization uses no passwords.")
	s.Anonymous().Do("POST /join", "email", "eve@example.com").
		Error(400, "BAD_REQUEST", "This organization uses no passwords.")
	s.NoEvents()
}

func TestEventsOfJoining(t *testing.T) {
	s := start(t)
	key := s.invite("alice", "eve@example.com", "stream_ids", fmt.Sprintf("[%d]", s.ChannelID("general")))
	s.Skip()
	s.join(key, "Eve").OK()
	var got []string
	for _, e := range s.Log() {
		got = append(got, e.Type+"/"+e.Op)
	}
	want := "realm_user/add invites_changed/ subscription/peer_add user_group/add_members user_group/add_members " +
		"message/ message/"
	if strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// The settings of an invitation are applied.
func TestTerms(t *testing.T) {
	s := start(t)
	general, secret := int64(s.ChannelID("general")), int64(s.ChannelID("secret"))
	s.As("adam").Do("POST /default_streams", "stream_id", fmt.Sprint(general)).OK()
	s.As("olga").Do("PATCH /realm", "welcome_message_custom_text", "Welcome, all.").OK()
	team := s.As("olga").Do("POST /user_groups/create", "name", "team", "description", "d", "members",
		"[]").OK().Int("group_id")
	for i, c := range []struct {
		who      string
		params   []string
		role     int64
		channels string
		groups   bool
		welcome  []string
		notified bool
	}{
		{"alice", nil, 400, "", false, []string{"Welcome Bot: Welcome, all."}, true},
		{"alice", []string{"include_realm_default_subscriptions", "true"}, 400, "general", false,
			[]string{"Welcome Bot: Welcome, all."}, true},
		{"alice", []string{"stream_ids", fmt.Sprintf("[%d]", secret)}, 400, "secret", false,
			[]string{"Welcome Bot: Welcome, all."}, true},
		{"olga", []string{"stream_ids", fmt.Sprintf("[%d,%d]", secret, general)}, 400, "general secret", false,
			[]string{"Welcome Bot: Welcome, all."}, true},
		{"olga", []string{"group_ids", fmt.Sprintf("[%d]", team)}, 400, "", true, []string{"Welcome Bot: Welcome, all."},
			true},
		{"olga", []string{"invite_as", "100", "notify_referrer_on_join", "false"}, 100, "", false,
			[]string{"Welcome Bot: Welcome, all."}, false},
		{"olga", []string{"invite_as", "600", "include_realm_default_subscriptions", "true"}, 600, "general", false,
			[]string{"Welcome Bot: Welcome, all."}, true},
		{"olga", []string{"invite_as", "600"}, 600, "", false, []string{"Welcome Bot: Welcome, all."}, true},
		{"adam", []string{"invite_as", "300", "welcome_message_custom_text", ""}, 300, "", false, []string{}, true},
		{"adam", []string{"invite_as", "200", "welcome_message_custom_text", " Hello **you** "}, 200, "", false,
			[]string{"Welcome Bot:  Hello **you**"}, true},
		{"adam", []string{"welcome_message_custom_text", "null"}, 400, "", false, []string{"Welcome Bot: Welcome, all."},
			true},
		// mona is not an administrator.
		{"mona", []string{"welcome_message_custom_text", "mine"}, 400, "", false, []string{"Welcome Bot: Welcome, all."},
			true},
		{"mona", []string{"welcome_message_custom_text", "null"}, 400, "", false, []string{"Welcome Bot: Welcome, all."},
			true},
	} {
		email := fmt.Sprintf("eve%d@example.com", i)
		params := c.params
		if !slices.Contains(params, "stream_ids") {
			params = append(params, "stream_ids", "[]")
		}
		s.As(c.who).Do("POST /invites", append([]string{"invitee_emails", email}, params...)...).OK()
		before := len(serverMessages(s.As(c.who)))
		s.join(s.key(email), fmt.Sprintf("Eve %d", i)).OK()
		eve := s.login(email)
		if got := eve.Do("GET /users/me").OK().Int("role"); got != c.role {
			t.Errorf("%d: role %d", i, got)
		}
		if got := subscribedChannels(eve); got != c.channels {
			t.Errorf("%d: subscribed to %q, want %q", i, got, c.channels)
		}
		if got := serverMessages(eve); !slices.Equal(got, c.welcome) {
			t.Errorf("%d: received %q, want %q", i, got, c.welcome)
		}
		if got := len(serverMessages(s.As(c.who)))-before == 1; got != c.notified {
			t.Errorf("%d: the inviter received %v", i, got)
		}
		id := eve.Do("GET /users/me").OK().Int("user_id")
		member := s.As("olga").Do(fmt.Sprintf("GET /user_groups/%d/members/%d", team, id)).OK().Get("is_user_group_member")
		if member != c.groups {
			t.Errorf("%d: member of the group: %v", i, member)
		}
	}
	members := fmt.Sprintf("GET /user_groups/%d/members", team)
	before := s.As("olga").Do(members).OK()
	s.Restart() // reload from the database
	s.As("olga").Do(members).Is(200, before.Body)
}

// An invitation grants only what its inviter has permission to grant when it is used.
func TestInviterLostPermission(t *testing.T) {
	s := start(t)
	general := int64(s.ChannelID("general"))
	other := s.As("bob").Do("POST /channels/create", "name", "other", "subscribers",
		fmt.Sprintf("[%d]", s.UserID("bob"))).OK().Int("id")
	team := s.As("bob").Do("POST /user_groups/create", "name", "team", "description", "d", "members",
		"[]").OK().Int("group_id")
	gone := s.As("bob").Do("POST /user_groups/create", "name", "gone", "description", "d", "members",
		"[]").OK().Int("group_id")
	key := s.invite("bob", "eve@example.com", "stream_ids", fmt.Sprintf("[%d,%d]", general, other), "group_ids",
		fmt.Sprintf("[%d,%d]", team, gone))
	// Only owners may add subscribers now. bob, who created other, administers it.
	s.As("olga").Do("PATCH /realm", "can_add_subscribers_group", `{"new":2}`).OK()
	s.As("bob").Do(fmt.Sprintf("POST /user_groups/%d/deactivate", gone)).OK()
	s.join(key, "Eve").OK()
	if got := subscribedChannels(s.login("eve@example.com")); got != "other" {
		t.Errorf("subscribes to %q", got)
	}
	id := s.login("eve@example.com").Do("GET /users/me").Int("user_id")
	if in := s.As("bob").Do(fmt.Sprintf("GET /user_groups/%d/members/%d", team,
		id)).OK().Get("is_user_group_member"); in != true {
		t.Error("not in the group")
	}
	key = s.invite("bob", "fay@example.com", "stream_ids", fmt.Sprintf("[%d]", other))
	s.As("olga").Do(fmt.Sprintf("DELETE /streams/%d", other)).OK()
	s.join(key, "Fay").OK()
	if got := subscribedChannels(s.login("fay@example.com")); got != "" {
		t.Errorf("subscribes to %q", got)
	}
	key = s.invite("bob", "gil@example.com")
	link := s.link("adam")
	s.As("olga").Do("PATCH /realm", "can_invite_users_group", `{"new":3}`).OK()
	s.As("olga").Do("PATCH /realm", "create_multiuse_invite_group", `{"new":2}`).OK()
	s.Skip()
	s.join(key, "Gil").Error(404, "NOT_FOUND", notValid)
	s.join(link, "Gil", "email", "gil@example.com").Error(404, "NOT_FOUND", notValid)
	s.NoEvents()
	// The invitation stays, because the permission may be restored.
	s.As("olga").Do("PATCH /realm", "can_invite_users_group", `{"new":6}`).OK()
	s.join(key, "Gil").OK()
}

func TestExpired(t *testing.T) {
	s := start(t)
	mail, link := s.invite("alice", "eve@example.com"), s.link("adam")
	s.As("alice").Do("POST /invites", "invitee_emails", "late@example.com", "stream_ids", "[]").OK()
	s.join(link, "", "email", "fay@example.com").OK()
	s.Clock.Advance(10*24*time.Hour - time.Second)
	for _, key := range []string{mail, link} {
		s.Anonymous().Do("POST /join/look", "key", key).OK()
	}
	s.Clock.Advance(time.Second)
	for _, key := range []string{mail, link} {
		s.join(key, "Eve", "email", "eve@example.com").Error(404, "NOT_FOUND", notValid)
	}
	if got := s.sent(); len(got) != 0 {
		t.Errorf("sent too late: %v", got)
	}
}

// A user who was invited by email joins in another way.
func TestOtherInvitations(t *testing.T) {
	s := start(t)
	first, second := s.invite("alice", "eve@example.com"), s.invite("bob", "Eve@example.com")
	other := s.invite("bob", "fay@example.com")
	s.Skip()
	s.join(second, "Eve").OK()
	s.EventsOf("invites_changed", "invites_changed admins+alice+bob {}")
	s.join(first, "Eve again").Error(404, "NOT_FOUND", notValid)
	if got := s.list("olga"); len(got) != 1 {
		t.Errorf("%v", got)
	}
	s.As("olga").Do("POST /users", "email", "fay@example.com", "full_name", "Fay", "password", password).OK()
	s.EventsOf("invites_changed", "invites_changed admins+bob {}")
	s.join(other, "Fay").Error(404, "NOT_FOUND", notValid)
	s.NoEvents()
}

func TestDomainsAreCheckedAgain(t *testing.T) {
	s := start(t)
	key, link := s.invite("alice", "eve@elsewhere.org"), s.link("adam")
	s.As("olga").Do("POST /realm/domains", "domain", "example.com", "allow_subdomains", "false").OK()
	s.As("olga").Do("PATCH /realm", "emails_restricted_to_domains", "true").OK()
	s.Skip()
	s.join(key, "Eve").Error(400, "BAD_REQUEST", "not allowed in this organization")
	s.join(link, "", "email", "eve@elsewhere.org").Error(400, "BAD_REQUEST", "not allowed in this organization")
	s.NoEvents()
	s.join(link, "", "email", "eve@example.com").OK()
	if got := s.sent(); len(got) != 1 {
		t.Errorf("%v", got)
	}
}
