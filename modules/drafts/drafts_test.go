package drafts_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/drafts"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
)

func TestModule(t *testing.T) {
	kittest.Check(t, drafts.Module, realm.Module, accounts.Module)
}

func start(t *testing.T, url string) *kittest.Server {
	t.Helper()
	return kittest.StartWith(t, kittest.Options{DatabaseURL: url,
		Config: "modules: {accounts: {password_memory_kib: 8, password_passes: 1}}"},
		realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, events.Module, drafts.Module)
}

func unaddressed(content, more string) string {
	return `{"type":"","to":[],"topic":"","content":"` + content + `"` + more + `}`
}

func TestDrafts(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		bob, general, alice := s.As("bob"), s.ChannelID("general"), s.UserID("alice")
		registered := func(who string) *kittest.Response {
			t.Helper()
			return s.As(who).Register("event_types", `["drafts"]`, "fetch_event_types", `["drafts"]`).Start
		}
		queue := s.As("bob").Register("event_types", `["drafts"]`, "fetch_event_types", `["drafts"]`)
		expectEvents := func(want string) {
			t.Helper()
			if all := strings.Join(queue.Texts(), ","); all != want {
				t.Errorf("received %s\nwant %s", all, want)
			}
		}
		bob.Do("GET /drafts").Is(200, `{"result":"success","msg":"","count":0,"drafts":[]}`)
		s.Skip()
		ids := bob.Do("POST /drafts", "drafts",
			fmt.Sprintf(`[{"type":"stream","to":[%d],"topic":"lunch","content":"later","timestamp":200},
			{"type":"private","to":[%d],"topic":"","content":"hi","timestamp":100.5}]`, general, alice)).OK()
		first, second := ids.Int("ids.0"), ids.Int("ids.1")
		s.Events(fmt.Sprintf(`drafts/add user:bob {"ids":[%d,%d]}`, first, second))
		lunch := fmt.Sprintf(`{"content":"later","id":%d,"timestamp":200,"to":[%d],"topic":"lunch","type":"stream"}`, first,
			general)
		hi := fmt.Sprintf(`{"content":"hi","id":%d,"timestamp":100,"to":[%d],"topic":"","type":"private"}`, second, alice)
		expectEvents(fmt.Sprintf(`{"drafts":[%s,%s],"op":"add","type":"drafts"}`, lunch, hi))
		bob.Do("GET /drafts").Is(200, fmt.Sprintf(`{"result":"success","msg":"","count":2,"drafts":[%s,%s]}`, hi, lunch))
		if got := kittest.JSON(registered("bob").Get("drafts")); got != "["+lunch+","+hi+"]" {
			t.Errorf("/register has %s, want the newest first", got)
		}

		s.Clock.Advance(time.Minute)
		s.Skip()
		path := fmt.Sprintf("/drafts/%d", second)
		bob.Do("PATCH "+path, "draft", unaddressed("to nobody", "")).Is(200, `{"result":"success","msg":""}`)
		s.Events(fmt.Sprintf(`drafts/update user:bob {"id":%d}`, second))
		nobody := fmt.Sprintf(`{"content":"to nobody","id":%d,"timestamp":%d,"to":[],"topic":"","type":""}`, second,
			s.Clock.Now().Unix())
		expectEvents(`{"draft":` + nobody + `,"op":"update","type":"drafts"}`)
		bob.Do("GET /drafts").Is(200, fmt.Sprintf(`{"result":"success","msg":"","count":2,"drafts":[%s,%s]}`, lunch, nobody))

		s.Skip()
		s.As("alice").Do("PATCH "+path, "draft", unaddressed("mine", "")).Error(404, "BAD_REQUEST", "Draft does not exist")
		s.As("alice").Do("DELETE "+path).Error(404, "BAD_REQUEST", "Draft does not exist")
		s.NoEvents()
		bob.Do("DELETE "+path).Is(200, `{"result":"success","msg":""}`)
		s.Events(fmt.Sprintf(`drafts/remove user:bob {"draft_id":%d}`, second))
		expectEvents(fmt.Sprintf(`{"draft_id":%d,"op":"remove","type":"drafts"}`, second))
		bob.Do("DELETE "+path).Error(404, "BAD_REQUEST", "Draft does not exist")

		// Delayed events contain existing drafts, but no content of deleted ones.
		gone := bob.Do("POST /drafts", "drafts", "["+unaddressed("gone", "")+"]").OK().Int("ids.0")
		bob.Do(fmt.Sprintf("DELETE /drafts/%d", gone)).OK()
		expectEvents(fmt.Sprintf(`{"draft_id":%d,"op":"remove","type":"drafts"}`, gone))

		// Disabling the synchronization deletes all drafts.
		s.Restart()
		bob.Do("PATCH /settings", "enable_drafts_synchronization", "false").OK()
		for _, call := range []string{"GET /drafts", "POST /drafts", fmt.Sprintf("DELETE /drafts/%d", first)} {
			bob.Do(call).Error(400, "BAD_REQUEST", "User has disabled synchronizing drafts.")
		}
		if got := kittest.JSON(registered("bob").Get("drafts")); got != "[]" {
			t.Errorf("/register has %s although drafts are disabled", got)
		}
		bob.Do("PATCH /settings", "enable_drafts_synchronization", "true").OK()
		bob.Do("GET /drafts").Is(200, `{"result":"success","msg":"","count":0,"drafts":[]}`)
	})
}

