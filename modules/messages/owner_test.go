package messages_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// The owner of a bot is warned when it writes to a channel without subscribers, at most once per bot in five minutes.
func TestBotOwnerIsWarned(t *testing.T) {
	s := startFull(t)
	warned := func() []string {
		t.Helper()
		var all []string
		for _, m := range newestOf(s, "alice", `[{"operator":"dm","operand":[1]}]`, false) {
			all = append(all, m.Content)
		}
		return all
	}
	post := func(as, to, topic string) *kittest.Response {
		return s.As(as).Do("POST /messages", "type", "stream", "to", to, "topic", topic, "content", "x")
	}
	bot := fmt.Sprintf("Your bot @_**Helper Bot|%d** ", s.UserID("bot"))
	want := func(texts ...string) {
		t.Helper()
		if got := warned(); strings.Join(got, "\n") != strings.Join(texts, "\n") {
			t.Fatalf("alice received\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(texts, "\n"))
		}
	}
	post("bot", "general", "x").OK()
	want()
	s.Skip()
	post("bob", "nowhere", "x").Error(400, "STREAM_DOES_NOT_EXIST", "Channel 'nowhere' does not exist")
	s.NoEvents() // only for bots
	post("bot", "no*where", "x").Error(400, "STREAM_DOES_NOT_EXIST", "Channel 'no*where' does not exist")
	first := bot + "has tried to write to the channel **no&#42;where**, which does not exist."
	want(first)
	s.Skip()
	post("bot", "nowhere", "x").Error(400, "STREAM_DOES_NOT_EXIST", "Channel 'nowhere' does not exist")
	post("bot", "[999]", "x").Error(400, "STREAM_DOES_NOT_EXIST", "Channel with ID '999' does not exist")
	s.NoEvents()
	s.Clock.Advance(5 * time.Minute)
	post("bot", "[999]", "x").Error(400, "STREAM_DOES_NOT_EXIST", "Channel with ID '999' does not exist")
	second := bot + "has tried to write to a channel with the ID 999, which does not exist."
	want(first, second)
	// A channel without subscribers accepts the message.
	s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"empty"}]`).OK()
	s.As("olga").Do("DELETE /users/me/subscriptions", "subscriptions", `["empty"]`).OK()
	post("bot", "empty", "x").OK()
	want(first, second)
	s.Clock.Advance(5 * time.Minute)
	post("bot", "empty", "x").OK()
	want(first, second, bot+"has written to the channel #**empty**, which nobody subscribes to.")
	// The answer reveals nothing about a channel that the bot cannot see.
	s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"hidden"}]`, "invite_only", "true").OK()
	s.As("olga").Do("DELETE /users/me/subscriptions", "subscriptions", `["hidden"]`).OK()
	s.Clock.Advance(5 * time.Minute)
	s.Skip()
	post("bot", "hidden", "x").Error(400, "BAD_REQUEST", "Not authorized to send to channel 'hidden'")
	s.NoEvents()
}
