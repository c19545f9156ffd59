package skeleton_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/internal/scaffold/skeleton"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/events"
)

func TestModule(t *testing.T) { kittest.Check(t, skeleton.Module) }

func TestItems(t *testing.T) {
	s := kittest.Start(t, skeleton.Module, events.Module)
	bob := s.As("bob")
	queue := bob.Register("event_types", `["skeleton"]`)
	id := bob.Do("POST /skeleton", "text", " Hello ").OK().Int("item_id")
	one := fmt.Sprintf(`{"id":%d,"text":"Hello"}`, id)
	s.Events(`skeleton/add user:bob {"item":` + one + `}`)
	bob.Do("GET /skeleton").Is(200, `{"result":"success","msg":"","skeleton":[`+one+`]}`)
	s.As("alice").Do("GET /skeleton").Is(200, `{"result":"success","msg":"","skeleton":[]}`)
	if got := bob.Register("event_types", `["skeleton"]`).Start.Get("skeleton.0.text"); got != "Hello" {
		t.Errorf("registered with %v", got)
	}

	path := fmt.Sprintf("/skeleton/%d", id)
	s.As("alice").Do("DELETE "+path).Error(404, "BAD_REQUEST", "Item does not exist.")
	bob.Do("DELETE "+path).Is(200, `{"result":"success","msg":""}`)
	s.Events(fmt.Sprintf(`skeleton/remove user:bob {"item_id":%d}`, id))
	queue.Is(`{"type":"skeleton","op":"add","item":`+one+`}`,
		fmt.Sprintf(`{"type":"skeleton","op":"remove","item_id":%d}`, id))
	bob.Do("GET /skeleton").Is(200, `{"result":"success","msg":"","skeleton":[]}`)
}

func TestRefused(t *testing.T) {
	s := kittest.StartWith(t, kittest.Options{Config: "modules: {skeleton: {max_per_user: 1}}"}, skeleton.Module)
	for text, want := range map[string]string{
		" ": "text cannot be blank", "x\x00": "null bytes", strings.Repeat("é", 1001): "limit: 1000 characters",
	} {
		s.As("bob").Do("POST /skeleton", "text", text).Error(400, "BAD_REQUEST", want)
	}
	s.NoEvents()
	s.As("bob").Do("POST /skeleton", "text", "x").OK()
	s.As("bob").Do("POST /skeleton", "text", "x").Error(400, "BAD_REQUEST", "You already have 1 items")
	s.As("alice").Do("POST /skeleton", "text", "x").OK()
}

func TestProfileDeleted(t *testing.T) {
	s := kittest.Start(t, skeleton.Module)
	for _, who := range []string{"alice", "bob"} {
		s.As(who).Do("POST /skeleton", "text", "x").OK()
	}
	if err := s.Run(&user.ProfileDeleted{Realm: s.Realm, User: &user.User{ID: s.UserID("bob")}}); err != nil {
		t.Fatal(err)
	}
	for who, want := range map[string]int{"alice": 1, "bob": 0} {
		if got := s.As(who).Do("GET /skeleton").OK().Get("skeleton").([]any); len(got) != want {
			t.Errorf("%s has %d items, want %d", who, len(got), want)
		}
	}
}
