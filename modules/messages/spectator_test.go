package messages_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// Spectators read web-public channels if the realm and the server allow it.
func TestSpectators(t *testing.T) {
	s := startOpen(t)
	const public = `[["channels","web-public"]]`
	web := s.As("olga").Do("POST /channels/create", "name", "open", "is_web_public", "true", "subscribers",
		"[]").OK().Int("id")
	post := func(channel, text string) int64 {
		return s.As("olga").Do("POST /messages", "type", "stream", "to", channel, "topic", "x", "content",
			text).OK().Int("id")
	}
	seen := []int64{post("open", "apples are out"), post("open", "pears")}
	hidden := []int64{
		post("general", "apples too"), post("secret", "apples as well"),
		s.As("olga").Do("POST /messages", "type", "direct", "to", fmt.Sprintf("[%d]", s.UserID("bob")), "content",
			"apples").OK().Int("id"), 99999,
	}
	list := func(narrow string, more ...string) *kittest.Response {
		return s.Anonymous().Do("GET /messages", append([]string{"anchor", "newest", "num_before", "50", "narrow", narrow},
			more...)...)
	}
	ids := func(a *kittest.Response) string {
		t.Helper()
		var got []int64
		for i := range a.OK().Get("messages").([]any) {
			got = append(got, a.Int(fmt.Sprintf("messages.%d.id", i)))
		}
		return fmt.Sprint(got)
	}
	refused := func(a *kittest.Response) {
		t.Helper()
		a.Error(401, "UNAUTHORIZED", "Not logged in: API authentication or user session required")
	}
	a := list(public)
	if got := ids(a); got != fmt.Sprint(seen) {
		t.Errorf("all: %s, want %v", got, seen)
	}
	if got := kittest.JSON(a.Get("messages.0.flags")); got != `["read"]` {
		t.Errorf("flags %s", got)
	}
	if a.Get("messages.0.avatar_url") == nil {
		t.Error("the client would have to compute the avatar from an address that it does not have")
	}
	if got := ids(list(`[["channels","web-public"],["search","apples"]]`)); got != fmt.Sprint(seen[:1]) {
		t.Errorf("search: %s", got)
	}
	all := fmt.Sprint(append(append([]int64{}, hidden...), seen...))
	if got := ids(s.Anonymous().Do("GET /messages", "narrow", public, "message_ids",
		kittest.JSON(append(append([]int64{}, hidden...), seen...)))); got != fmt.Sprint(seen) {
		t.Errorf("of %s: %s", all, got)
	}
	for _, narrow := range []string{`[]`, `[["channel","open"]]`, `[["channels","web-public"],["is","unread"]]`,
		`[["is","dm"]]`, `[["channels","public"]]`} {
		refused(list(narrow))
	}
	refused(s.Anonymous().Do("GET /messages", "message_ids", kittest.JSON(seen)))
	refused(list(`[["channels","web-public"],["channel","general"]]`))
	refused(list(`[["channels","web-public"],["channel","nowhere"]]`))
	if got := ids(list(fmt.Sprintf(`[["channels","web-public"],{"operator":"id","operand":%d}]`,
		hidden[0]))); got != "[]" {
		t.Errorf("by id: %s", got)
	}
	// Single messages, and topics.
	one := s.Anonymous().Do(fmt.Sprintf("GET /messages/%d", seen[0])).OK()
	if got := kittest.JSON(one.Get("message.flags")); got != `["read"]` {
		t.Errorf("flags %s", got)
	}
	for _, id := range hidden {
		refused(s.Anonymous().Do(fmt.Sprintf("GET /messages/%d", id)))
	}
	if got := s.Anonymous().Do(fmt.Sprintf("GET /users/me/%d/topics", web)).OK().String("topics.0.name"); got != "x" {
		t.Errorf("topic %q", got)
	}
	for _, id := range []any{s.ChannelID("general"), s.ChannelID("secret"), 9999} {
		refused(s.Anonymous().Do(fmt.Sprintf("GET /users/me/%d/topics", id)))
	}
	// Spectators have no other access, and invalid credentials are refused.
	for _, call := range []string{
		"GET /messages/matches_narrow", fmt.Sprintf("GET /messages/%d/read_receipts", seen[0]),
		fmt.Sprintf("GET /messages/%d/history", seen[0]),
		"POST /messages", fmt.Sprintf("POST /messages/%d/reactions", seen[0]), "POST /messages/flags",
		fmt.Sprintf("DELETE /messages/%d", seen[0]),
	} {
		refused(s.Anonymous().Do(call))
	}
	s.WithKey("bob@example.com", "wrong").Do("GET /messages", "anchor", "newest", "num_before", "5", "narrow",
		public).Error(401, "UNAUTHORIZED", "Invalid API key")
	s.As("olga").Do("PATCH /realm", "enable_spectator_access", "false").OK()
	refused(list(public))
	refused(s.Anonymous().Do(fmt.Sprintf("GET /messages/%d", seen[0])))
}

// A server with web-public channels disabled admits no spectators, whatever the realm's setting.
func TestNoSpectators(t *testing.T) {
	s := startFull(t)
	s.As("olga").Do("PATCH /realm", "enable_spectator_access", "true")
	s.Anonymous().Do("GET /messages", "anchor", "newest", "num_before", "5", "narrow", `[["channels","web-public"]]`).
		Error(401, "UNAUTHORIZED", "Not logged in: API authentication or user session required")
}

// For spectators no address belongs to any user, so that they cannot guess addresses.
func TestSpectatorsResolveNoAddresses(t *testing.T) {
	s := startOpen(t)
	s.As("olga").Do("POST /channels/create", "name", "open", "is_web_public", "true", "subscribers", "[]").OK()
	s.As("olga").Do("POST /messages", "type", "stream", "to", "open", "topic", "x", "content", "hello").OK()
	// Addresses visible to everyone, as those of bots always are.
	for who, visible := range map[string]string{"olga": "1", "alice": "1", "bot": ""} {
		if visible != "" {
			s.As(who).Do("PATCH /settings", "email_address_visibility", visible).OK()
		}
	}
	list := func(operator, address string) *kittest.Response {
		narrow := fmt.Sprintf(`[["channels","web-public"],[%q,%q]]`, operator, address)
		return s.Anonymous().Do("GET /messages", "anchor", "newest", "num_before", "5", "num_after", "0", "narrow", narrow)
	}
	unknown := list("sender", "nobody@example.com")
	for _, who := range []string{"olga", "alice", "bot"} {
		address := s.As(who).Email()
		got := list("sender", address)
		if got.Status != unknown.Status || strings.ReplaceAll(got.Body, address, "nobody@example.com") != unknown.Body {
			t.Errorf("sender:%s returns %d %s, not %d %s", address, got.Status, got.Body, unknown.Status, unknown.Body)
		}
	}
	if a := s.As("bob").Do("GET /messages", "anchor", "newest", "num_before", "5", "num_after", "0",
		"narrow", `[["channels","web-public"],["sender","olga@example.com"]]`).OK(); !a.Has("messages.0") {
		t.Error("a member's lookup by address finds nothing")
	}
}
