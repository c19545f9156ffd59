package channels_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
)

// TestUsersComeAndGo checks that new users get the default channels, and that deactivated users have no subscriptions
// until they are reactivated.
func TestUsersComeAndGo(t *testing.T) {
	s := kittest.Start(t, realm.Module, accounts.Module, channels.Module, events.Module)
	general := int64(s.ChannelID("general"))
	s.As("olga").Do("POST /default_streams", "stream_id", fmt.Sprint(general)).OK()
	bob := listen(s, "bob")
	made := s.As("olga").Do("POST /users", "email", "zoe@example.com", "full_name", "Zoe", "password",
		kittest.Password).OK().Int("user_id")
	if got := subscribers(s, general); !strings.HasSuffix(got, fmt.Sprintf(" %d]", made)) {
		t.Errorf("subscribers of the default channel: %s", got)
	}
	if got := bob.Next(); len(got) != 1 || fmt.Sprintf("%v %v", got[0]["op"],
		got[0]["user_ids"]) != fmt.Sprintf("peer_add [%d]", made) {
		t.Errorf("bob received %v about the new user", got)
	}
	s.As("olga").Do(fmt.Sprintf("DELETE /users/%d", made)).OK()
	if got := bob.Next(); len(got) != 1 || fmt.Sprintf("%v %v", got[0]["op"],
		got[0]["user_ids"]) != fmt.Sprintf("peer_remove [%d]", made) {
		t.Errorf("bob received %v when the user left", got)
	}
	if got := subscribers(s, general); strings.Contains(got, fmt.Sprint(made)) {
		t.Errorf("a deactivated user is subscribed: %s", got)
	}
	s.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"general"}]`, "principals",
		fmt.Sprintf("[%d]", made)).
		Error(400, "BAD_REQUEST", "No such user")
	s.As("olga").Do(fmt.Sprintf("POST /users/%d/reactivate", made)).OK()
	if got := bob.Next(); len(got) != 1 || fmt.Sprintf("%v %v", got[0]["op"],
		got[0]["user_ids"]) != fmt.Sprintf("peer_add [%d]", made) {
		t.Errorf("bob received %v when the user returned", got)
	}
	s.Restart()
	if got := subscribers(s, general); !strings.HasSuffix(got, fmt.Sprintf(" %d]", made)) {
		t.Errorf("after a restart the subscribers are %s", got)
	}
}

// TestMessagesFollowSubscriptions checks that users of a channel with protected history can read the messages sent
// while they were subscribed.
func TestMessagesFollowSubscriptions(t *testing.T) {
	s := kittest.Start(t, channels.Module, messages.Module)
	s.As("alice").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"cellar"}]`, "invite_only", "true").OK()
	cellar := fmt.Sprint(channelID(s, "cellar"))
	send := func(text string) int64 {
		t.Helper()
		return s.As("alice").Do("POST /messages", "type", "stream", "to", cellar, "topic", "wine", "content",
			text).OK().Int("id")
	}
	read := func(who string) string {
		t.Helper()
		var res struct{ Messages []struct{ ID int64 } }
		s.As(who).Do("GET /messages", "anchor", "newest", "num_before", "10", "num_after", "0",
			"narrow", `[{"operator":"channel","operand":`+cellar+`}]`).OK().JSON(&res)
		return fmt.Sprint(res.Messages)
	}
	first := send("one")
	s.As("alice").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"cellar"}]`, "principals",
		list(s, "bob")).OK()
	second := send("two")
	s.As("bob").Do("DELETE /users/me/subscriptions", "subscriptions", `["cellar"]`).OK()
	send("three")
	s.As("alice").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"cellar"}]`, "principals",
		list(s, "bob")).OK()
	fourth := send("four")
	if got, want := read("bob"), fmt.Sprintf("[{%d} {%d}]", second, fourth); got != want {
		t.Errorf("bob reads %s, want %s", got, want)
	}
	if got := s.As("bob").Do("GET /streams/" + cellar).OK().Int("stream.first_message_id"); got != first {
		t.Errorf("first_message_id is %d, want %d", got, first)
	}
	s.As("olga").Do("PATCH /streams/"+cellar, "topics_policy", "empty_topic_only").Error(400, "BAD_REQUEST", "")
}