func TestRefused(t *testing.T) {
	s := start(t, "")
	general, secret := s.ChannelID("general"), s.ChannelID("secret")
	for _, c := range []struct {
		drafts, code, msg string
	}{
		{"x", "BAD_REQUEST", `Argument "drafts" is not valid JSON.`},
		{`{}`, "BAD_REQUEST", "drafts is not a list"},
		{`[5]`, "BAD_REQUEST", ""},
		{`[null]`, "BAD_REQUEST", "A draft must have the fields"},
		{`[{"type":"stream","to":"5","topic":"","content":"x"}]`, "BAD_REQUEST", ""},
		{`[{"type":"stream","to":["5"],"topic":"","content":"x"}]`, "BAD_REQUEST", "is not an integer"},
		{"[" + unaddressed("x", `,"color":1`) + "]", "BAD_REQUEST", "A draft can only have the fields"},
		{`[{"type":"stream","to":[],"topic":"","content":"x"}]`, "BAD_REQUEST",
			"Must specify exactly 1 channel ID for channel messages"},
		{fmt.Sprintf(`[{"type":"stream","to":[%d,%d],"topic":"","content":"x"}]`, general, general), "BAD_REQUEST",
			"Must specify exactly 1 channel ID"},
		{fmt.Sprintf(`[{"type":"stream","to":[%d],"topic":"","content":"x"}]`, secret), "BAD_REQUEST", "Invalid channel ID"},
		{fmt.Sprintf(`[%s,{"type":"stream","to":[%d],"topic":"","content":"x"}]`, unaddressed("good", ""), secret),
			"BAD_REQUEST", "Invalid channel ID"},
		{"[" + unaddressed("", "") + "]", "BAD_REQUEST", "Message must not be empty"},
	} {
		s.Skip()
		s.In(t).As("bob").Do("POST /drafts", "drafts", c.drafts).Error(400, c.code, c.msg)
		s.NoEvents()
	}
	bob := s.As("bob")
	bob.Do("POST /drafts", "draft", "x").Is(200,
		`{"result":"success","msg":"","ids":[],"ignored_parameters_unsupported":["draft"]}`)
	s.NoEvents()
	bob.Do("GET /drafts").Is(200, `{"result":"success","msg":"","count":0,"drafts":[]}`)
	many := strings.TrimPrefix(strings.Repeat(","+unaddressed("x", ""), 250), ",")
	for range 4 {
		bob.Do("POST /drafts", "drafts", "["+many+"]").OK()
	}
	s.Skip()
	bob.Do("POST /drafts", "drafts", "["+unaddressed("one more", "")+"]").Error(400, "BAD_REQUEST",
		"Too many drafts (limit: 1000). Remove some first.")
	s.NoEvents()
	if n := len(bob.Do("POST /register", "fetch_event_types", `["drafts"]`).OK().Get("drafts").([]any)); n != 1000 {
		t.Errorf("%d drafts, want 1000", n)
	}
}

