package widgets_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/topics"
	"github.com/stoachat/stoa/modules/widgets"
)

func TestModule(t *testing.T) {
	kittest.Check(t, widgets.Module, realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module)
}

func start(t *testing.T, url string) *kittest.Server {
	t.Helper()
	return kittest.StartWith(t, kittest.Options{DatabaseURL: url}, realm.Module, accounts.Module, groups.Module,
		channels.Module,
		messages.Module, events.Module, topics.Module, widgets.Module)
}

func post(s *kittest.Server, who, content string, more ...string) int64 {
	return s.As(who).Do("POST /messages", append([]string{"type", "channel", "to", fmt.Sprint(s.ChannelID("general")),
		"topic", "t",
		"content", content}, more...)...).OK().Int("id")
}

func submessages(s *kittest.Server, id int64) string {
	return kittest.JSON(s.As("alice").Do(fmt.Sprintf("GET /messages/%d", id)).OK().Get("message.submessages"))
}

func TestWidgets(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		alice, bob := s.UserID("alice"), s.UserID("bob")
		a := s.As("alice").Do("POST /register", "event_types", `["message","submessage"]`, "fetch_event_types", "[]").OK()
		queue := a.String("queue_id")

		id := post(s, "bob", "/poll  Lunch? \n- Soup <hot>\n\n*Salad\nBread: fresh\n")
		poll := fmt.Sprintf(`[{"id":1,"message_id":%d,"sender_id":%d,"msg_type":"widget","content":%s}]`, id, bob,
			kittest.JSON(
				`{"widget_type":"poll","extra_data":{"question":"Lunch?","options":["Soup <hot>","Salad","Bread: fresh"]}}`))
		same := func(got, want string) {
			t.Helper()
			var a, b any
			if json.Unmarshal([]byte(got), &a) != nil || json.Unmarshal([]byte(want), &b) != nil || !reflect.DeepEqual(a, b) {
				t.Errorf("got %s\nwant %s", got, want)
			}
		}
		same(submessages(s, id), poll)
		vote := `{"type":"vote","key":"canned,0","vote":1}`
		s.Skip()
		s.As("alice").Do("POST /submessage", "message_id", fmt.Sprint(id), "msg_type", "widget", "content", vote).
			Is(200, `{"result":"success","msg":""}`)
		s.Events(fmt.Sprintf(`submessage subscribers:general {"submessage_id":2,"message_id":%d,"recipient":2}`, id))

		// The message event contains only the widget's own submessage, even if it is delivered after a vote.
		got := s.As("alice").Do("GET /events", "queue_id", queue, "last_event_id", "-1", "dont_block", "true").OK()
		same(kittest.JSON(got.Get("events.0.message.submessages")), poll)
		want := fmt.Sprintf(`{"id":%v,"type":"submessage","submessage_id":2,"message_id":%d,"sender_id":%d,`+
			`"msg_type":"widget","content":%s}`,
			got.Get("events.1.id"), id, alice, kittest.JSON(vote))
		same(kittest.JSON(got.Get("events.1")), want)
		if list := submessages(s, id); !strings.Contains(list, "canned,0") {
			t.Errorf("submessages %s", list)
		}
		s.As("bob").Do(fmt.Sprintf("PATCH /messages/%d", id), "content", "x").Error(400, "BAD_REQUEST",
			"Widgets cannot be edited.")

		id = post(s, "bob", "/todo\nbread: two loaves\nmilk")
		if list := submessages(s, id); !strings.Contains(list, strings.Trim(kittest.JSON(
			`{"task_list_title":"","tasks":[{"task":"bread","desc":"two loaves"},{"task":"milk","desc":""}]}`), `"`)) {
			t.Errorf("submessages %s", list)
		}
		for _, text := range []string{"/polls x", "x /poll", " /poll x", "/todos"} {
			if list := submessages(s, post(s, "bob", text)); list != "[]" {
				t.Errorf("%q has the submessages %s", text, list)
			}
		}

		// Events delivered after a message was deleted do not contain its widget.
		s.As("olga").Do(fmt.Sprintf("DELETE /messages/%d", id)).OK()
		if late := s.As("alice").Do("GET /events", "queue_id", queue, "last_event_id", "-1", "dont_block",
			"true").OK(); strings.Contains(
			late.Body, "two loaves") {
			t.Error("the text of a deleted list is delivered")
		}
	})
}

