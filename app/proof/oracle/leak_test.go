package oracle_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// outsider is a user without access to the private channel, with queues that together receive as many events as
// possible.
type outsider struct {
	*kittest.Client
	name   string
	queues []*kittest.Queue
}

// sequential starts a server for a test whose requests are sequential.
func sequential(t testing.TB) *kittest.Server {
	t.Helper()
	testrun.Unraced(t, "its requests are sequential")
	return harness.StartAll(t)
}

func listening(s *kittest.Server, name string) *outsider {
	s.T.Helper()
	o := &outsider{Client: s.As(name), name: name}
	everything := `{"archived_channels":true,"include_deactivated_groups":true,"empty_topic_name":true,` +
		`"bulk_message_deletion":true}`
	ways := [][]string{{"include_subscribers", "true", "client_capabilities", everything}, {"narrow", `[["is","unread"]]`}}
	if name != "guest" {
		ways = append(ways, []string{"all_public_streams", "true"})
	}
	for _, params := range ways {
		o.queues = append(o.queues, o.Register(params...))
	}
	return o
}

// drain returns the pending events, and the responses to new registrations.
func (o *outsider) drain() []string {
	var all []string
	for _, q := range o.queues {
		var res struct{ Events []map[string]any }
		q.Poll().OK().JSON(&res)
		for _, e := range res.Events {
			text, _ := json.Marshal(e)
			all = append(all, string(text))
		}
	}
	return append(all, o.Do("POST /register", "include_subscribers", "true").OK().Body)
}

