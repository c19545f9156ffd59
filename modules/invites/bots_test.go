package invites_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// bot creates another bot of alice's.
func (s server) bot(name string) *kittest.Client {
	s.T.Helper()
	by := user.Actor{Realm: s.Realm, System: true, Client: "test"}
	email := name + "-bot@example.com"
	id, err := s.Ports.Accounts.Create(s.T.Context(), by, ports.NewUser{
		Email: email, FullName: name, Role: user.Member, BotType: user.GenericBot, BotOwner: s.UserID("alice"),
	})
	if err != nil {
		s.T.Fatal(err)
	}
	key, err := s.Ports.Accounts.IssueKey(s.T.Context(), by, id)
	if err != nil {
		s.T.Fatal(err)
	}
	return s.WithKey(email, key)
}

// TestBotsInvite checks that bots create, list and revoke invitations with the permissions of their role, like users.
func TestBotsInvite(t *testing.T) {
	s := start(t)
	role := func(r user.Role) {
		s.T.Helper()
		s.As("olga").Do(fmt.Sprintf("PATCH /users/%d", s.UserID("bot")), "role", fmt.Sprint(int(r))).OK()
	}
	s.As("olga").Do("PATCH /realm", "can_invite_users_group", fmt.Sprintf(`{"new":%d}`, group.Moderators)).OK()
	for _, who := range []string{"alice", "bot"} {
		for _, call := range []string{"POST /invites", "POST /invites/multiuse"} {
			s.As(who).Do(call, "invitee_emails", "x@example.com", "stream_ids", "[]").Error(400, "BAD_REQUEST",
				"Insufficient permission")
		}
	}
	s.As("olga").Do("PATCH /realm", "can_invite_users_group", fmt.Sprintf(`{"new":%d}`, group.Members),
		"create_multiuse_invite_group", fmt.Sprintf(`{"new":%d}`, group.Members)).OK()
	s.invite("olga", "olgas@example.com") // 1
	s.link("olga")                        // 2
	s.Skip()
	s.As("bot").Do("POST /invites", "invitee_emails", "eve@example.com", "stream_ids", "[]").OK() // 3
	s.Events("invites_changed admins+bot {}")
	byMail := s.key("eve@example.com")
	s.As("bot").Do("POST /invites/3/resend").OK()
	if again := s.key("eve@example.com"); again != byMail {
		t.Error("the email sent again has another key")
	}
	byLink := s.link("bot") // 4
	if got := s.list("bot"); len(got) != 2 {
		t.Errorf("the bot sees %v", got)
	}
	s.As("bot").Do("POST /invites", "invitee_emails", "y@example.com", "stream_ids", "[]", "invite_as", "200").
		Error(400, "BAD_REQUEST", "Must be an organization administrator")
	for _, call := range []string{"DELETE /invites/1", "POST /invites/1/resend", "DELETE /invites/multiuse/2"} {
		s.As("bot").Do(call).Error(400, "BAD_REQUEST", "No such invitation")
	}

	// The owner is notified of users who join, and told through which bot.
	eve := s.join(byMail, "Eve").OK().Int("user_id")
	want := fmt.Sprintf("Notification Bot: @_**Eve|%d** has accepted an invitation from your bot @_**Helper Bot|%d** and "+
		"joined.", eve, s.UserID("bot"))
	if got := serverMessages(s.As("alice")); !slices.Contains(got, want) {
		t.Errorf("alice received %q", got)
	}

	s.As("bot").Do("DELETE /invites/multiuse/4").OK()
	s.join(byLink, "Fay", "email", "fay@example.com").Error(404, "NOT_FOUND", "")
	role(user.Admin)
	if got := s.list("bot"); len(got) != 2 {
		t.Errorf("the administrator bot sees %v", got)
	}
	s.As("bot").Do("POST /invites/1/resend").OK()
	s.As("bot").Do("DELETE /invites/1").OK()
	s.As("bot").Do("DELETE /invites/multiuse/2").OK()
	s.As("bot").Do("POST /invites/multiuse", "invite_as", "100").Error(400, "BAD_REQUEST", "Must be an organization owner")
	s.link("bot", "invite_as", "200")
	role(user.Guest)
	if got := s.list("olga"); len(got) != 0 {
		t.Errorf("after the bot became a guest: %v", got)
	}
	s.As("bot").Do("GET /invites").Error(400, "BAD_REQUEST", "Not allowed for guest users")
}

// TestBotsShareTheirOwnersLimits checks that a person's bots do not multiply the person's shares.
func TestBotsShareTheirOwnersLimits(t *testing.T) {
	s := start(t, "daily_invitations: 10", "max_pending_per_inviter: 5", "daily_confirmations: 5")
	second := s.bot("second") // new, but its owner is not
	s.As("olga").Do("PATCH /realm", "create_multiuse_invite_group", fmt.Sprintf(`{"new":%d}`, group.Members)).OK()
	invite := func(c *kittest.Client, email string) *kittest.Response {
		return c.Do("POST /invites", "invitee_emails", email, "stream_ids", "[]")
	}
	invite(s.As("alice"), "a@example.com,b@example.com").OK()
	invite(s.As("bot"), "c@example.com").OK()
	invite(second, "d@example.com").OK()
	const tooMany = "You have invited too many people today."
	for _, c := range []*kittest.Client{s.As("alice"), s.As("bot"), second} {
		invite(c, "e@example.com").Error(400, "INVITATION_FAILED", tooMany)
	}
	s.As("bot").Do("POST /invites/3/resend").Error(400, "BAD_REQUEST", tooMany)
	invite(s.As("bob"), "e@example.com").OK()
	second.Do("POST /invites/multiuse").OK()
	s.As("bot").Do("POST /invites/multiuse").Error(400, "BAD_REQUEST",
		"You have too many invitations that have not been used (limit: 5)")

	s.Clock.Advance(24 * time.Hour)
	s.As("bot").Do("DELETE /invites/3").OK()
	key := s.link("bot")
	other := s.link("bob")
	confirm := func(key, email string) *kittest.Response {
		return s.Anonymous().Do("POST /join", "key", key, "email", email)
	}
	confirm(key, "f@example.com").OK()
	second.Do("DELETE /invites/4").OK()
	again := s.link("alice")
	confirm(again, "g@example.com").OK()
	confirm(key, "h@example.com").Error(429, "RATE_LIMIT_HIT", "Too many people have tried to join today.")
	confirm(other, "h@example.com").OK()
}

// TestBotsInvitationsEnd checks that the invitations of a bot end with the bot, and with its owner.
func TestBotsInvitationsEnd(t *testing.T) {
	for _, who := range []string{"bot", "alice"} {
		s := start(t)
		s.As("olga").Do("PATCH /realm", "create_multiuse_invite_group", fmt.Sprintf(`{"new":%d}`, group.Members)).OK()
		byMail, byLink := s.invite("bot", "eve@example.com"), s.link("bot")
		s.As("olga").Do(fmt.Sprintf("DELETE /users/%d", s.UserID(who))).OK()
		if got := s.list("olga"); len(got) != 0 {
			t.Errorf("after %s was deactivated: %v", who, got)
		}
		s.join(byMail, "Eve").Error(404, "NOT_FOUND", "")
		s.join(byLink, "Eve", "email", "eve@example.com").Error(404, "NOT_FOUND", "")
	}
}
