package messages_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

const (
	wideRefused  = "You do not have permission to use channel wildcard mentions in this channel."
	topicRefused = "You do not have permission to use topic wildcard mentions in this topic."
)

// startWithHall creates a channel with fourteen subscribers, all of whom have written in its topic "busy": five of the
// test's users and nine more. mona and guest join later.
func startWithHall(t *testing.T) (s *kittest.Server, more []*kittest.Client) {
	t.Helper()
	s = startFull(t)
	inside := []string{"olga", "alice", "bob", "adam", "bot"}
	makeChannel(s, "hall", inside)
	for _, who := range inside {
		post(s, who, "hall", "busy", "x")
	}
	for i := range 9 {
		email := fmt.Sprintf("more%d@example.com", i)
		s.As("olga").Do("POST /users", "email", email, "full_name", fmt.Sprint("More ", i), "password", kittest.Password).OK()
		c := s.WithKey(email, s.Anonymous().Do("POST /fetch_api_key", "username", email, "password",
			kittest.Password).OK().String("api_key"))
		c.Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"hall"}]`).OK()
		c.Do("POST /messages", "type", "stream", "to", "hall", "topic", "busy", "content", "x").OK()
		more = append(more, c)
	}
	return s, more
}

// Any user may mention fifteen users, but only some may mention sixteen. Users who have left count neither as
// subscribers nor as participants; users who have reacted are participants.
func TestWildcardLimits(t *testing.T) {
	s, more := startWithHall(t)
	try := func(as, topic, content, code, refused string) {
		t.Helper()
		s.Skip()
		a := s.As(as).Do("POST /messages", "type", "stream", "to", "hall", "topic", topic, "content", content)
		if refused == "" {
			a.OK()
			return
		}
		a.Error(400, code, refused)
		s.NoEvents()
	}
	const wide, narrow = "STREAM_WILDCARD_MENTION_NOT_ALLOWED", "TOPIC_WILDCARD_MENTION_NOT_ALLOWED"
	subscribe(s, "olga", "mona", "hall") // the fifteenth subscriber
	try("alice", "quiet", "@**all**", "", "")
	try("alice", "busy", "@**topic**", "", "")
	try("mona", "busy", "@**topic**", "", "") // this message makes mona the fifteenth
	subscribe(s, "olga", "guest", "hall")     // the sixteenth subscriber
	try("alice", "quiet", "@**all**", wide, wideRefused)
	try("alice", "busy", "@**topic**", "", "") // guest is not a participant
	first := list(s, "alice", "anchor", "oldest", "num_after", "1", "narrow",
		`[["channel","hall"],["topic","busy"]]`).Messages[0].ID
	react(s, "guest", first, "emoji_name", "heart").OK()
	try("alice", "BUSY", "@**topic**", narrow, topicRefused)
	try("alice", "quiet", "@**topic**", "", "")
	try("adam", "busy", "@**topic** @**all**", "", "") // an administrator
	s.As("guest").Do(fmt.Sprintf("DELETE /messages/%d/reactions", first), "emoji_name", "heart").OK()
	try("alice", "busy", "@**topic**", "", "")
	react(s, "guest", first, "emoji_name", "heart").OK()
	more[0].Do("DELETE /users/me/subscriptions", "subscriptions", `["hall"]`).OK()
	try("alice", "busy", "@**topic**", "", "")
	try("alice", "quiet", "@**all**", "", "")
	more[0].Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"hall"}]`).OK()
	try("alice", "busy", "@**topic**", narrow, topicRefused)
	s.As("olga").Do("PATCH /realm", "can_mention_many_users_group", onlyUsers(s, "alice")).OK()
	try("alice", "busy", "@**topic** @**all**", "", "")
	try("adam", "busy", "@**all**", wide, wideRefused)
}