func TestSubmessageRules(t *testing.T) {
	s := start(t, "")
	poll, todo, plain := post(s, "bob", "/poll x"), post(s, "bob", "/todo x"), post(s, "bob", "x")
	attach := func(who string, id int64, content string) *kittest.Response {
		return s.As(who).Do("POST /submessage", "message_id", fmt.Sprint(id), "msg_type", "widget", "content", content)
	}
	for _, content := range []string{
		`{"type":"vote","key":"canned,0","vote":-1}`, `{"type":"vote","key":"11,1000","vote":1}`,
		`{"type":"new_option","idx":1000,"option":"o"}`,
	} {
		attach("alice", poll, content).OK()
	}
	for _, content := range []string{
		`{"type":"new_task","key":0,"task":"t","desc":"","completed":false}`, `{"type":"strike","key":"0,canned"}`,
	} {
		attach("alice", todo, content).OK()
	}
	attach("bob", poll, `{"type":"question","question":"y"}`).OK()
	attach("bob", todo, `{"type":"new_task_list_title","title":"y"}`).OK()
	s.Skip()
	for _, c := range []struct {
		id           int64
		content, msg string
	}{
		{poll, `{`, "Invalid json for submessage"}, {poll, `[]`, "Invalid json for submessage"},
		{poll, `{}`, "Invalid json for submessage"},
		{poll, `{"type":"question","question":"y"}`, "You can't edit a question unless you are the author."},
		{poll, `{"type":"question"}`, "Invalid poll data"},
		{poll, `{"type":"strike","key":"0,1"}`, "Unknown type for poll data: strike"},
		{poll, `{"type":"vote","key":"canned,0","vote":2}`, "Invalid poll data"},
		{poll, `{"type":"vote","key":"canned","vote":1}`, "Invalid poll data"},
		{poll, `{"type":"vote","key":"a,1","vote":1}`, "Invalid poll data"},
		{poll, `{"type":"new_option","idx":1001,"option":"o"}`, "Invalid poll data"},
		{poll, `{"type":"new_option","idx":-1,"option":"o"}`, "Invalid poll data"},
		{todo, `{"type":"new_task","key":1.5,"task":"t","desc":"","completed":false}`, "Invalid todo data"},
		{todo, `{"type":"new_task_list_title","title":"y"}`, "You can't edit the task list title unless you are the author."},
		{plain, `{}`, "You cannot attach a submessage to this message."}, {987654321, `{}`, "Invalid message(s)"},
	} {
		attach("alice", c.id, c.content).Error(400, "BAD_REQUEST", c.msg)
	}
	attach("bob", plain, `{"widget_type":"poll","extra_data":[]}`).Error(400, "BAD_REQUEST",
		"Widgets: extra_data is not a dict")
	attach("bob", plain, `"`+strings.Repeat("x", 10_000)+`"`).Error(400, "BAD_REQUEST", "content is too long")
	s.As("alice").Do("POST /submessage", "message_id", fmt.Sprint(poll), "msg_type", "", "content", "{}").Error(400,
		"BAD_REQUEST", "Invalid msg_type")
	s.NoEvents()

	// Only the sender of a message can attach the first submessage. Afterwards others can attach more.
	attach("bob", plain, `{"any":1}`).OK()
	attach("alice", plain, `5`).OK()
	if list := submessages(s, plain); strings.Count(list, `"msg_type"`) != 2 {
		t.Errorf("submessages %s", list)
	}

	long := strings.Repeat("é", 201)
	for id, content := range map[int64]string{
		poll: `{"type":"new_option","idx":1,"option":"` + long + `"}`,
		todo: `{"type":"new_task","key":1,"task":"` + long + `","desc":"","completed":false}`,
	} {
		attach("alice", id, content).Error(400, "BAD_REQUEST", "at most 200 characters")
		attach("alice", id, strings.Replace(content, "éé", "é", 1)).OK()
	}
}

