package messages_test

import (
	"context"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages"
)

// TestRefusedByHook checks that a handler of message.Sending can refuse a message.
func TestRefusedByHook(t *testing.T) {
	s := kittest.Start(t, messages.Module, kit.Define("quiet", "Refuses greetings.", kit.None{},
		func(kit.None, struct{ fx.In }) (kit.Parts, error) {
			return kit.Parts{Hooks: []kit.Hook{kit.On(func(_ context.Context, m *message.Sending) error {
				if m.Message.Content == "Hello" {
					return errs.Bad("No greetings")
				}
				return nil
			})}}, nil
		}))
	post(s, "alice", "general", "x", "Bye")
	s.Skip()
	s.As("alice").Do("POST /messages", "type", "channel", "to", "general", "topic", "x", "content", "Hello").
		Error(400, "BAD_REQUEST", "No greetings")
	s.NoEvents()
}