// Nothing that happens in or to a private channel reaches users without access to it: no name, text, topic or ID.
func TestPrivateChannelStaysPrivate(t *testing.T) {
	s := sequential(t)
	olga, alice := s.As("olga"), s.As("alice")
	var names []string
	for i := range 90 {
		names = append(names, fmt.Sprintf(`{"name":"filler %d"}`, i))
	}
	for part := range 9 { // makes the private channel's ID unique among numbers
		olga.Do("POST /users/me/subscriptions", "subscriptions", "["+strings.Join(names[10*part:10*part+10], ",")+"]").OK()
	}
	var outsiders []*outsider
	for _, name := range []string{"bob", "mona", "guest", "bot"} {
		outsiders = append(outsiders, listening(s, name))
	}
	alices := fmt.Sprintf("[%d,%d]", s.UserID("alice"), s.UserID("olga"))
	olga.Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"canary one","description":"canary text"}]`,
		"invite_only", "true",
		"history_public_to_subscribers", "true", "principals", alices, "announce", "true").OK()
	id := olga.Do("GET /get_stream_id", "stream", "canary one").OK().Int("stream_id")
	path := fmt.Sprintf(" /streams/%d", id)
	say := func(topic, content string) int64 {
		return olga.Do("POST /messages", "type", "channel", "to", fmt.Sprint(id), "topic", topic, "content",
			content).OK().Int("id")
	}
	first := say("canary topic", "canary words @**Bob** @**all** #**canary one**")
	olga.Do("POST /messages", "type", "channel", "to", `"general"`, "topic", "t", "content", "plain").OK()
	alice.Do("POST /messages/flags", "messages", fmt.Sprintf("[%d]", first), "op", "add", "flag", "starred").OK()
	olga.Do("PATCH"+path, "new_name", "canary two", "description", "canary again #**canary one**").OK()
	olga.Do("PATCH"+path, "can_send_message_group", fmt.Sprintf(`{"new":{"direct_members":%s,"direct_subgroups":[]}}`,
		alices)).OK()
	olga.Do("PATCH"+path, "history_public_to_subscribers", "false").OK()
	alice.Do("DELETE /users/me/subscriptions", "subscriptions", `["canary two"]`).OK()
	olga.Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"canary two"}]`, "principals",
		fmt.Sprintf("[%d]", s.UserID("alice"))).OK()
	for _, setting := range []string{"new_stream_announcements_stream_id", "signup_announcements_stream_id",
		"service_update_announcements_stream_id"} {
		olga.Do("PATCH /realm", setting, fmt.Sprint(id)).OK()
	}
	olga.Do("POST /user_groups/create", "name", "plain group", "description", "", "members", alices).OK()
	say("canary other", "canary words")
	alice.Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"open one"}]`).OK()
	olga.Do("DELETE" + path).OK()
	olga.Do("PATCH"+path, "is_archived", "false").OK()
	number := regexp.MustCompile(fmt.Sprintf(`[:,\[]"?%d"?[,}\]]`, id))
	for _, o := range outsiders {
		for _, text := range append(o.drain(), o.looks(s, id, first)...) {
			if strings.Contains(text, "canary") {
				t.Errorf("%s learns the words: %.400s", o.name, around(text, "canary"))
			}
			if at := number.FindStringIndex(text); at != nil {
				t.Errorf("%s learns the id: %.400s", o.name, around(text, text[at[0]:at[1]]))
			}
		}
	}
}

func around(text, what string) string {
	at := strings.Index(text, what)
	return text[max(0, at-150):min(len(text), at+150)]
}

// looks sends every read-only request for the channel and its message, and returns the responses.
func (o *outsider) looks(s *kittest.Server, channel, msg int64) []string {
	var all []string
	for _, e := range s.Ports.Collected.Endpoints {
		if e.Method != http.MethodGet || e.Call == nil || e.Path == "/events" || e.Path == "/server_settings" {
			continue
		}
		path := strings.NewReplacer(":stream_id", fmt.Sprint(channel), ":message_id", fmt.Sprint(msg),
			":user_id", fmt.Sprint(s.UserID("olga")), ":user_group_id", "101").Replace(e.Path)
		params := map[string][]string{
			"/messages": {"anchor", "newest", "num_before", "100", "num_after", "0"}, "/get_stream_id": {"stream", "open one"},
			"/messages/matches_narrow": {"msg_ids", fmt.Sprintf("[%d]", msg), "narrow", "[]"},
			"/streams": {"include_all", "true", "exclude_archived", "false", "include_owner_subscribed",
				"false"},
		}[e.Path]
		all = append(all, o.Do("GET "+path, params...).Body)
	}
	list := func(params ...string) {
		all = append(all, o.Do("GET /messages", append([]string{"anchor", "oldest", "num_before", "0", "num_after", "100"},
			params...)...).Body)
	}
	for _, narrow := range []string{
		fmt.Sprintf(`[["id","%d"]]`, msg), fmt.Sprintf(`[["near","%d"]]`, msg), `[["channels","public"]]`,
		`[["is","mentioned"]]`,
		fmt.Sprintf(`[{"operator":"sender","operand":%d}]`, s.UserID("olga")),
		`[{"operator":"channels","operand":"public","negated":true}]`,
		fmt.Sprintf(`[{"operator":"mentions","operand":%d}]`, s.UserID("bob")), `[["has","link"]]`,
		fmt.Sprintf(`[{"operator":"channel","operand":%d}]`, channel), `[{"operator":"dm","operand":[1],"negated":true}]`,
	} {
		list("narrow", narrow)
	}
	all = append(all, o.Do("GET /messages", "message_ids", fmt.Sprintf("[%d]", msg)).Body)
	return append(all, o.Do("POST /messages/render", "content", fmt.Sprintf("#**filler 1** <%d>", 5)).Body)
}

// A queue delivers nothing that its user can no longer access when polling.
func TestSlowQueueAfterLosingAccess(t *testing.T) {
	s := sequential(t)
	olga := s.As("olga")
	for _, c := range []struct {
		name string
		lose func()
	}{
		{"unsubscribed", func() {
			olga.Do("DELETE /users/me/subscriptions", "subscriptions", `["cellar"]`, "principals",
				fmt.Sprintf("[%d]", s.UserID("bob"))).OK()
		}},
		{"left", func() { s.As("bob").Do("DELETE /users/me/subscriptions", "subscriptions", `["cellar"]`).OK() }},
	} {
		for _, restart := range []bool{false, true} {
			t.Run(fmt.Sprint(c.name, " restart ", restart), func(t *testing.T) {
				olga.Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"cellar"}]`, "invite_only", "true", "principals",
					fmt.Sprintf("[%d,%d]", s.UserID("olga"), s.UserID("bob"))).OK()
				slow := listening(s, "bob")
				id := olga.Do("POST /messages", "type", "channel", "to", `"cellar"`, "topic", "t", "content",
					"canary @**Bob**").OK().Int("id")
				c.lose()
				olga.Do("POST /messages", "type", "channel", "to", `"cellar"`, "topic", "t", "content", "canary").OK()
				if restart {
					s.Restart()
				}
				cellar := olga.Do("GET /get_stream_id", "stream", "cellar").OK().Int("stream_id")
				for _, text := range append(slow.drain(), slow.looks(s, cellar, id)...) {
					if strings.Contains(text, "canary") {
						t.Errorf("bob receives %.300s", around(text, "canary"))
					}
				}
			})
		}
	}
}

