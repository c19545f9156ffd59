package messages_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// topicsOf returns a channel's topics as shown to a user, with the IDs of their newest messages.
func topicsOf(s *kittest.Server, as string, channel int64) string {
	s.T.Helper()
	return kittest.JSON(s.As(as).Do(fmt.Sprintf("GET /users/me/%d/topics", channel), "allow_empty_topic_name",
		"true").OK().Get("topics"))
}

// contents returns the Markdown of the messages that a user finds with a narrow, oldest first.
func contents(s *kittest.Server, as, narrow string) string {
	s.T.Helper()
	var body struct {
		Messages []struct{ Content, Subject string }
	}
	s.As(as).Do("GET /messages", "anchor", "newest", "num_before", "100", "narrow", narrow, "apply_markdown", "false",
		"allow_empty_topic_name", "true").OK().JSON(&body)
	text := ""
	for _, m := range body.Messages {
		text += m.Subject + ": " + m.Content + "\n"
	}
	return text
}

func TestMoveWithin(t *testing.T) {
	s := startFull(t)
	general := int64(s.ChannelID("general"))
	var id [4]int64
	for i := range id {
		id[i] = post(s, "alice", "general", []string{"Lunch", "lunch", "supper", "LUNCH"}[i], fmt.Sprint(i))
	}
	bob, adam := openQueue(s, "bob"), openQueue(s, "adam")
	s.Clock.Advance(time.Second)
	edit(s, "bob", id[1], "topic", "tea", "propagate_mode", "change_later", "send_notification_to_new_thread",
		"false").OK()
	sameJSON(t, "bob", bob.of("update_message"),
		fmt.Sprintf(`{"type":"update_message","user_id":%d,"rendering_only":false,"message_id":%d,
		"message_ids":[%d,%d],"edit_timestamp":%d,"stream_id":%d,"stream_name":"general","propagate_mode":"change_later","orig_subject":"lunch",
		"subject":"tea","topic_links":[],"flags":[]}`, s.UserID("bob"), id[1], id[1], id[3], s.Clock.Now().Unix(), general))
	sameJSON(t, "adam", adam.of("update_message"))
	if got, want := topicsOf(s, "bob", general),
		fmt.Sprintf(`[{"max_id":%d,"name":"tea"},{"max_id":%d,"name":"supper"},{"max_id":%d,"name":"Lunch"}]`, id[3], id[2],
			id[0]); got != want {
		t.Errorf("topics %s, want %s", got, want)
	}
	m := s.As("bob").Do(fmt.Sprintf("GET /messages/%d", id[3])).OK()
	if m.String("message.edit_history.0.prev_topic") != "LUNCH" ||
		m.Int("message.last_moved_timestamp") != s.Clock.Now().Unix() || m.Has("message.last_edit_timestamp") {
		t.Errorf("the other moved message: %v", m.Get("message"))
	}
	if got := flags(s, "bob", id[3]); got != "" {
		t.Errorf("it was unread, and is now %q", got)
	}
}

