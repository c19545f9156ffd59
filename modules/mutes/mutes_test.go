package mutes_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/mutes"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/ports"
)

func TestModule(t *testing.T) { kittest.Check(t, mutes.Module, messages.Module) }

func post(s *kittest.Server, as, content string) int64 {
	s.T.Helper()
	return s.As(as).Do("POST /messages", "type", "stream", "to", "general", "topic", "x", "content",
		content).OK().Int("id")
}

func flags(s *kittest.Server, as string, id int64) string {
	s.T.Helper()
	var got struct {
		Message struct {
			Flags []string `json:"flags"`
		} `json:"message"`
	}
	s.As(as).Do(fmt.Sprintf("GET /messages/%d", id)).JSON(&got)
	return strings.Join(got.Message.Flags, " ")
}

func TestMutedUsers(t *testing.T) {
	s := kittest.Start(t, realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, mutes.Module,
		events.Module)
	alice, bob := s.UserID("alice"), s.UserID("bob")
	path := fmt.Sprintf("/users/me/muted_users/%d", alice)
	in := post(s, "alice", "hi")
	direct := s.As("alice").Do("POST /messages", "type", "direct", "to", fmt.Sprintf("[%d]", bob), "content",
		"psst").OK().Int("id")
	own, read := post(s, "olga", "hi"), post(s, "alice", "hi")
	s.As("bob").Do("POST /messages/flags", "messages", fmt.Sprintf("[%d]", read), "op", "add", "flag", "read").OK()
	s.Skip()
	since := s.Clock.Now().Unix()
	s.As("bob").Do("POST "+path).Is(200, `{"result":"success","msg":""}`)
	s.Events(fmt.Sprintf(`muted_users user:bob {"muted_users":[{"id":%d,"timestamp":%d}]}`, alice, since),
		fmt.Sprintf(`update_message_flags/add user:bob {"operation":"add","flag":"read","messages":[%d,%d],"all":false}`, in,
			direct))
	meanwhile := post(s, "alice", "hi")
	for id, want := range map[int64]string{in: "read", direct: "read", own: "", meanwhile: "read"} {
		if got := flags(s, "bob", id); got != want {
			t.Errorf("message %d: flags %q, want %q", id, got, want)
		}
	}
	s.Skip()
	s.As("bob").Do("POST "+path).Error(400, "BAD_REQUEST", "already muted")
	s.As("bob").Do(fmt.Sprintf("POST /users/me/muted_users/%d", bob)).Error(400, "BAD_REQUEST", "Cannot mute self")
	s.As("bob").Do("POST /users/me/muted_users/99999").Error(400, "BAD_REQUEST", "No such user")
	s.As("olga").Do("DELETE "+path).Error(400, "BAD_REQUEST", "not muted")
	s.As("bob").Do("DELETE /users/me/muted_users/99999").Error(400, "BAD_REQUEST", "No such user")
	s.NoEvents()

	s.Restart() // the view loads mutes from the database
	s.Skip()
	again := post(s, "alice", "hi")
	s.Skip()
	s.As("bob").Do("DELETE "+path).Is(200, `{"result":"success","msg":""}`)
	s.Events(`muted_users user:bob {"muted_users":[]}`)
	after := post(s, "alice", "hi")
	for id, want := range map[int64]string{meanwhile: "read", again: "read", after: "", own: ""} {
		if got := flags(s, "bob", id); got != want {
			t.Errorf("after unmuting, message %d: flags %q, want %q", id, got, want)
		}
	}
}

// away replaces the module messages. Unmuting takes several steps, as for users who have been away.
type away struct {
	steps int
	views map[int64]bool // log positions of the views during the steps
	log   func(ctx context.Context, v *directory.View) error
}

func (a *away) BeforeMute(
	context.Context, *directory.View, user.Actor, user.ID,
) (func(context.Context, *directory.View) ([]event.Event, error), error) {
	return func(context.Context, *directory.View) ([]event.Event, error) { return nil, nil }, nil
}

func (a *away) BeforeUnmute(ctx context.Context, v *directory.View, _ user.Actor) (bool, error) {
	a.views[v.Seq()] = true
	a.steps--
	return a.steps == 0, a.log(ctx, v)
}

var stepped = kit.Event[kit.None]("step", "")

func (a *away) module() kit.Module {
	type needs struct {
		fx.In
		Log ports.EventLog
	}
	return kit.Provide("away", "Takes several steps.", kit.None{},
		func(_ kit.None, n needs) (kit.Parts, ports.ReadStates, error) {
			a.log = func(ctx context.Context, v *directory.View) error {
				return n.Log.Append(ctx, stepped.To(v.Realm().ID, event.Everyone(), kit.None{}))
			}
			return kit.Parts{Events: []kit.AnyEvent{stepped.Any()}}, a, nil
		})
}

// Each step of unmuting is a transaction of its own, so that the view in the next step contains its events.
func TestUnmuteInSteps(t *testing.T) {
	a := &away{steps: 3, views: map[int64]bool{}}
	s := kittest.Start(t, a.module(), mutes.Module)
	path := fmt.Sprintf(" /users/me/muted_users/%d", s.UserID("alice"))
	s.As("bob").Do("POST" + path).OK()
	s.Skip()
	s.As("bob").Do("DELETE" + path).OK()
	s.Events(`step everyone {}`, `step everyone {}`, `step everyone {}`, `muted_users user:bob {"muted_users":[]}`)
	if a.steps != 0 || len(a.views) != 3 {
		t.Errorf("%d steps left, %d views", a.steps, len(a.views))
	}
}