// No user, together with all of the user's bots, can close a message to the submessages of others; and a fifth of its
// space is kept for votes.
func TestSubmessagesAreShared(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		attach := func(who string, id int64, content string) *kittest.Response {
			return s.As(who).Do("POST /submessage", "message_id", fmt.Sprint(id), "msg_type", "widget", "content", content)
		}
		vote := func(who string, id int64, key string, n int) *kittest.Response {
			return attach(who, id, fmt.Sprintf(`{"type":"vote","key":%q,"vote":%d}`, key, n))
		}
		const tooMany = "You have attached too many submessages to this message."
		few := post(s, "bob", "/poll x")
		for i := range 200 {
			vote([]string{"alice", "bot"}[i%2], few, fmt.Sprint("canned,", i), 1).OK() // the bot is alice's
		}
		for _, who := range []string{"alice", "bot"} {
			vote(who, few, "canned,999", 1).Error(400, "BAD_REQUEST", tooMany)
		}
		vote("alice", few, "canned,0", -1).OK() // replaces her vote
		vote("mona", few, "canned,999", 1).OK()
		attach("bob", few, `{"type":"question","question":"y"}`).OK()

		plain, space := post(s, "bob", "x"), strings.Repeat("x", 9_900)
		first := `"` + strings.Repeat("x", 9_990) + `"`
		attach("bob", plain, first).OK()
		for _, who := range []string{"alice", "bob", "mona"} {
			attach(who, plain, `"`+space+`"`).OK()
			attach(who, plain, `"`+space+`"`).OK()
			attach(who, plain, `"`+space+`"`).Error(400, "BAD_REQUEST", tooMany)
		}
	})
}

// event is a submessage, in a message or in an event.
type event struct {
	Type    string
	Sender  int64 `json:"sender_id"`
	Content string
}

// voters replays votes as clients do, and returns each option's voters. Clients differ in whether a repeated vote moves
// the voter to the end.
func voters(all []event, toEnd bool) map[string][]int64 {
	out := map[string][]int64{"canned,0": nil, "canned,1": nil}
	for _, one := range all {
		var e struct {
			Type, Key string
			Idx, Vote int
		}
		if json.Unmarshal([]byte(one.Content), &e); e.Type == "new_option" {
			out[fmt.Sprintf("%d,%d", one.Sender, e.Idx)] = nil
		}
		list, known := out[e.Key]
		if e.Type != "vote" || !known {
			continue
		}
		if e.Vote == -1 || toEnd {
			list = slices.DeleteFunc(list, func(u int64) bool { return u == one.Sender })
		}
		if e.Vote == 1 && !slices.Contains(list, one.Sender) {
			list = append(list, one.Sender)
		}
		out[e.Key] = list
	}
	return out
}

// A vote replaces the voter's former one for the same option. Clients that load the message arrive at the same state,
// and mostly order of voters, as those that have followed the events, however late they read them.
func TestVotesReplaceVotes(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		id := post(s, "bob", "/poll x\na\nb")
		attach := func(who, content string) {
			s.As(who).Do("POST /submessage", "message_id", fmt.Sprint(id), "msg_type", "widget", "content", content).OK()
		}
		late := fmt.Sprintf("%d,1", s.UserID("bob"))
		r := rand.New(rand.NewPCG(1, 2)) // repeatable
		type follower struct {
			queue *kittest.Queue
			seen  []event
		}
		var followers []*follower
		for range 3 {
			followers = append(followers, &follower{queue: s.As("alice").Register("event_types", `["submessage"]`)})
		}
		read := func(f *follower) {
			var res struct{ Events []event }
			f.queue.Take().JSON(&res)
			f.seen = append(f.seen, res.Events...)
		}
		for i := range 300 {
			if i == 20 {
				attach("bob", `{"type":"new_option","idx":1,"option":"late"}`)
			}
			attach([]string{"alice", "bob", "mona"}[r.IntN(3)], fmt.Sprintf(`{"type":"vote","key":%q,"vote":%d}`,
				[]string{"canned,0", "canned,1", late}[r.IntN(3)], r.IntN(2)*2-1))
			read(followers[0])
			if i%7 == 0 {
				read(followers[1])
			}
		}
		var rows []event
		if err := json.Unmarshal([]byte(submessages(s, id)), &rows); err != nil || len(rows) > 2+3*3*2 {
			t.Errorf("%d submessages: %v", len(rows), err)
		}
		for _, toEnd := range []bool{false, true} {
			loaded := voters(rows, toEnd)
			for i, f := range followers {
				read(f)
				got := voters(f.seen, toEnd)
				for key := range loaded {
					want := slices.Clone(loaded[key])
					if i == 1 || key == late { // the order may differ
						slices.Sort(want)
						slices.Sort(got[key])
					}
					if !slices.Equal(got[key], want) {
						t.Errorf("follower %d, %s (%v): voters %v, loaded %v", i, key, toEnd, got[key], want)
					}
				}
			}
		}
	})
}

