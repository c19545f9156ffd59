package messages_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/messages"
)

// post sends a message to a channel and returns its ID.
func post(s *kittest.Server, as, channel, topic, content string) int64 {
	s.T.Helper()
	return s.As(as).Do("POST /messages", "type", "stream", "to", channel, "topic", topic, "content",
		content).OK().Int("id")
}

// sendDirect sends a direct message and returns its ID.
func sendDirect(s *kittest.Server, as, content string, to ...string) int64 {
	s.T.Helper()
	return s.As(as).Do("POST /messages", "type", "direct", "to", ids(s, to...), "content", content).OK().Int("id")
}

func ids(s *kittest.Server, names ...string) string {
	s.T.Helper()
	all := make([]int64, len(names))
	for i, n := range names {
		all[i] = int64(s.UserID(n))
	}
	return kittest.JSON(all)
}

func TestSendToChannel(t *testing.T) {
	s := kittest.Start(t, messages.Module)
	general := s.ChannelID("general")
	for i, c := range []struct{ name, typ, to string }{
		{"by id", "stream", fmt.Sprint(general)},
		{"by name", "channel", "general"},
		{"in another case", "channel", " GENERAL "},
		{"quoted", "stream", `"general"`},
		{"a list of an id", "stream", fmt.Sprintf("[%d]", general)},
		{"a list of a name", "stream", `["general"]`},
	} {
		id := s.In(t).As("alice").Do("POST /messages", "type", c.typ, "to", c.to, "topic", " lunch ", "content",
			"\n hi *you* \n ").OK().Int("id")
		s.Events(fmt.Sprintf(`message subscribers:general {"id":%d,"realm":%d,"recipient":%d,"sender":%d}`, id, s.Realm,
			general<<1, s.UserID("alice")))
		s.As("bob").Do(fmt.Sprintf("GET /messages/%d", id)).Is(200,
			fmt.Sprintf(`{"result":"success","msg":"","raw_content":" hi *you*","message":{
			"id":%d,"sender_id":%d,"sender_email":"alice@example.com","sender_full_name":"Alice","sender_realm_str":"",
			"avatar_url":null,"client":"*","content":"<p>hi <em>you</em></p>","content_type":"text/html","display_recipient":"general",
			"recipient_id":%d,"stream_id":%d,"subject":"lunch","topic_links":[],"type":"stream","timestamp":%d,"is_me_message":false,
			"reactions":[],"submessages":[],"flags":[]}}`, id, s.UserID("alice"), general<<1, general, s.Clock.Now().Unix()))
		if i > 0 && id <= 1 {
			t.Errorf("%s: id %d does not increase", c.name, id)
		}
	}
}

func TestSendToPeople(t *testing.T) {
	s := kittest.Start(t, messages.Module)
	alice, bob := s.UserID("alice"), s.UserID("bob")
	first := sendDirect(s, "alice", "hi", "bob")
	recipient := s.As("bob").Do(fmt.Sprintf("GET /messages/%d", first)).OK().Int("message.recipient_id")
	s.Events(fmt.Sprintf(`message users:alice,bob {"id":%d,"realm":1,"recipient":%d,"sender":%d}`, first, recipient,
		alice))
	for _, to := range []string{
		fmt.Sprintf("[%d]", bob), fmt.Sprint(bob), `["bob@example.com"]`, `"bob@example.com"`, "bob@example.com",
		" Bob@Example.com ,",
		fmt.Sprintf("[%d,%d,%d]", bob, alice, bob), "bob@example.com,alice@example.com",
	} {
		id := s.As("alice").Do("POST /messages", "type", "private", "to", to, "content", "hi", "topic",
			"ignored").OK().Int("id")
		got := s.As("bob").Do(fmt.Sprintf("GET /messages/%d", id), "apply_markdown", "false").OK()
		if r := got.Int("message.recipient_id"); r != recipient {
			t.Errorf("to %s: conversation %d, want %d", to, r, recipient)
		}
		if got.String("message.subject") != "" || got.String("message.type") != "private" ||
			got.String("message.content_type") != "text/x-markdown" || got.Has("message.stream_id") {
			t.Errorf("to %s: %s", to, got.Body)
		}
	}
	for _, c := range []struct {
		to   []string
		want string
	}{
		{[]string{"alice"}, "alice"},
		{[]string{"bob", "olga"}, "alice bob olga"},
		{[]string{"bob"}, "alice bob"},
		{[]string{"bot"}, "alice bot"},
	} {
		id := sendDirect(s, "alice", "x", c.to...)
		var got struct {
			Message struct {
				Recipients []struct {
					ID       int64  `json:"id"`
					Email    string `json:"email"`
					FullName string `json:"full_name"`
					Dummy    *bool  `json:"is_mirror_dummy"`
				} `json:"display_recipient"`
			} `json:"message"`
		}
		s.As("alice").Do(fmt.Sprintf("GET /messages/%d", id)).OK().JSON(&got)
		var names []string
		for _, r := range got.Message.Recipients {
			names = append(names, strings.TrimSuffix(r.Email, "@example.com"))
			if r.Dummy == nil || *r.Dummy || r.FullName == "" {
				t.Errorf("to %v: participant %+v", c.to, r)
			}
		}
		if strings.Join(names, " ") != c.want {
			t.Errorf("to %v: participants %v, want %s", c.to, names, c.want)
		}
	}
}