// The notices in the old and the new topic, by what was moved.
func TestMoveNotices(t *testing.T) {
	for _, c := range []struct {
		name, mode, to string // one, two and three are in a; the first is moved
		moved          int
		params         []string
		old, new       string
	}{
		{"one", "change_one", "b", 1, nil, "",
			"[A message](/#narrow/channel/%d-general/topic/b/near/%d) was moved here from #**general>a** by %s."},
		{"later", "change_later", "b", 3, nil, "", "This topic was moved here from #**general>a** by %s."},
		{"all", "change_all", "b", 3, []string{"send_notification_to_old_thread", "true"},
			"This topic was moved to #**general>b** by %s.",
			"This topic was moved here from #**general>a** by %s."},
		{"all, into a topic that there is", "change_all", "there", 3, nil, "",
			"3 messages were moved here from #**general>a** by %s."},
		{"one, notice in the old topic", "change_one", "b", 1,
			[]string{"send_notification_to_old_thread", "true", "send_notification_to_new_thread", "false"},
			"A message was moved from this topic to #**general>b** by %s.", ""},
		{"odd names", "change_all", "b*c", 3, []string{"send_notification_to_old_thread", "true",
			"send_notification_to_new_thread", "false"},
			"This topic was moved to [&#35;general > b&#42;c](/#narrow/channel/%d-general/topic/b.2Ac) by %s.", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := startFull(t)
			post(s, "alice", "general", "there", "x")
			first := post(s, "alice", "general", "a", "one")
			post(s, "alice", "general", "a", "two")
			post(s, "alice", "general", "a", "three")
			edit(s, "mona", first, append([]string{"topic", c.to, "propagate_mode", c.mode}, c.params...)...).OK()
			who, general := fmt.Sprintf("@_**Mona|%d**", s.UserID("mona")), int64(s.ChannelID("general"))
			fill := func(text string) string {
				switch {
				case text == "":
					return ""
				case c.mode == "change_one" && c.old == "":
					return fmt.Sprintf(text, general, first, who)
				case c.to == "b*c":
					return fmt.Sprintf(text, general, who)
				}
				return fmt.Sprintf(text, who)
			}
			newest := func(topic string) string {
				text := ""
				for _, m := range newestOf(s, "bob", fmt.Sprintf(`[["channel","general"],["topic",%q]]`, topic), false) {
					if m.Client == "Internal" {
						text += topic + ": " + m.Content + "\n"
					}
				}
				return text
			}
			for topic, want := range map[string]string{"a": fill(c.old), c.to: fill(c.new)} {
				if want != "" {
					want = topic + ": " + want + "\n"
				}
				if got := newest(topic); got != want {
					t.Errorf("%s:\n got %s\nwant %s", topic, got, want)
				}
			}
		})
	}
}

func TestResolve(t *testing.T) {
	s := startFull(t)
	id := post(s, "alice", "general", "lunch", "x")
	s.As("guest").Do("PATCH /settings", "resolved_topic_notice_auto_read_policy", "never").OK()
	bob := openQueue(s, "bob")
	resolve := func(as, topic string) {
		t.Helper()
		edit(s, as, id, "topic", topic, "propagate_mode", "change_all").OK()
	}
	resolve("alice", "✔ lunch")
	who := fmt.Sprintf("@_**Alice|%d**", s.UserID("alice"))
	all := `[["channel","general"]]`
	if got, want := contents(s, "bob", all),
		"✔ lunch: x\n✔ lunch: "+who+" has marked this topic as resolved.\n"; got != want {
		t.Errorf("resolved:\n%s", got)
	}
	if m := s.As("bob").Do(fmt.Sprintf("GET /messages/%d", id)).OK(); m.Has("message.last_moved_timestamp") ||
		!m.Has("message.edit_history") {
		t.Errorf("resolving counts as a move: %v", m.Get("message"))
	}
	notice := list(s, "bob", "anchor", "newest", "num_before", "1", "narrow", all).Messages[0].ID
	for who, want := range map[string]string{"alice": "read", "bob": "read", "guest": ""} {
		if got := flags(s, who, notice); got != want {
			t.Errorf("the notice is %q for %s, want %q", got, who, want)
		}
	}
	bob.poll()
	s.Clock.Advance(time.Minute)
	resolve("bob", "lunch") // immediately, which deletes the notice
	if got := contents(s, "bob", all); got != "lunch: x\n" {
		t.Errorf("taken back:\n%s", got)
	}
	sameJSON(t, "bob", bob.of("delete_message"),
		fmt.Sprintf(`{"type":"delete_message","message_ids":[%d],"message_type":"stream","stream_id":%d,"topic":"lunch"}`,
			notice, s.ChannelID("general")))
	resolve("alice", "✔ lunch")
	s.Clock.Advance(61 * time.Second)
	resolve("alice", "lunch")
	if got, want := contents(s, "bob", all), "lunch: x\nlunch: "+who+" has marked this topic as resolved.\nlunch: "+who+
		" has marked this topic as unresolved.\n"; got != want {
		t.Errorf("later:\n%s", got)
	}
}

// moveRooms creates channels to move between: a public and a private one with shared history, and one with protected
// history.
func moveRooms(s *kittest.Server) map[string]int64 {
	s.T.Helper()
	return map[string]int64{
		"public": makeChannel(s, "public", []string{"olga", "alice", "bob", "guest"}),
		"private": makeChannel(s, "private", []string{"olga", "bob"}, "invite_only", "true",
			"history_public_to_subscribers", "true"),
		"protected": makeChannel(s, "protected", []string{"olga", "bob", "mona"}, "invite_only", "true",
			"history_public_to_subscribers", "false"),
	}
}

