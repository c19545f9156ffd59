package channels_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/realm"
)

// TestEmailAddress checks who can get a channel's email address, that there is one per requester and sender, and that
// archived channels have none.
func TestEmailAddress(t *testing.T) {
	const config = `modules: {channels: {email_gateway_pattern: "in+%s@mail.example.com"}}`
	s := kittest.StartWith(t, kittest.Options{Config: config}, realm.Module, accounts.Module, channels.Module)
	general, secret := int64(s.ChannelID("general")), int64(s.ChannelID("secret"))
	form := regexp.MustCompile(`^in\+general\.([0-9a-f]{32})\.show-sender@mail\.example\.com$`)
	get := func(who string, params ...string) string {
		t.Helper()
		email := s.As(who).Do(fmt.Sprintf("GET /streams/%d/email_address", general), params...).OK().String("email")
		if !form.MatchString(email) {
			t.Fatalf("%s received %q", who, email)
		}
		return email
	}
	first := get("alice")
	if get("alice") != first {
		t.Error("a second request returned another address")
	}
	seen := map[string]bool{first: true}
	for _, other := range []string{get("bob"), get("alice", "sender_id", id(s, "alice")),
		get("alice", "sender_id", id(s, "bot")), get("guest")} {
		if seen[other] {
			t.Errorf("%s was returned twice", other)
		}
		seen[other] = true
	}
	s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", general), "can_send_message_group", setting(s, "alice")).OK()
	for _, row := range []struct {
		who      string
		of       int64
		sender   string
		msg, why string
	}{
		{"mona", secret, "", "Invalid channel ID", "no metadata access"},
		{"adam", secret, "", "Invalid channel ID", "metadata access only"},
		{"alice", 77, "", "Invalid channel ID", "missing"},
		{"alice", general, id(s, "bob"), "Invalid sender_id", "another user"},
		{"bob", general, id(s, "bot"), "Invalid sender_id", "another's bot"},
		{"alice", general, "9999", "Invalid sender_id", "nobody"},
		{"bob", general, "", "You do not have permission to post in this channel.", "may not post"},
	} {
		params := []string{}
		if row.sender != "" {
			params = []string{"sender_id", row.sender}
		}
		t.Run(row.why, func(t *testing.T) {
			s.In(t).As(row.who).Do(fmt.Sprintf("GET /streams/%d/email_address", row.of), params...).Error(400, "BAD_REQUEST",
				row.msg)
		})
	}
	s.As("olga").Do(fmt.Sprintf("DELETE /streams/%d", general)).OK()
	s.As("alice").Do(fmt.Sprintf("GET /streams/%d/email_address", general)).Error(400, "BAD_REQUEST",
		"Not authorized to send to channel 'general'")
	s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", general), "is_archived", "false").OK()
	if get("alice") == first {
		t.Error("the address from before archiving is valid again")
	}
}

// If the server receives no email, the address is empty even for users who could otherwise get one.
func TestNoEmailAddress(t *testing.T) {
	s := start(t)
	s.As("alice").Do(fmt.Sprintf("GET /streams/%d/email_address", s.ChannelID("general"))).Is(200,
		`{"result":"success","msg":"","email":""}`)
	s.As("mona").Do(fmt.Sprintf("GET /streams/%d/email_address", s.ChannelID("secret"))).Error(400, "BAD_REQUEST",
		"Invalid channel ID")
	for pattern, ok := range map[string]bool{"": true, "%s@x": true, "a@x": false, "%s": false, "%s%s@x": false} {
		if err := (channels.Config{MaxPerRealm: 1, MaxPerAuthor: 1, MaxChannels: 1, MaxNew: 1, MaxDaily: 1, MaxPeople: 1,
			MaxSubscriptions: 1, WholeLists: 1,
			EmailPattern: pattern}).Validate(); (err == nil) != ok {
			t.Errorf("%q: %v", pattern, err)
		}
	}
}
