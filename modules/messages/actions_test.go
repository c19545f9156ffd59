package messages_test

import (
	"context"
	"errors"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/ports"
)

type actingNeeds struct {
	fx.In
	Actions ports.MessageActions
	Sender  ports.Sender
}

// acting returns a module that passes on the ports with which a module acts.
func acting(to *actingNeeds) kit.Module {
	return kit.Define("acting", "Acts.", kit.None{}, func(_ kit.None, n actingNeeds) (kit.Parts, error) {
		*to = n
		return kit.Parts{}, nil
	})
}

func actorOf(s *kittest.Server, name string) user.Actor {
	s.T.Helper()
	v, err := s.Ports.Directory.View(s.T.Context(), s.Realm)
	if err != nil {
		s.T.Fatal(err)
	}
	a, ok := v.Actor(s.UserID(name))
	if !ok {
		s.T.Fatalf("%s cannot act", name)
	}
	return a
}

// TestActions checks that a module's actions have the rules and events of the API, inside and outside of a unit of
// work, and that they fail together with the unit of work.
func TestActions(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		var n actingNeeds
		s := kittest.StartWith(t, kittest.Options{DatabaseURL: url}, messages.Module, acting(&n))
		id := message.ID(post(s, "alice", "general", "x", "Hello"))
		alice, bob, bot := actorOf(s, "alice"), actorOf(s, "bob"), actorOf(s, "bot")
		s.Skip()
		topic := "y"
		acts := func(ctx context.Context) error {
			return errors.Join(
				n.Actions.React(ctx, bot, id, "tada"),
				n.Actions.Flag(ctx, bob, message.NameStarred, id),
				n.Actions.Edit(ctx, alice, id, "Goodbye"),
				n.Actions.Move(ctx, alice, id, ports.Move{Topic: &topic}),
			)
		}
		failed := errors.New("failed")
		err := s.Ports.Work.Do(t.Context(), func(ctx context.Context) error { return errors.Join(acts(ctx), failed) })
		if err == nil || err.Error() != "failed" {
			t.Fatal(err)
		}
		s.NoEvents()
		s.Do(acts)
		s.Events(`reaction/add subscribers:general`, `update_message_flags/add user:bob`,
			`update_message subscribers:general`, `update_message subscribers:general`)
		m := s.As("bob").Do("GET /messages/1", "apply_markdown", "false").OK()
		if m.String("message.content") != "Goodbye" || m.String("message.subject") != "y" {
			t.Errorf("the message is %s in %s", m.String("message.content"), m.String("message.subject"))
		}

		for _, c := range []struct {
			what, want string
			err        error
		}{
			{"again", "Reaction already exists.", n.Actions.React(t.Context(), bot, id, "tada")},
			{"no emoji", "Emoji 'none' does not exist", n.Actions.React(t.Context(), bot, id, "none")},
			{"of another", "You don't have permission to edit this message", n.Actions.Edit(t.Context(), bob, id, "Mine")},
			{"missing", "Invalid message(s)", n.Actions.Delete(t.Context(), alice, 99)},
			{"no flag", "Invalid flag: 'none'", n.Actions.Flag(t.Context(), bob, "none", id)},
			{"no mode", "Invalid propagate_mode", n.Actions.Move(t.Context(), alice, id, ports.Move{Mode: "all"})},
		} {
			if c.err == nil || c.err.Error() != c.want {
				t.Errorf("%s: %v, not %s", c.what, c.err, c.want)
			}
		}
		s.NoEvents()
		for _, err := range []error{
			n.Actions.Unreact(t.Context(), bot, id, "tada"),
			n.Actions.Unflag(t.Context(), bob, message.NameStarred, id),
			n.Actions.Delete(t.Context(), actorOf(s, "olga"), id),
		} {
			if err != nil {
				t.Error(err)
			}
		}
		s.Events(`reaction/remove subscribers:general`, `update_message_flags/remove user:bob`,
			`delete_message subscribers:general`)
	})
}