// Mentions added by an edit are checked as in a new message; existing ones are allowed.
func TestMentionsByEdit(t *testing.T) {
	s, _ := startWithHall(t)
	subscribe(s, "olga", "mona", "hall")
	subscribe(s, "olga", "guest", "hall")
	s.As("olga").Do("POST /user_groups/create", "name", "board", "description", "", "members", ids(s, "adam"),
		"can_mention_group",
		fmt.Sprintf(`{"direct_members":%s,"direct_subgroups":[]}`, ids(s, "olga"))).OK()
	id := post(s, "bob", "hall", "busy", "plain @**Mona**")
	mark(s, "mona", "add", "read", id).OK()
	react(s, "guest", id, "emoji_name", "heart").OK()
	react(s, "mona", id, "emoji_name", "heart").OK()
	for _, c := range []struct{ content, code, refused string }{
		{"plain @**all**", "STREAM_WILDCARD_MENTION_NOT_ALLOWED", wideRefused},
		{"plain @**topic**", "TOPIC_WILDCARD_MENTION_NOT_ALLOWED", topicRefused},
		{"plain @*board*", "BAD_REQUEST", "You are not allowed to mention user group 'board'."},
	} {
		s.Skip()
		edit(s, "bob", id, "content", c.content).Error(400, c.code, c.refused)
		s.NoEvents()
	}
	check := func(what string, want map[string]string) {
		t.Helper()
		for who, w := range want {
			if got := flags(s, who, id); got != w {
				t.Errorf("%s: %s has %q, want %q", what, who, got, w)
			}
		}
	}
	check("refused", map[string]string{"mona": "mentioned read", "adam": "", "guest": ""})
	mona, adam := openQueue(s, "mona"), openQueue(s, "adam")
	s.As("olga").Do("PATCH /realm", "can_mention_many_users_group", onlyUsers(s, "bob")).OK()
	edit(s, "bob", id, "content", "all of you @**all**, and @**Adam**").OK()
	const wide = "stream_wildcard_mentioned wildcard_mentioned"
	check("after the edit", map[string]string{"mona": "read " + wide, "adam": "mentioned " + wide, "guest": wide})
	for who, q := range map[string]*queue{"mona": mona, "adam": adam} {
		events := q.poll()
		want := map[string]string{"mona": `["read","stream_wildcard_mentioned","wildcard_mentioned"]`,
			"adam": `["mentioned","stream_wildcard_mentioned","wildcard_mentioned"]`}[who]
		if len(events) != 1 || events[0]["type"] != "update_message" || flagsOf(events[0]) != want {
			t.Errorf("%s received %v, want one update with %s", who, events, want)
		}
	}
	edit(s, "bob", id, "content", "nobody").OK()
	check("removed", map[string]string{"mona": "read", "adam": "", "guest": ""})
}

// Which users a topic wildcard mentions.
func TestTopicParticipants(t *testing.T) {
	s := startFull(t)
	first := post(s, "olga", "general", "lunch", "x")
	post(s, "bot", "general", "supper", "x")
	react(s, "adam", first, "emoji_name", "heart").OK() // not subscribed
	react(s, "guest", first, "emoji_name", "heart").OK()
	gone := post(s, "bob", "general", "Lunch", "x")
	const wild = "topic_wildcard_mentioned wildcard_mentioned"
	check := func(id int64, want map[string]string) {
		t.Helper()
		for who, w := range want {
			if got := flags(s, who, id); got != w {
				t.Errorf("message %d: %s has %q, want %q", id, who, got, w)
			}
		}
	}
	check(post(s, "alice", "general", "LUNCH", "@**topic**"),
		map[string]string{"alice": wild, "olga": wild, "guest": wild, "bob": wild, "bot": "", "adam": "historical read"})
	s.As("bob").Do(fmt.Sprintf("DELETE /messages/%d", gone)).OK()
	s.As("guest").Do(fmt.Sprintf("DELETE /messages/%d/reactions", first), "emoji_name", "heart").OK()
	check(post(s, "olga", "general", "lunch", "@**topic**"),
		map[string]string{"alice": wild, "olga": wild, "guest": "", "bob": "", "bot": "", "adam": "historical read"})
}