// A late subscriber learns nothing of protected history except that there is a first message: no text, topic or usable
// ID.
func TestProtectedHistory(t *testing.T) {
	s := sequential(t)
	olga, bob := s.As("olga"), s.As("bob")
	two := fmt.Sprintf("[%d,%d]", s.UserID("olga"), s.UserID("bob"))
	for _, c := range []struct{ name, private string }{{"cellar", "true"}, {"yard", "false"}} {
		t.Run(c.name, func(t *testing.T) {
			olga.Do("POST /users/me/subscriptions", "subscriptions", fmt.Sprintf(`[{"name":%q}]`, c.name), "invite_only",
				c.private,
				"principals", fmt.Sprintf("[%d]", s.UserID("olga")), "can_add_subscribers_group",
				fmt.Sprintf(`{"direct_members":%s,"direct_subgroups":[]}`, two)).OK()
			if c.private == "false" { // formerly public, now protected
				bob.Do("POST /users/me/subscriptions", "subscriptions", fmt.Sprintf(`[{"name":%q}]`, c.name)).OK()
				bob.Do("DELETE /users/me/subscriptions", "subscriptions", fmt.Sprintf("[%q]", c.name)).OK()
			}
			channel := olga.Do("GET /get_stream_id", "stream", c.name).OK().Int("stream_id")
			send := func(topic string) int64 {
				return olga.Do("POST /messages", "type", "channel", "to", fmt.Sprint(channel), "topic", topic,
					"content", "canary @**Bob** @**all** https://example.com").OK().Int("id")
			}
			old := send("canary topic")
			olga.Do(fmt.Sprintf("PATCH /streams/%d", channel), "is_private", "true", "history_public_to_subscribers",
				"false").OK()
			old2 := send("canary topic")
			olga.Do("POST /users/me/subscriptions", "subscriptions", fmt.Sprintf(`[{"name":%q}]`, c.name), "principals",
				two).OK()
			o := listening(s, "bob")
			for _, id := range []int64{old, old2} {
				for _, text := range append(o.drain(), o.looks(s, channel, id)...) {
					if strings.Contains(text, "canary") {
						t.Errorf("bob reads %.300s", around(text, "canary"))
					}
				}
				one := fmt.Sprintf("[%d]", id)
				for _, flag := range [][]string{{"add", "starred"}, {"remove", "read"}, {"add", "collapsed"}} {
					bob.Do("POST /messages/flags", "messages", one, "op", flag[0], "flag", flag[1]).Error(400, "BAD_REQUEST",
						"Invalid message(s)")
				}
				bob.Do("POST /messages/flags", "messages", one, "op", "remove", "flag", "starred").OK()
				bob.Do("POST /messages/flags", "messages", one, "op", "add", "flag", "read").OK()
				bob.Do(fmt.Sprintf("GET /messages/%d", id)).Error(400, "BAD_REQUEST", "Invalid message(s)")
			}
			bob.Do("POST /mark_topic_as_read", "stream_id", fmt.Sprint(channel), "topic_name", "canary topic").Error(400,
				"BAD_REQUEST", "No such topic")
		})
	}
}

// A group that a private channel depends on cannot be deactivated. The error does not contain the channel's name for
// users without access to the channel.
func TestGroupOfPrivateChannel(t *testing.T) {
	s := sequential(t)
	group := s.As("bob").Do("POST /user_groups/create", "name", "scribes", "description", "", "members",
		fmt.Sprintf("[%d]", s.UserID("bob"))).OK().Int("group_id")
	secret := s.ChannelID("secret")
	s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", secret), "can_resolve_topics_group",
		fmt.Sprintf(`{"new":%d}`, group)).OK()
	call := fmt.Sprintf("POST /user_groups/%d/deactivate", group)
	s.As("bob").Do(call).Is(400, `{"result":"error","code":"CANNOT_DEACTIVATE_GROUP_IN_USE","msg":"*","objections":[]}`)
	s.As("olga").Do(call).Is(400, fmt.Sprintf(
		`{"result":"error","code":"CANNOT_DEACTIVATE_GROUP_IN_USE","msg":"*","objections":[
		{"type":"channel","channel_id":%d,"settings":["can_resolve_topics_group"]}]}`, secret))
}
