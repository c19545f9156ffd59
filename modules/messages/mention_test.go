package messages_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// startWithGroups starts a server with a channel of sixteen subscribers, all of whom have written in one of its topics,
// and with two groups: crew, which everyone may mention, and board, which only olga may.
func startWithGroups(t *testing.T) *kittest.Server {
	t.Helper()
	s := startFull(t)
	makeChannel(s, "hall", []string{"olga", "alice", "bob", "adam", "mona", "guest", "bot"})
	for _, who := range []string{"olga", "alice", "bob", "adam", "mona", "guest", "bot"} {
		post(s, who, "hall", "busy", "x")
	}
	for i := range 9 {
		email := fmt.Sprintf("more%d@example.com", i)
		s.As("olga").Do("POST /users", "email", email, "full_name", fmt.Sprint("More ", i), "password", kittest.Password).OK()
		key := s.Anonymous().Do("POST /fetch_api_key", "username", email, "password", kittest.Password).OK().String("api_key")
		more := s.WithKey(email, key)
		more.Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"hall"}]`).OK()
		more.Do("POST /messages", "type", "stream", "to", "hall", "topic", "busy", "content", "x").OK()
	}
	s.As("olga").Do("POST /user_groups/create", "name", "crew", "description", "", "members", ids(s, "bob", "guest")).OK()
	s.As("olga").Do("POST /user_groups/create", "name", "board", "description", "", "members", ids(s, "adam"),
		"can_mention_group", fmt.Sprintf(`{"direct_members":%s,"direct_subgroups":[]}`, ids(s, "olga", "alice"))).OK()
	return s
}

func TestMentionsRefused(t *testing.T) {
	s := startWithGroups(t)
	const (
		wide  = "You do not have permission to use channel wildcard mentions in this channel."
		topic = "You do not have permission to use topic wildcard mentions in this topic."
	)
	for _, c := range []struct{ as, topic, content, code, msg string }{
		{"alice", "busy", "@**all** x", "STREAM_WILDCARD_MENTION_NOT_ALLOWED", wide},
		{"alice", "quiet", "@**everyone**", "STREAM_WILDCARD_MENTION_NOT_ALLOWED", wide},
		{"mona", "quiet", "@**channel**", "STREAM_WILDCARD_MENTION_NOT_ALLOWED", wide},
		{"guest", "quiet", "@**stream**", "STREAM_WILDCARD_MENTION_NOT_ALLOWED", wide},
		{"bot", "quiet", "@**all**", "STREAM_WILDCARD_MENTION_NOT_ALLOWED", wide},
		{"alice", "busy", "@**topic** x", "TOPIC_WILDCARD_MENTION_NOT_ALLOWED", topic},
		{"bob", "busy", "hi @*board*", "BAD_REQUEST", "You are not allowed to mention user group 'board'."},
		// allowed through its owner alice
		{"bot", "busy", "hi @*board*", "BAD_REQUEST", "You are not allowed to mention user group 'board'."},
		{"olga", "busy", "@*board* @**topic**", "", ""},
		{"alice", "busy", "hi @*board*", "", ""},
		{"adam", "busy", "@**all**", "", ""},
		{"alice", "quiet", "@**topic**", "", ""}, // that topic has few participants
		{"alice", "busy", "@_**all** @_**topic** `@**all**` and\n> @**all**", "", ""},
		{"bob", "busy", "@_*board* and @_*role:members*", "", ""},
		{"bob", "busy", "hi @*crew*", "", ""},
	} {
		s.Skip()
		a := s.As(c.as).Do("POST /messages", "type", "stream", "to", "hall", "topic", c.topic, "content", c.content)
		if c.code == "" {
			a.OK()
			continue
		}
		a.Error(400, c.code, c.msg)
		s.NoEvents()
	}
	sendDirect(s, "alice", "@**all** @**topic**", "bob") // no limit in direct messages
	s.As("bob").Do("POST /messages", "type", "direct", "to", ids(s, "adam"), "content", "@*board*").
		Error(400, "BAD_REQUEST", "You are not allowed to mention user group 'board'.")
}

// The flags that a message in hall has for each of its readers.
func TestWhoIsMentioned(t *testing.T) {
	s := startWithGroups(t)
	s.As("olga").Do("POST /user_groups/create", "name", "all hands", "description", "", "members", "[]", "subgroups",
		fmt.Sprintf("[%d]", groupID(s, "crew"))).OK()
	for _, c := range []struct {
		content string
		flags   map[string]string
	}{
		{"hi @*crew*", map[string]string{"bob": `["mentioned"]`, "guest": `["mentioned"]`, "mona": `[]`, "alice": `[]`}},
		{"hi @*all hands*", map[string]string{"bob": `["mentioned"]`, "mona": `[]`}},
		{"hi @_*crew* @_**Mona**", map[string]string{"bob": `[]`, "mona": `[]`}},
		{"@**Mona** and @*crew*", map[string]string{"bob": `["mentioned"]`, "mona": `["mentioned"]`, "olga": `[]`}},
		{"> @**Mona** wrote", map[string]string{"mona": `[]`}},
		{"hi @**Nobody At All**", map[string]string{"mona": `[]`}},
		{"hi @**mona**, in other letters", map[string]string{"mona": `["mentioned"]`}},
		{fmt.Sprintf("hi @**Bob|%d**, another's id", s.UserID("mona")), map[string]string{"mona": `[]`, "bob": `[]`}},
		{fmt.Sprintf("hi @**|%d**", s.UserID("mona")), map[string]string{"mona": `["mentioned"]`}},
	} {
		id := post(s, "alice", "hall", "quiet", c.content)
		for who, want := range c.flags {
			if got := kittest.JSON(s.As(who).Do(fmt.Sprintf("GET /messages/%d", id)).OK().Get("message.flags")); got != want {
				t.Errorf("%s: %s's flags %s, want %s", c.content, who, got, want)
			}
		}
	}
}

func groupID(s *kittest.Server, name string) int64 {
	s.T.Helper()
	var body struct {
		Groups []struct {
			ID   int64  `json:"id"`
			Name string `json:"name"`
		} `json:"user_groups"`
	}
	s.As("olga").Do("GET /user_groups").OK().JSON(&body)
	for _, g := range body.Groups {
		if g.Name == name {
			return g.ID
		}
	}
	s.T.Fatalf("group %q does not exist", name)
	return 0
}

// A channel wildcard does not mention later subscribers, in flags, events or /register, even if they mark the message
// as unread.
func TestMentionOfAllBeforeTheSubscription(t *testing.T) {
	s := startWithQueues(t)
	s.As("mona").Do("DELETE /users/me/subscriptions", "subscriptions", `["general"]`).OK()
	id := post(s, "alice", "general", "x", "@**all** look")
	named := post(s, "alice", "general", "x", fmt.Sprintf("@**Mona|%d** look", s.UserID("mona")))
	s.As("mona").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"general"}]`).OK()
	later := post(s, "alice", "general", "x", "@**all** again")
	mark(s, "mona", "add", "read", later).OK()
	queue := s.As("mona").Register("event_types", unreadTypes)
	mark(s, "mona", "remove", "read", id, named, later).OK()
	taken := queue.Take()
	var unread struct {
		Mentions []int64
		Streams  []struct {
			IDs []int64 `json:"unread_message_ids"`
		}
	}
	if err := json.Unmarshal([]byte(section(s, "mona", "unread_msgs", unreadTypes)), &unread); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(unread.Streams), fmt.Sprintf("[{[%d %d %d]}]", id, named, later); got != want {
		t.Errorf("unread %s, want %s", got, want)
	}
	for _, m := range []int64{id, named, later} {
		flags := kittest.JSON(s.As("mona").Do(fmt.Sprintf("GET /messages/%d", m)).OK().Get("message.flags"))
		want := strings.Contains(flags, "mentioned")
		if got := slices.Contains(unread.Mentions, m); got != want {
			t.Errorf("message %d has %s, and in register mentions: %v", m, flags, got)
		}
		if got := taken.Has(fmt.Sprintf("events.0.message_details.%d.mentioned", m)); got != want {
			t.Errorf("message %d has %s, and the event mentions: %v", m, flags, got)
		}
	}
	if slices.Contains(unread.Mentions, id) || !slices.Contains(unread.Mentions, later) {
		t.Errorf("mentions %v, want %d and not %d", unread.Mentions, later, id)
	}
}