// The total size of a user's drafts in bytes is limited, for edits too.
func TestTooLongTogether(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		bob, general := s.As("bob"), s.ChannelID("general")
		long := func(n int) string { return unaddressed(strings.Repeat("é", n), "") }
		const tooLong = "Drafts are too long in total (limit: 1000000 bytes). Remove some first."
		fifty := "[" + strings.TrimSuffix(strings.Repeat(long(10_000)+",", 50), ",") + "]"
		bob.Do("POST /drafts", "drafts", "["+fifty[1:len(fifty)-1]+","+unaddressed("x", "")+"]").Error(400, "BAD_REQUEST",
			tooLong)
		first := bob.Do("POST /drafts", "drafts", fifty).OK().Int("ids.0") // one million bytes
		s.Skip()
		bob.Do("POST /drafts", "drafts", "["+unaddressed("x", "")+"]").Error(400, "BAD_REQUEST", tooLong)
		s.NoEvents()
		s.As("alice").Do("POST /drafts", "drafts", "["+long(10_000)+"]").OK()
		path := fmt.Sprintf("PATCH /drafts/%d", first)
		bob.Do(path, "draft", long(10_000)).OK() // replaces itself
		bob.Do(path, "draft", long(9_999)).OK()
		s.Skip()
		bob.Do(path, "draft", fmt.Sprintf(`{"type":"stream","to":[%d],"topic":"x","content":"%s"}`, general,
			strings.Repeat("é", 10_000))).
			Error(400, "BAD_REQUEST", tooLong)
		bob.Do("POST /drafts", "drafts", "["+unaddressed("xyz", "")+"]").Error(400, "BAD_REQUEST", tooLong)
		s.NoEvents()
		bob.Do("POST /drafts", "drafts", "["+unaddressed("xy", "")+"]").OK()
		if n := bob.Do("GET /drafts").OK().Int("count"); n != 51 {
			t.Errorf("%d drafts, want 51", n)
		}
	})
}

func TestProfileDeleted(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		for _, who := range []string{"alice", "bob"} {
			s.As(who).Do("POST /drafts", "drafts", "["+unaddressed("x", "")+"]").OK()
		}
		bob := fmt.Sprintf("/users/%d", s.UserID("bob"))
		s.As("olga").Do("DELETE " + bob).OK()
		s.As("olga").Do("POST " + bob + "/reactivate").OK()
		s.LogIn("bob")
		if n := s.As("bob").Do("GET /drafts").OK().Int("count"); n != 1 {
			t.Errorf("%d drafts after deactivation and reactivation, want 1", n)
		}
		s.As("olga").Do("DELETE "+bob, "actions", `{"delete_profile":true}`).OK()
		s.As("olga").Do("POST " + bob + "/reactivate").OK()
		s.LogIn("bob")
		s.As("bob").Do("GET /drafts").Is(200, `{"result":"success","msg":"","count":0,"drafts":[]}`)
		if n := s.As("alice").Do("GET /drafts").OK().Int("count"); n != 1 {
			t.Errorf("alice has %d drafts, want 1", n)
		}
	})
}

// TestBotsHaveDrafts checks that bots have drafts of their own, which no setting disables, since bots have no settings.
func TestBotsHaveDrafts(t *testing.T) {
	s := start(t, "")
	s.As("olga").Do("PATCH /realm/user_settings_defaults", "enable_drafts_synchronization", "false").OK()
	bot := s.As("bot")
	q := bot.Register("event_types", `["drafts"]`, "fetch_event_types", `["drafts"]`)
	id := bot.Do("POST /drafts", "drafts", "["+unaddressed("x", "")+"]").OK().Int("ids.0")
	for _, setting := range []string{"false", "true"} {
		s.As("olga").Do("PATCH /settings", "enable_drafts_synchronization", setting,
			"target_users", fmt.Sprintf(`{"user_ids":[%d]}`, s.UserID("bot")))
	}
	path := fmt.Sprintf(" /drafts/%d", id)
	bot.Do("PATCH"+path, "draft", unaddressed("y", "")).OK()
	s.As("bob").Do("DELETE"+path).Error(404, "BAD_REQUEST", "Draft does not exist")
	if got := bot.Do("GET /drafts").OK().String("drafts.0.content"); got != "y" {
		t.Errorf("the draft is %q", got)
	}
	bot.Do("DELETE" + path).OK()
	if got := strings.Join(q.Texts(), "\n"); !strings.Contains(got, `"op":"remove"`) {
		t.Errorf("events are %s", got)
	}
}