func TestSendRefuses(t *testing.T) {
	s := kittest.Start(t, messages.Module)
	general, secret := fmt.Sprint(s.ChannelID("general")), fmt.Sprint(s.ChannelID("secret"))
	many := make([]int, 100_000)
	for i := range many {
		many[i] = i + 1
	}
	few := kittest.JSON(many[:251])
	for _, c := range []struct {
		name, as  string
		params    []string
		code, msg string
	}{
		{"no type", "alice", []string{"to", general, "topic", "x", "content", "x"}, "REQUEST_VARIABLE_MISSING",
			"Missing 'type' argument"},
		{"bad type", "alice", []string{"type", "smoke", "to", general, "topic", "x", "content", "x"}, "BAD_REQUEST",
			"Invalid type"},
		{"no content", "alice", []string{"type", "stream", "to", general, "topic", "x"}, "REQUEST_VARIABLE_MISSING",
			"Missing 'content' argument"},
		{"blank content", "alice", []string{"type", "stream", "to", general, "topic", "x", "content", " \n\t "},
			"BAD_REQUEST", "Message must not be empty"},
		{"NUL", "alice", []string{"type", "stream", "to", general, "topic", "x", "content", "a\x00b"}, "BAD_REQUEST",
			"null bytes"},
		{"no channel", "alice", []string{"type", "stream", "topic", "x", "content", "x"}, "REQUEST_VARIABLE_MISSING",
			"Missing 'to' argument"},
		{"unknown name", "alice", []string{"type", "stream", "to", "a<b", "topic", "x", "content", "x"},
			"STREAM_DOES_NOT_EXIST", "Channel 'a&lt;b' does not exist"},
		{"unknown id", "alice", []string{"type", "stream", "to", "999", "topic", "x", "content", "x"},
			"STREAM_DOES_NOT_EXIST", "Channel with ID '999' does not exist"},
		{"two channels", "alice", []string{"type", "stream", "to", "[1,2]", "topic", "x", "content", "x"}, "BAD_REQUEST",
			"Expected exactly one channel"},
		{"a channel's type", "alice", []string{"type", "stream", "to", "{}", "topic", "x", "content", "x"}, "BAD_REQUEST",
			"Invalid data type for channel"},
		{"no topic", "alice", []string{"type", "stream", "to", general, "content", "x"}, "BAD_REQUEST", "Missing topic"},
		{"topic twice", "alice", []string{"type", "stream", "to", general, "topic", "x", "subject", "x", "content", "x"},
			"REQUEST_CONFUSING_VAR", ""},
		{"topic's characters", "alice", []string{"type", "stream", "to", general, "topic", "ab\x01", "content", "x"},
			"BAD_REQUEST", "Invalid character in topic, at position 3!"},
		{"private by name", "bob", []string{"type", "stream", "to", "secret", "topic", "x", "content", "x"}, "BAD_REQUEST",
			"Not authorized to send to channel 'secret'"},
		{"private by id", "bob", []string{"type", "stream", "to", secret, "topic", "x", "content", "x"},
			"STREAM_DOES_NOT_EXIST", "Channel with ID '" + secret + "' does not exist"},
		{"private to a guest", "guest", []string{"type", "stream", "to", "secret", "topic", "x", "content", "x"},
			"BAD_REQUEST", "Not authorized to send to channel 'secret'"},
		{"nobody", "alice", []string{"type", "direct", "to", "[]", "content", "x"}, "BAD_REQUEST",
			"Message must have recipients"},
		{"no recipients", "alice", []string{"type", "direct", "content", "x"}, "BAD_REQUEST", "Message must have recipients"},
		{"mixed", "alice", []string{"type", "direct", "to", `[1,"bob@example.com"]`, "content", "x"}, "BAD_REQUEST",
			"may contain emails or user IDs, but not both"},
		{"user ids with type", "alice", []string{"type", "direct", "to", `{"a":1}`, "content", "x"}, "BAD_REQUEST",
			"Invalid data type for recipients"},
		{"unknown user", "alice", []string{"type", "direct", "to", "[999]", "content", "x"}, "BAD_REQUEST",
			"Invalid user ID 999"},
		{"unknown address", "alice", []string{"type", "direct", "to", "x@example.com", "content", "x"}, "BAD_REQUEST",
			"Invalid email 'x@example.com'"},
		{"251 users", "alice", []string{"type", "direct", "to", few, "content", "x"}, "BAD_REQUEST", "Too many recipients"},
		{"mirrored", "alice", []string{"type", "direct", "to", "[1]", "content", "x", "sender", "bob@example.com"},
			"BAD_REQUEST", "Invalid mirrored message"},
		{"forged", "alice", []string{"type", "direct", "to", "[1]", "content", "x", "forged", "true"}, "BAD_REQUEST",
			"User not authorized for this query"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.In(t).As(c.as).Do("POST /messages", c.params...).Error(400, c.code, c.msg)
			s.In(t).NoEvents()
		})
	}
	t.Run("100,000 users", func(t *testing.T) {
		a := s.In(t).As("alice").Do("POST /messages", "type", "direct", "to", kittest.JSON(many), "content", "x")
		if a.Status != 400 && a.Status != 413 {
			t.Errorf("status %d: %.200s", a.Status, a.Body)
		}
		s.In(t).NoEvents()
	})
	s.As("alice").Do("GET /messages", "anchor", "newest", "num_before", "10").Is(200,
		`{"result":"success","msg":"","messages":[],"anchor":0,
		"found_anchor":false,"found_oldest":true,"found_newest":true,"history_limited":false}`)
}