func TestMoveBetween(t *testing.T) {
	for _, c := range []struct {
		to       string
		sees     map[string]string // flags of the message afterwards; "-": cannot see it
		received map[string]string // the event that each user receives
	}{
		{"private", map[string]string{"alice": "-", "guest": "-", "bob": "", "olga": "read", "adam": "-", "mona": "-"},
			map[string]string{"alice": "delete_message", "guest": "delete_message", "bob": "update_message",
				"olga": "update_message", "adam": "", "mona": ""}},
		{"protected", map[string]string{"alice": "-", "guest": "-", "bob": "", "olga": "read", "mona": "read", "adam": "-"},
			map[string]string{"alice": "delete_message", "guest": "delete_message", "bob": "update_message",
				"mona": "update_message", "adam": ""}},
		{"general", map[string]string{"alice": "", "bob": "", "guest": "", "olga": "read", "adam": "historical read"},
			map[string]string{"alice": "update_message", "bob": "update_message", "guest": "update_message", "adam": ""}},
	} {
		t.Run(c.to, func(t *testing.T) {
			s := startFull(t)
			rooms := moveRooms(s)
			rooms["general"] = int64(s.ChannelID("general"))
			id := post(s, "olga", "public", "t", "x")
			other := post(s, "olga", "public", "t", "y")
			mark(s, "olga", "add", "read", id)
			mark(s, "alice", "add", "starred", id)
			queues := map[string]*queue{}
			for who := range c.received {
				queues[who] = openQueue(s, who)
			}
			edit(s, "olga", id, "stream_id", fmt.Sprint(rooms[c.to]), "send_notification_to_new_thread", "false").OK()
			for who, want := range c.received {
				events := queues[who].poll()
				if want == "" && len(events) > 0 || want != "" && (len(events) != 1 || events[0]["type"] != want) {
					t.Errorf("%s received %v, want %q", who, events, want)
				}
				if want == "update_message" && len(events) == 1 &&
					(kittest.JSON(events[0]["new_stream_id"]) != fmt.Sprint(rooms[c.to]) ||
						events[0]["orig_subject"] != "t" || events[0]["propagate_mode"] != "change_one" || events[0]["subject"] != nil) {
					t.Errorf("%s received %v", who, events[0])
				}
			}
			for who, want := range c.sees {
				a := s.As(who).Do(fmt.Sprintf("GET /messages/%d", id))
				if want == "-" {
					a.Error(400, "BAD_REQUEST", "Invalid message(s)")
					continue
				}
				a.OK()
				if who == "alice" {
					want = "starred"
				}
				if got := flags(s, who, id); got != want {
					t.Errorf("%s has flags %q, want %q", who, got, want)
				}
			}
			if got := topicsOf(s, "olga", rooms["public"]); got != fmt.Sprintf(`[{"max_id":%d,"name":"t"}]`, other) {
				t.Errorf("what stays: %s", got)
			}
			for name, want := range map[string]int64{"public": other, c.to: id} {
				if got := s.As("olga").Do(fmt.Sprintf("GET /streams/%d",
					rooms[name])).OK().Int("stream.first_message_id"); got != want {
					t.Errorf("%s's first message is %d, want %d", name, got, want)
				}
			}
		})
	}
}

// Only messages that the mover can see move out of protected history; within it, all do.
func TestMoveProtected(t *testing.T) {
	s := startFull(t)
	rooms := moveRooms(s)
	before := post(s, "bob", "protected", "t", "before")
	subscribe(s, "olga", "adam", "protected")
	after := post(s, "bob", "protected", "t", "after")
	edit(s, "adam", after, "topic", "u", "propagate_mode", "change_all", "send_notification_to_new_thread", "false").OK()
	if got := contents(s, "bob", `[["channel","protected"]]`); got != "u: before\nu: after\n" {
		t.Errorf("within:\n%s", got)
	}
	edit(s, "adam", after, "stream_id", fmt.Sprint(rooms["public"]), "propagate_mode", "change_all",
		"send_notification_to_new_thread", "false").OK()
	if got := contents(s, "bob", `[["channel","protected"]]`); got != "u: before\n" {
		t.Errorf("what stays:\n%s", got)
	}
	s.As("adam").Do(fmt.Sprintf("GET /messages/%d", before)).Error(400, "BAD_REQUEST", "Invalid message(s)")
	if got := contents(s, "alice", `[["channel","public"]]`); got != "u: after\n" {
		t.Errorf("what came:\n%s", got)
	}
}

