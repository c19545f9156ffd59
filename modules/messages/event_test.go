package messages_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/mutes"
	"github.com/stoachat/stoa/modules/realm"
)

// startFull starts a server with all modules that messages works with.
func startFull(t testing.TB, more ...kit.Module) *kittest.Server {
	t.Helper()
	cheap := kittest.Options{Config: "modules: {accounts: {password_memory_kib: 8, password_passes: 1}}"}
	return kittest.StartWith(t, cheap, append(more,
		realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, mutes.Module, events.Module)...)
}

// queue is a client's event queue.
type queue struct {
	*kittest.Queue
	s *kittest.Server
}

func listen(s *kittest.Server, as string, params ...string) *queue {
	s.T.Helper()
	return &queue{s.As(as).Register(append([]string{"event_types", `["message"]`, "fetch_event_types", "[]"},
		params...)...), s}
}

// poll returns the pending events without their IDs.
func (q *queue) poll() []map[string]any { q.s.T.Helper(); return q.Next() }

// flagsOf returns the flags of an event, and local_message_id if there is one.
func flagsOf(e map[string]any) string {
	b, _ := json.Marshal(e["flags"])
	if l, ok := e["local_message_id"]; ok {
		return fmt.Sprint(string(b), l)
	}
	return string(b)
}

func TestMessageEvent(t *testing.T) {
	s := startFull(t)
	html := listen(s, "bob", "apply_markdown", "true", "client_capabilities",
		`{"notification_settings_null":true,"empty_topic_name":true}`)
	markdown := listen(s, "bob", "client_gravatar", "false")
	id := post(s, "alice", "general", "", "*hi*")
	message := func(content, kind, subject, avatar string) string {
		return fmt.Sprintf(`[{"type":"message","flags":[],"message":{"id":%d,"sender_id":%d,"sender_email":"alice@example.com",
			"sender_full_name":"Alice","sender_realm_str":"","avatar_url":%s,"client":"Go-http-client","content":%q,"content_type":%q,
			"display_recipient":"general","recipient_id":%d,"stream_id":%d,"subject":%q,"topic_links":[],"type":"stream",
			"timestamp":%d,"is_me_message":false,"reactions":[],"submessages":[]}}]`,
			id, s.UserID("alice"), avatar, content, kind, s.ChannelID("general")<<1, s.ChannelID("general"), subject,
			s.Clock.Now().Unix())
	}
	equal(t, "html", html.poll(), message("<p><em>hi</em></p>", "text/html", "", "null"))
	got := markdown.poll()
	if len(got) == 1 {
		m := got[0]["message"].(map[string]any)
		if url, ok := m["avatar_url"].(string); !ok || url == "" {
			t.Errorf("avatar_url %v for a client that does not compute it", m["avatar_url"])
		}
		m["avatar_url"] = nil
	}
	equal(t, "markdown", got, message("*hi*", "text/x-markdown", "general chat", "null"))
	if more := html.poll(); len(more) != 0 {
		t.Errorf("again: %v", more)
	}
}

func equal(t *testing.T, what string, got any, want string) {
	t.Helper()
	var w any
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(w)
	if string(a) != string(b) {
		t.Errorf("%s:\n got %s\nwant %s", what, a, b)
	}
}

func TestReceiversAndFlags(t *testing.T) {
	s := startFull(t)
	queues := map[string]*queue{}
	for _, who := range []string{"alice", "bob", "olga", "adam", "guest"} {
		queues[who] = listen(s, who)
	}
	queues["adam, all public"] = listen(s, "adam", "all_public_streams", "true")
	queues["adam, general"] = listen(s, "adam", "narrow", `[["channel","general"]]`)
	queues["adam, bob's"] = listen(s, "adam", "narrow", `[["sender","bob@example.com"]]`)
	queues["bob, lunch"] = listen(s, "bob", "narrow", `[["topic","LUNCH"]]`)
	queues["bob, direct"] = listen(s, "bob", "narrow", `[["is","dm"]]`)
	queues["olga, mentioned"] = listen(s, "olga", "narrow", `[["is","mentioned"]]`)
	const none = "none"
	for _, c := range []struct {
		name string
		send func()
		want map[string]string // flags by queue; queues not listed receive nothing
	}{
		{"general", func() { post(s, "alice", "general", "lunch", "hi @**Olga**") }, map[string]string{
			"alice": "[]", "bob": "[]", "olga": `["mentioned"]`, "guest": "[]", "adam, all public": "[]", "adam, general": "[]",
			"bob, lunch":      "[]",
			"olga, mentioned": `["mentioned"]`}},
		{"all in general", func() { post(s, "bob", "general", "x", "@**all**") }, map[string]string{
			"alice": wild, "bob": wild, "olga": wild, "guest": wild, "adam, all public": "[]", "adam, general": "[]",
			"adam, bob's": "[]"}},
		{"secret", func() { post(s, "alice", "secret", "lunch", "hi") }, map[string]string{"alice": "[]", "olga": "[]"}},
		{"direct", func() { sendDirect(s, "alice", "hi", "bob") },
			map[string]string{"alice": "[]", "bob": "[]", "bob, direct": "[]"}},
		{"to oneself", func() { sendDirect(s, "bob", "hi", "bob") }, map[string]string{"bob": "[]", "bob, direct": "[]"}},
		{"three", func() { sendDirect(s, "olga", "hi", "adam", "guest") },
			map[string]string{"adam": "[]", "guest": "[]", "olga": "[]", "adam, all public": "[]"}},
	} {
		c.send()
		for name, q := range queues {
			got := none
			for i, e := range q.poll() {
				if i > 0 {
					t.Errorf("%s: %s received more than one event", c.name, name)
				}
				got = flagsOf(e)
			}
			want, ok := c.want[name]
			if !ok {
				want = none
			}
			if got != want {
				t.Errorf("%s: %s received %s, want %s", c.name, name, got, want)
			}
		}
	}
}