func TestSendKeepsToLimits(t *testing.T) {
	s := kittest.Start(t, messages.Module)
	id := post(s, "alice", "general", strings.Repeat("é", 70), strings.Repeat("ü", 10_001))
	got := s.As("alice").Do(fmt.Sprintf("GET /messages/%d", id)).OK()
	raw := got.String("raw_content")
	if n := len([]rune(raw)); n != 10_000 || !strings.HasSuffix(raw, "ü\n[message truncated]") {
		t.Errorf("%d code points, ending in %q", n, raw[len(raw)-40:])
	}
	if got.String("message.subject") != strings.Repeat("é", 57)+"..." {
		t.Errorf("topic %q", got.String("message.subject"))
	}
}

func TestEmptyTopic(t *testing.T) {
	s := kittest.Start(t, messages.Module)
	for _, sent := range []string{"", "  ", "(no topic)", "general chat"} {
		id := post(s, "alice", "general", sent, "x")
		for capable, want := range map[string]string{"true": "", "false": "general chat"} {
			got := s.As("alice").Do(fmt.Sprintf("GET /messages/%d", id), "allow_empty_topic_name",
				capable).OK().String("message.subject")
			if got != want {
				t.Errorf("sent %q, allow_empty_topic_name %s: %q, want %q", sent, capable, got, want)
			}
		}
	}
	s.As("alice").Do(fmt.Sprintf("GET /users/me/%d/topics", s.ChannelID("general"))).Is(200,
		`{"result":"success","msg":"","topics":[{"name":"general chat","max_id":4}]}`)
}