// Voting counts as participation in the topic.
func TestPolicy(t *testing.T) {
	s := start(t, "")
	poll := post(s, "bob", "/poll x")
	s.As("alice").Do("PATCH /settings", "automatically_follow_topics_policy", "1").OK()
	s.As("alice").Do("POST /submessage", "message_id", fmt.Sprint(poll), "msg_type", "widget", "content",
		`{"type":"vote","key":"canned,0","vote":1}`).OK()
	a := s.As("alice").Do("POST /register", "event_types", `["user_topic"]`).OK()
	if got := kittest.JSON(a.Get("user_topics.0.visibility_policy")); got != "3" {
		t.Errorf("policy %s, want 3", got)
	}
}

func TestWidgetContent(t *testing.T) {
	s := start(t, "")
	form := `{"widget_type":"zform","extra_data":{"type":"choices","heading":"h","choices":[{"type":"m",` +
		`"short_name":"a","long_name":"b","reply":"c"}]}}`
	if list := submessages(s, post(s, "bot", "choose", "widget_content", form)); !strings.Contains(list, `zform`) {
		t.Errorf("submessages %s", list)
	}
	if list := submessages(s, post(s, "bot", "x", "widget_content",
		`{"widget_type":"poll","extra_data":{"question":"q"}}`)); !strings.Contains(
		list, `\"options\":[]`) {
		t.Errorf("submessages %s", list)
	}
	s.Skip()
	for _, c := range [][]string{
		{`{`, "invalid JSON"}, {`[]`, "not a dict"}, {`{}`, "widget_type is not in widget_content"},
		{`{"widget_type":"poll"}`, "extra_data"},
		{`{"widget_type":"poll","extra_data":5}`, "extra_data"},
		{`{"widget_type":"poll","extra_data":{"options":5}}`, "extra_data"},
		{`{"widget_type":"x","extra_data":{}}`, "unknown widget type"},
		{`{"widget_type":"zform","extra_data":{}}`, "unknown zform type"},
		{`{"widget_type":"zform","extra_data":{"type":"choices","heading":"h","choices":[{}]}}`, "each choice"},
	} {
		s.As("bot").Do("POST /messages", "type", "channel", "to", "general", "topic", "t", "content", "x", "widget_content",
			c[0]).
			Error(400, "BAD_REQUEST", "Widgets: ")
	}
	s.NoEvents()
}

func TestCommands(t *testing.T) {
	s := start(t, "")
	do := func(command string) *kittest.Response { return s.As("bob").Do("POST /zcommand", "command", command) }
	do("/ping").Is(200, `{"result":"success","msg":""}`)
	s.Skip()
	do("ping").Error(400, "BAD_REQUEST", "There should be a leading slash in the zcommand.")
	s.As("bob").Do("POST /zcommand").Error(400, "REQUEST_VARIABLE_MISSING", "Missing 'command' argument")
	s.Anonymous().Do("POST /zcommand", "command", "/ping").Error(401, "UNAUTHORIZED", "")
	do("/dance").Error(400, "BAD_REQUEST", "No such command: dance")
	s.NoEvents()
	for _, c := range []struct{ command, want string }{
		{"/dark", `{"property":"color_scheme","value":2}`}, {"/day", `{"property":"color_scheme","value":3}`},
		{"/night", `{"property":"color_scheme","value":2}`}, {"/light", `{"property":"color_scheme","value":3}`},
		{"/fluid-width", `{"property":"fluid_layout_width","value":true}`},
		{"/fixed-width", `{"property":"fluid_layout_width","value":false}`},
	} {
		s.Skip()
		if a := do(c.command).OK(); a.String("msg") == "" {
			t.Errorf("%s: msg is empty", c.command)
		}
		s.Events("user_settings/update user:bob " + c.want)
	}
}

// Without the module, the commands are plain text.
func TestWithoutModule(t *testing.T) {
	s := kittest.Start(t, realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module)
	if list := submessages(s, post(s, "bob", "/poll x")); list != "[]" {
		t.Errorf("submessages %s", list)
	}
	s.As("bob").Do("POST /messages", "type", "channel", "to", "general", "topic", "t", "content", "x", "widget_content",
		"{}").
		Error(400, "BAD_REQUEST", "Widgets: not available")
}