const wild = `["stream_wildcard_mentioned","wildcard_mentioned"]`

func TestEcho(t *testing.T) {
	s := startFull(t)
	mine, other, theirs := listen(s, "alice"), listen(s, "alice"), listen(s, "bob")
	send := func(params ...string) {
		s.As("alice").Do("POST /messages", append([]string{"type", "stream", "to", "general", "topic", "x", "content", "x"},
			params...)...).OK()
	}
	send("queue_id", mine.ID, "local_id", "5.01")
	send("queue_id", mine.ID)
	send("local_id", "5.02", "read_by_sender", "true")
	for name, c := range map[string]struct {
		q    *queue
		want string
	}{"mine": {mine, `[]5.01 [] ["read"]`}, "other": {other, `[] [] ["read"]`}, "theirs": {theirs, `[] [] []`}} {
		var got string
		for _, e := range c.q.poll() {
			got += " " + flagsOf(e)
		}
		if got != " "+c.want {
			t.Errorf("%s:%s, want %s", name, got, c.want)
		}
	}
}

// TestLateAccess checks that an event with message content reaches only users who can read the message at delivery.
func TestLateAccess(t *testing.T) {
	s := startFull(t)
	alice, olga := listen(s, "alice"), listen(s, "olga")
	post(s, "olga", "secret", "x", "hush")
	s.As("alice").Do("DELETE /users/me/subscriptions", "subscriptions", `["secret"]`).OK()
	if got := alice.poll(); len(got) != 0 {
		t.Errorf("alice left, but received %v", got)
	}
	if got := olga.poll(); len(got) != 1 {
		t.Errorf("olga stayed, and received %v", got)
	}
}

func TestMutedSender(t *testing.T) {
	s := startFull(t)
	bob := listen(s, "bob")
	s.As("bob").Do(fmt.Sprintf("POST /users/me/muted_users/%d", s.UserID("alice"))).OK()
	id := post(s, "alice", "general", "x", "hi")
	if got := bob.poll(); len(got) != 1 || flagsOf(got[0]) != `["read"]` {
		t.Errorf("from a muted user: %v", got)
	}
	if got := s.As("bob").Do(fmt.Sprintf("GET /messages/%d",
		id)).OK().Get("message.flags"); kittest.JSON(got) != `["read"]` {
		t.Errorf("flags %v", got)
	}
}

func TestGroupMention(t *testing.T) {
	s := startFull(t)
	s.As("olga").Do("POST /user_groups/create", "name", "crew", "description", "", "members", ids(s, "bob", "adam"),
		"can_mention_group", fmt.Sprintf(`{"direct_members":[%d],"direct_subgroups":[]}`, s.UserID("alice"))).OK()
	bob, guest := listen(s, "bob"), listen(s, "guest")
	s.As("bob").Do("POST /messages", "type", "stream", "to", "general", "topic", "x", "content", "@*crew*").
		Error(400, "BAD_REQUEST", "You are not allowed to mention user group 'crew'.")
	id := post(s, "alice", "general", "x", "@*crew*")
	if got := bob.poll(); len(got) != 1 || flagsOf(got[0]) != `["mentioned"]` {
		t.Errorf("a member received %v", got)
	}
	if got := guest.poll(); len(got) != 1 || flagsOf(got[0]) != `[]` {
		t.Errorf("another received %v", got)
	}
	for who, want := range map[string]string{"bob": `["mentioned"]`, "guest": `[]`, "adam": `["read","historical"]`} {
		if got := s.As(who).Do(fmt.Sprintf("GET /messages/%d", id)).OK().Get("message.flags"); kittest.JSON(got) != want {
			t.Errorf("%s: %s, want %s", who, kittest.JSON(got), want)
		}
	}
}

func TestRegisterSections(t *testing.T) {
	s := startFull(t)
	section := func(as string) *kittest.Response {
		t.Helper()
		return s.As(as).Do("POST /register", "fetch_event_types", `["message","recent_private_conversations"]`).OK()
	}
	a := section("adam")
	if a.Int("max_message_id") != -1 || kittest.JSON(a.Get("recent_private_conversations")) != "[]" {
		t.Errorf("nothing received: %s", a.Body)
	}
	first := sendDirect(s, "alice", "x", "bob")
	self := sendDirect(s, "alice", "x", "alice")
	three := sendDirect(s, "olga", "x", "alice", "bob")
	post(s, "olga", "secret", "x", "x")
	last := post(s, "olga", "general", "x", "x")
	a = section("alice")
	want := fmt.Sprintf(`[{"max_message_id":%d,"user_ids":%s},{"max_message_id":%d,"user_ids":[]},{"max_message_id":%d,`+
		`"user_ids":%s}]`,
		three, ids(s, "bob", "olga"), self, first, ids(s, "bob"))
	if got := kittest.JSON(a.Get("recent_private_conversations")); a.Int("max_message_id") != last || got != want {
		t.Errorf("max_message_id %d, recent %s; want %d, %s", a.Int("max_message_id"), got, last, want)
	}
	if got := section("adam").Int("max_message_id"); got != -1 {
		t.Errorf("adam received nothing, max_message_id %d", got)
	}
}
