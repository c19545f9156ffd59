package snippets_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/snippets"
)

const path = "/saved_snippets"

func TestModule(t *testing.T) {
	kittest.Check(t, snippets.Module, realm.Module, accounts.Module)
}

func start(t *testing.T, url string) *kittest.Server {
	t.Helper()
	return kittest.StartWith(t, kittest.Options{DatabaseURL: url}, realm.Module, accounts.Module, groups.Module,
		channels.Module,
		messages.Module, events.Module, snippets.Module)
}

func TestSnippets(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		bob := s.As("bob")
		register := func() *kittest.Response {
			return bob.Do("POST /register", "event_types", `["saved_snippets"]`, "fetch_event_types", `["saved_snippets"]`).OK()
		}
		queue := register().String("queue_id")
		s.Skip()
		id := bob.Do("POST "+path, "title", " Hello ", "content", "\nHow are you? \n").OK().Int("saved_snippet_id")
		s.Events(fmt.Sprintf(`saved_snippets/add user:bob {"id":%d}`, id))
		one := fmt.Sprintf(`{"id":%d,"title":"Hello","content":"How are you?","date_created":%d}`, id, s.Clock.Now().Unix())
		bob.Do("GET "+path).Is(200, `{"result":"success","msg":"","saved_snippets":[`+one+`]}`)
		s.As("alice").Do("GET "+path).Is(200, `{"result":"success","msg":"","saved_snippets":[]}`)
		bob.Do("GET /events", "queue_id", queue, "last_event_id", "-1", "dont_block", "true").Is(200,
			`{"result":"success","msg":"",
			"queue_id":"*","events":[{"id":"*","type":"saved_snippets","op":"add","saved_snippet":`+one+`}]}`)

		item := fmt.Sprintf("%s/%d", path, id)
		s.Skip()
		bob.Do("PATCH "+item).Is(200, `{"result":"success","msg":""}`)
		bob.Do("PATCH "+item, "title", "Hello").OK()
		for _, who := range []string{"alice", "olga"} {
			s.As(who).Do("PATCH "+item, "title", "Mine").Error(404, "BAD_REQUEST", "Saved snippet does not exist.")
			s.As(who).Do("DELETE "+item).Error(404, "BAD_REQUEST", "Saved snippet does not exist.")
		}
		s.NoEvents()
		bob.Do("PATCH "+item, "title", "Hi").OK()
		s.Events(fmt.Sprintf(`saved_snippets/update user:bob {"id":%d}`, id))
		bob.Do("PATCH "+item, "content", "Bye").OK()
		s.Skip()
		one = strings.NewReplacer("Hello", "Hi", "How are you?", "Bye").Replace(one)
		if got := kittest.JSON(register().Get("saved_snippets.0")); got != kittest.JSON(bob.Do("GET "+
			path).Get("saved_snippets.0")) ||
			!strings.Contains(got, `"Bye"`) {
			t.Errorf("registered with %s, want %s", got, one)
		}
		bob.Do("DELETE "+item).Is(200, `{"result":"success","msg":""}`)
		s.Events(fmt.Sprintf(`saved_snippets/remove user:bob {"saved_snippet_id":%d}`, id))
		bob.Do("DELETE "+item).Error(404, "BAD_REQUEST", "Saved snippet does not exist.")

		// A client that polls late receives the removal, but no content of the deleted snippet.
		late := bob.Do("GET /events", "queue_id", queue, "last_event_id", "-1", "dont_block", "true").OK()
		if got := kittest.JSON(late.Get("events.0.op")); got != `"remove"` || strings.Contains(late.Body, "Bye") {
			t.Errorf("late events: %s", late.Body)
		}
	})
}

func TestRefused(t *testing.T) {
	s := start(t, "")
	bob := s.As("bob")
	s.Skip()
	bob.Do("POST "+path, "title", "x").Error(400, "REQUEST_VARIABLE_MISSING", "Missing 'content' argument")
	for _, c := range [][]string{
		{" ", "x", "title cannot be blank"}, {"x", "\n", "content cannot be blank"},
		{strings.Repeat("é", 61), "x", "title is too long (limit: 60 characters)"},
		{"x", strings.Repeat("é", 10001), "content is too long (limit: 10000 characters)"},
		{"x\x00", "x", "null bytes"}, {"x", "x\x00y", "null bytes"},
	} {
		bob.Do("POST "+path, "title", c[0], "content", c[1]).Error(400, "BAD_REQUEST", c[2])
	}
	bob.Do("PATCH "+path+"/x", "title", "x").Error(404, "BAD_REQUEST", "Not found")
	s.NoEvents()

	// The total size is limited, for edits too.
	long := strings.Repeat("é", 9999)
	for range 49 {
		bob.Do("POST "+path, "title", "xx", "content", long).OK()
	}
	last := bob.Do("POST "+path, "title", "x", "content", "y").OK().Int("saved_snippet_id")
	s.Skip()
	const tooLong = "Saved snippets are too long in total"
	bob.Do(fmt.Sprintf("PATCH %s/%d", path, last), "content", long, "title", "xxx").Error(400, "BAD_REQUEST", tooLong)
	s.NoEvents()
	bob.Do(fmt.Sprintf("PATCH %s/%d", path, last), "content", long, "title", "xx").OK() // one million bytes
	s.Skip()
	bob.Do("POST "+path, "title", "x", "content", "y").Error(400, "BAD_REQUEST", tooLong)
	s.NoEvents()
}

func TestProfileDeleted(t *testing.T) {
	s := start(t, "")
	for _, who := range []string{"alice", "bob"} {
		s.As(who).Do("POST "+path, "title", "x", "content", "x").OK()
	}
	bob := fmt.Sprintf("/users/%d", s.UserID("bob"))
	s.As("olga").Do("DELETE "+bob, "actions", `{"delete_profile":true}`).OK()
	s.As("olga").Do("POST " + bob + "/reactivate").OK()
	s.LogIn("bob")
	for who, want := range map[string]int{"alice": 1, "bob": 0} {
		if got := s.As(who).Do("GET " + path).OK().Get("saved_snippets").([]any); len(got) != want {
			t.Errorf("%s has %d snippets, want %d", who, len(got), want)
		}
	}
}