func TestReadBySender(t *testing.T) {
	s := kittest.Start(t, messages.Module)
	for _, c := range []struct {
		agent, param string
		read         bool
	}{
		{"ZulipMobile/27.0", "", true},
		{"ZulipPython/0.9", "", false},
		{"My desktop app", "", true},
		{"ZulipPython/0.9", "true", true},
		{"ZulipMobile/27.0", "false", false},
	} {
		params := []string{"type", "stream", "to", "general", "topic", "x", "content", "x"}
		if c.param != "" {
			params = append(params, "read_by_sender", c.param)
		}
		id := s.As("alice").Agent(c.agent).Do("POST /messages", params...).OK().Int("id")
		want := "[]"
		if c.read {
			want = `["read"]`
		}
		got := s.As("alice").Do(fmt.Sprintf("GET /messages/%d", id)).OK().Get("message.flags")
		if kittest.JSON(got) != want {
			t.Errorf("%s, read_by_sender %q: flags %v, want %s", c.agent, c.param, got, want)
		}
		if got := s.As("bob").Do(fmt.Sprintf("GET /messages/%d", id)).OK().Get("message.flags"); kittest.JSON(got) != "[]" {
			t.Errorf("%s: bob's flags %v", c.agent, got)
		}
	}
}

func TestMentions(t *testing.T) {
	s := kittest.Start(t, messages.Module)
	post(s, "olga", "general", "x", "I take part")
	for _, c := range []struct {
		content string
		flags   map[string]string
	}{
		{"hi @**Bob**", map[string]string{"bob": `["mentioned"]`, "olga": `[]`, "alice": `[]`}},
		{"hi @_**Bob**", map[string]string{"bob": `[]`}},
		{"@**all** hi", map[string]string{"bob": `["stream_wildcard_mentioned","wildcard_mentioned"]`,
			"alice": `["stream_wildcard_mentioned","wildcard_mentioned"]`}},
		{"@**topic** hi", map[string]string{"bob": `[]`, "olga": `["topic_wildcard_mentioned","wildcard_mentioned"]`,
			"alice": `["topic_wildcard_mentioned","wildcard_mentioned"]`}},
		{"@**Adam**, who does not subscribe", map[string]string{"adam": `["read","historical"]`}},
	} {
		id := post(s, "alice", "general", "x", c.content)
		for who, want := range c.flags {
			if got := s.As(who).Do(fmt.Sprintf("GET /messages/%d", id)).OK().Get("message.flags"); kittest.JSON(got) != want {
				t.Errorf("%s: %s's flags %s, want %s", c.content, who, kittest.JSON(got), want)
			}
		}
	}
	id := sendDirect(s, "alice", "@**all** and @**Bob**", "bob")
	if got := s.As("bob").Do(fmt.Sprintf("GET /messages/%d", id)).OK().Get("message.flags"); kittest.JSON(got) !=
		`["mentioned","stream_wildcard_mentioned","wildcard_mentioned"]` {
		t.Errorf("flags of a direct message: %s", kittest.JSON(got))
	}
}

func TestRender(t *testing.T) {
	s := kittest.Start(t, messages.Module)
	s.As("alice").Do("POST /messages/render", "content", "*x* <b>").Is(200,
		`{"result":"success","msg":"","rendered":"<p><em>x</em> &lt;b&gt;</p>"}`)
	s.As("alice").Do("POST /messages/render").Error(400, "REQUEST_VARIABLE_MISSING", "Missing 'content' argument")
	s.As("alice").Do("POST /messages/render", "content", " \n").Is(200, `{"result":"success","msg":"","rendered":""}`)
	s.As("alice").Do("POST /messages/render", "content", "x\x00").Error(400, "BAD_REQUEST",
		"Message must not contain null bytes")
	long := s.As("alice").Do("POST /messages/render", "content", strings.Repeat("é", 10_001)).OK().String("rendered")
	if want := "<p>" + strings.Repeat("é", 9_980) + "<br>\n[message truncated]</p>"; long != want {
		t.Errorf("a long text: %d code points, ends in %q", len([]rune(long)), long[len(long)-60:])
	}
	s.NoEvents()
}
