package alertwords_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/alertwords"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
)

func TestModule(t *testing.T) {
	kittest.Check(t, alertwords.Module, realm.Module, accounts.Module)
}

func start(t *testing.T, url string) *kittest.Server {
	t.Helper()
	return kittest.StartWith(t, kittest.Options{DatabaseURL: url,
		Config: "modules: {accounts: {password_memory_kib: 8, password_passes: 1}}"},
		realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, events.Module, alertwords.Module)
}

const path = "/users/me/alert_words"

func call(s *kittest.Server, as, method string, words ...string) string {
	s.T.Helper()
	return kittest.JSON(s.As(as).Do(method+" "+path, "alert_words", kittest.JSON(words)).OK().Get("alert_words"))
}

func TestWords(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		expectEvent := func() {
			t.Helper()
			s.Events(fmt.Sprintf(`alert_words user:bob {"user":%d}`, s.UserID("bob")))
		}
		queue := s.As("bob").Register("event_types", `["alert_words"]`, "fetch_event_types", `["alert_words"]`)
		if got := kittest.JSON(queue.Start.Get("alert_words")); got != "[]" {
			t.Errorf("register: %s", got)
		}
		s.Skip()
		if got := call(s, "bob", "POST", " Tea ", "", "tea", "big news"); got != `["big news","Tea"]` {
			t.Errorf("added: %s", got)
		}
		expectEvent()
		if got := call(s, "bob", "POST", "TEA"); got != `["big news","Tea"]` {
			t.Errorf("there already: %s", got)
		}
		s.NoEvents()
		if got := call(s, "bob", "DELETE", "tEa", "unknown"); got != `["big news"]` {
			t.Errorf("removed: %s", got)
		}
		expectEvent()
		if got := call(s, "bob", "DELETE", "unknown"); got != `["big news"]` {
			t.Errorf("unknown: %s", got)
		}
		s.NoEvents()
		if got := kittest.JSON(s.As("bob").Do("GET " + path).OK().Get("alert_words")); got != `["big news"]` {
			t.Errorf("list: %s", got)
		}
		if got := kittest.JSON(s.As("alice").Do("GET " + path).OK().Get("alert_words")); got != `[]` {
			t.Errorf("alice: %s", got)
		}
		poll := queue.Take()
		if got := kittest.JSON(poll.Get("events.1.alert_words")); got != `["big news"]` {
			t.Errorf("event: %s", got)
		}
		s.As("bob").Do("POST "+path, "alert_words", kittest.JSON([]string{strings.Repeat("ä", 101)})).
			Error(400, "BAD_REQUEST", "alert_words[0] is too long (limit: 100 characters)")
		s.As("bob").Do("POST "+path, "alert_words", `{"a":1}`).Error(400, "BAD_REQUEST", "alert_words is not a list")
		many := make([]string, 1000)
		for i := range many {
			many[i] = fmt.Sprint("w", i)
		}
		s.As("bob").Do("POST "+path, "alert_words", kittest.JSON(many)).Error(400, "BAD_REQUEST",
			"Too many alert words (limit: 1000). Remove some first.")
		s.NoEvents()
	})
}

// Messages that contain a user's alert words have the flag in events, responses and searches, and edits update it.
func TestAlerts(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		call(s, "bob", "POST", "lunch")
		call(s, "alice", "POST", "Lunch")
		call(s, "mona", "POST", "lunch") // not subscribed to anything
		s.Restart()                      // reload from the database
		queues := map[string]*kittest.Queue{}
		for _, who := range []string{"alice", "bob", "olga"} {
			queues[who] = s.As(who).Register("event_types", `["message"]`)
		}
		post := func(text string) int64 {
			return s.As("alice").Do("POST /messages", "type", "stream", "to", "general", "topic", "x", "content",
				text).OK().Int("id")
		}
		with, without := post("Time for LUNCH!"), post("```\nlunch\n```")
		direct := s.As("olga").Do("POST /messages", "type", "direct", "to", fmt.Sprintf("[%d]", s.UserID("bob")), "content",
			"lunch?").OK().Int("id")
		for who, want := range map[string]string{"alice": `["has_alert_word"]`, "bob": `["has_alert_word"]`, "olga": `[]`} {
			events := queues[who].Take()
			if got := kittest.JSON(events.Get("events.0.flags")); got != want {
				t.Errorf("%s got %s, want %s", who, got, want)
			}
		}
		alerted := func(who string) string {
			a := s.As(who).Do("GET /messages", "anchor", "newest", "num_before", "9", "narrow", `[["is","alerted"]]`).OK()
			ids := []int64{}
			for i := range a.Get("messages").([]any) {
				ids = append(ids, a.Int(fmt.Sprintf("messages.%d.id", i)))
			}
			return fmt.Sprint(ids)
		}
		for who, want := range map[string][]int64{"bob": {with, direct}, "alice": {with}, "olga": {}, "mona": {}} {
			if got := alerted(who); got != fmt.Sprint(want) {
				t.Errorf("%s: %s, want %v", who, got, want)
			}
		}
		s.As("alice").Do(fmt.Sprintf("PATCH /messages/%d", with), "content", "no meal").OK()
		s.As("alice").Do(fmt.Sprintf("PATCH /messages/%d", without), "content", "lunch").OK()
		if got, want := alerted("bob"), fmt.Sprint([]int64{without, direct}); got != want {
			t.Errorf("after the edits: %s, want %s", got, want)
		}
		call(s, "bob", "DELETE", "lunch")
		post("lunch")
		if got, want := alerted("bob"), fmt.Sprint([]int64{without, direct}); got != want {
			t.Errorf("after removing the word: %s, want %s", got, want)
		}
	})
}