// A generic bot mentioned by name in a channel message receives it without a subscription if its owner can read the
// channel.
func TestMentionedBotReceives(t *testing.T) {
	s := startFull(t)
	makeChannel(s, "plaza", []string{"bob"})
	makeChannel(s, "den", []string{"olga", "alice", "bob"}, "invite_only", "true", "history_public_to_subscribers", "true")
	makeChannel(s, "vault", []string{"olga", "bob"}, "invite_only", "true", "history_public_to_subscribers", "true")
	s.As("olga").Do("POST /user_groups/create", "name", "bots", "description", "", "members", ids(s, "bot")).OK()
	q := openQueue(s, "bot")
	type event struct {
		Message struct {
			ID int64 `json:"id"`
		} `json:"message"`
		Flags []string `json:"flags"`
	}
	received := func() string {
		t.Helper()
		var out []string
		for _, text := range q.of("message") {
			var e event
			if err := json.Unmarshal([]byte(text), &e); err != nil {
				t.Fatal(err)
			}
			out = append(out, fmt.Sprint(e.Message.ID, e.Flags))
		}
		return strings.Join(out, " ")
	}
	first := post(s, "bob", "plaza", "x", "@**Helper Bot** hello")
	den := post(s, "bob", "den", "x", "@**Helper Bot** hello")
	want := fmt.Sprintf("%d [mentioned] %d [mentioned]", first, den)
	if got := received(); got != want {
		t.Errorf("mentioned: %s, want %s", got, want)
	}
	for _, text := range []string{"hello", "@_**Helper Bot**", "@*bots*", "> @**Helper Bot**"} {
		post(s, "bob", "plaza", "x", text)
	}
	post(s, "bob", "vault", "x", "@**Helper Bot**") // its owner alice cannot read the channel
	if got := received(); got != "" {
		t.Errorf("not mentioned by name, or hidden from the owner: %s", got)
	}
	late := post(s, "bob", "den", "x", "@**Helper Bot**") // content and access are those at delivery
	s.As("olga").Do("DELETE /users/me/subscriptions", "subscriptions", `["den"]`, "principals", ids(s, "alice")).OK()
	if got := received(); got != "" {
		t.Errorf("message %d, after the owner has left: %s", late, got)
	}
	flags := func() string {
		return kittest.JSON(s.As("bot").Do(fmt.Sprintf("GET /messages/%d", first)).OK().Get("message.flags"))
	}
	if got := flags(); got != `["mentioned"]` {
		t.Errorf("flags of the message: %s", got)
	}
	if p := list(s, "bot", "anchor", "newest", "num_before", "10"); p.ids() != fmt.Sprint(first) {
		t.Errorf("the bot's messages: %s, want %d", p.ids(), first)
	}
	mark(s, "bot", "add", "read", first)
	if got := flags(); got != `["read","mentioned"]` {
		t.Errorf("flags once read: %s", got)
	}
	edit(s, "bob", first, "content", "@**Helper Bot** good-bye").OK()
	if got := q.of("update_message"); len(got) != 1 || !strings.Contains(got[0], `"flags":["read","mentioned"]`) {
		t.Errorf("an edit: %s", got)
	}
	s.As("bot").Do(fmt.Sprintf("GET /messages/%d", den)).Error(400, "BAD_REQUEST", "Invalid message(s)")
}

// TestMentionDeactivatedGroup checks that a mention of a deactivated group is silent and sets no flags.
func TestMentionDeactivatedGroup(t *testing.T) {
	s := startFull(t)
	crew := s.As("olga").Do("POST /user_groups/create", "name", "crew", "description", "", "members",
		ids(s, "bob")).OK().Int("group_id")
	before := post(s, "alice", "general", "x", "@*crew*")
	s.As("olga").Do(fmt.Sprintf("POST /user_groups/%d/deactivate", crew)).OK()
	after := post(s, "alice", "general", "x", "@*crew*")
	html := func(id int64) string {
		return s.As("bob").Do(fmt.Sprintf("GET /messages/%d", id)).OK().String("message.content")
	}
	if got := flags(s, "bob", before); got != "mentioned" {
		t.Errorf("while the group is active, bob has flags %q", got)
	}
	if got := flags(s, "bob", after); got != "" {
		t.Errorf("bob has flags %q", got)
	}
	want := fmt.Sprintf(`<p><span class="user-group-mention silent" data-user-group-id="%d">crew</span></p>`, crew)
	if got := html(after); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