func TestMoveTimeLimit(t *testing.T) {
	s := startFull(t)
	old := post(s, "alice", "general", "t", "1")
	s.Clock.Advance(7*24*time.Hour + time.Minute)
	second, third := post(s, "alice", "general", "t", "2"), post(s, "alice", "general", "t", "3")
	s.Skip()
	edit(s, "alice", third, "topic", "u", "propagate_mode", "change_all").Is(400,
		fmt.Sprintf(`{"result":"error","code":"MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
		"msg":"You only have permission to move the 2/3 most recent messages in this topic.",
		"first_message_id_allowed_to_move":%d,"total_messages_in_topic":3,"total_messages_allowed_to_move":2}`, second))
	for _, mode := range []string{"change_one", "change_later", "change_all"} { // the message itself is too old
		edit(s, "alice", old, "topic", "u", "propagate_mode", mode).Is(400,
			fmt.Sprintf(`{"result":"error","code":"MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
			"msg":"The time limit for editing this message's topic has passed.",
			"first_message_id_allowed_to_move":%d,"total_messages_in_topic":3,"total_messages_allowed_to_move":2}`, second))
	}
	s.NoEvents()
	edit(s, "alice", second, "topic", "u", "propagate_mode", "change_later", "send_notification_to_new_thread",
		"false").OK()
	if got := contents(s, "alice", `[["channel","general"]]`); got != "t: 1\nu: 2\nu: 3\n" {
		t.Errorf("%s", got)
	}
	edit(s, "alice", old, "topic", "✔ t", "propagate_mode", "change_all").OK() // resolving has no limit
	edit(s, "mona", third, "topic", "v", "propagate_mode", "change_all").OK()
	room := makeChannel(s, "public", []string{"alice"})
	alone := post(s, "alice", "general", "alone", "x")
	s.Clock.Advance(7*24*time.Hour + time.Minute)
	s.Skip()
	edit(s, "alice", alone, "stream_id", fmt.Sprint(room)).Is(400,
		`{"result":"error","code":"MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
		"msg":"The time limit for editing this message's channel has passed",
		"first_message_id_allowed_to_move":null,"total_messages_in_topic":1,"total_messages_allowed_to_move":0}`)
	s.NoEvents()
}

// A message sent while its topic moves ends up in the old or the new topic, where everyone sees it.
func TestMoveAndSend(t *testing.T) {
	s := startFull(t)
	id := post(s, "alice", "general", "t", "first")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() { post(s, "bob", "general", "t", fmt.Sprint(i)) })
	}
	all.Go(func() {
		edit(s, "alice", id, "topic", "u", "propagate_mode", "change_all", "send_notification_to_new_thread", "false").OK()
	})
	all.Wait()
	p := list(s, "bob", "anchor", "newest", "num_before", "100", "narrow", `[["channel","general"]]`)
	if len(p.Messages) != 9 {
		t.Errorf("%d messages exist, want 9", len(p.Messages))
	}
	if a, b := contents(s, "alice", `[["channel","general"]]`), contents(s, "bob", `[["channel","general"]]`); a != b {
		t.Errorf("alice sees\n%s\nbob sees\n%s", a, b)
	}
}

// Of two concurrent moves of one topic, both succeed one after the other, or the second has nothing to change.
func TestTwoMoves(t *testing.T) {
	s := startFull(t)
	id := post(s, "alice", "general", "t", "x")
	other := post(s, "alice", "general", "t", "y")
	var all sync.WaitGroup
	for i, m := range []int64{id, other} {
		all.Go(func() {
			edit(s, "alice", m, "topic", fmt.Sprint("to ", i), "propagate_mode", "change_all", "send_notification_to_new_thread",
				"false").OK()
		})
	}
	all.Wait()
	if got := contents(s, "bob", `[["channel","general"]]`); got != "to 0: x\nto 0: y\n" && got != "to 1: x\nto 1: y\n" {
		t.Errorf("only part of the topic moved:\n%s", got)
	}
}
