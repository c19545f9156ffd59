package messages_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/scheduled"
)

// reviser returns a module that revises messages.
func reviser(name string, rank int, revise func(context.Context, message.Revising) (string, error)) kit.Module {
	return kit.Define(name, "Revises messages.", kit.None{}, func(kit.None, struct{ fx.In }) (kit.Parts, error) {
		return kit.Parts{Answers: []kit.Answer{kit.Answers(revise).Order(rank)}}, nil
	})
}

// polite refuses a word and replaces another one, which zealous has put there before.
var (
	polite = reviser("polite", 0, func(_ context.Context, q message.Revising) (string, error) {
		if strings.Contains(q.Content, "rude") {
			return "", errs.Bad("Be polite.")
		}
		return strings.ReplaceAll(q.Content, "secret", "•••"), nil
	})
	zealous = reviser("zealous", -1, func(_ context.Context, q message.Revising) (string, error) {
		return strings.ReplaceAll(q.Content, "hush", "secret"), nil
	})
)

func contentOf(s *kittest.Server, id int64) string {
	s.T.Helper()
	return s.As("alice").Do(fmt.Sprintf("GET /messages/%d", id), "apply_markdown", "false").OK().String("message.content")
}

// TestRevise checks that modules revise and refuse the content of messages that are sent and edited, in the order of
// their ranks, and that a refused message changes nothing.
func TestRevise(t *testing.T) {
	s := kittest.Start(t, realm.Module, accounts.Module, channels.Module, messages.Module, polite, zealous)
	id := post(s, "alice", "general", "x", "hush and secret")
	if got := contentOf(s, id); got != "••• and •••" {
		t.Errorf("sent as %s", got)
	}
	s.As("alice").Do(fmt.Sprintf("PATCH /messages/%d", id), "content", "a secret").OK()
	if got := contentOf(s, id); got != "a •••" {
		t.Errorf("edited to %s", got)
	}
	direct := sendDirect(s, "alice", "secret", "bob")
	if got := contentOf(s, direct); got != "•••" {
		t.Errorf("sent as %s", got)
	}
	s.Skip()
	s.As("alice").Do("POST /messages", "type", "channel", "to", "general", "topic", "x", "content", "rude").
		Error(400, "BAD_REQUEST", "Be polite.")
	s.As("alice").Do(fmt.Sprintf("PATCH /messages/%d", id), "content", "rude", "topic", "y").
		Error(400, "BAD_REQUEST", "Be polite.")
	s.NoEvents()
	v, err := s.Ports.Directory.View(t.Context(), s.Realm)
	if err != nil {
		t.Fatal(err)
	}
	bot, _ := v.SystemActor(user.NotificationBot)
	own, err := s.Ports.Sender.Send(t.Context(), bot,
		message.Outgoing{Channel: s.ChannelID("general"), Topic: "x", Content: "a secret"})
	if err != nil {
		t.Fatal(err)
	}
	if got := contentOf(s, int64(own)); got != "a secret" {
		t.Errorf("a message of the server is sent as %s", got)
	}
}

// TestReviseScheduled checks that the content of a message is revised when it is scheduled and when it is due.
func TestReviseScheduled(t *testing.T) {
	strict := false
	s := kittest.Start(t, messages.Module, scheduled.Module, polite,
		reviser("later", 1, func(_ context.Context, q message.Revising) (string, error) {
			if strict && q.Content == "b" {
				return "", errs.Bad("No longer.")
			}
			return q.Content, nil
		}))
	at := fmt.Sprint(s.Clock.Now().Add(time.Hour).Unix())
	schedule := func(text string) *kittest.Response {
		return s.As("alice").Do("POST /scheduled_messages", "type", "channel",
			"to", fmt.Sprint(s.ChannelID("general")), "topic", "x", "content", text, "scheduled_delivery_timestamp", at)
	}
	schedule("rude").Error(400, "BAD_REQUEST", "Be polite.")
	schedule("a secret").OK()
	schedule("b").OK()
	list := func() string {
		return kittest.JSON(s.As("alice").Do("GET /scheduled_messages").OK().Get("scheduled_messages"))
	}
	if got := list(); !strings.Contains(got, `"content":"a •••"`) {
		t.Errorf("the scheduled messages are %s", got)
	}
	strict = true
	s.Clock.Advance(time.Hour + time.Second)
	s.RunJob("scheduled.deliver")
	if got := list(); strings.Contains(got, "•••") || !strings.Contains(got, `"failed":true`) {
		t.Errorf("the scheduled messages are %s", got)
	}
	if got := contentOf(s, 1); got != "a •••" {
		t.Errorf("sent as %s", got)
	}
}

// TestSlowReviser checks that a message is refused if it is not revised in time, and that a panic is an internal error.
func TestSlowReviser(t *testing.T) {
	slow := func(ctx context.Context, q message.Revising) (string, error) {
		if q.Content == "panic" {
			panic("broken")
		}
		<-ctx.Done()
		return "", ctx.Err()
	}
	s := kittest.StartWith(t, kittest.Options{Log: slog.New(slog.DiscardHandler)}, messages.Module,
		reviser("slow", 0, slow))
	send := func(text string) *kittest.Response {
		return s.As("alice").Do("POST /messages", "type", "channel", "to", "general", "topic", "x", "content", text)
	}
	send("x").Error(400, "BAD_REQUEST", "could not be checked in time")
	health := func() *kittest.Response { return s.Anonymous().Under("").Do("GET /health") }
	send("panic").Error(500, "INTERNAL_SERVER_ERROR", "Internal server error")
	health().Is(200, `{"result":"success","msg":"","status":"ok","checks":"*"}`)
	send("panic").Error(500, "INTERNAL_SERVER_ERROR", "Internal server error")
	if got := kittest.JSON(health().OK().Get("checks")); !strings.Contains(got, `"slow.panics":"failing"`) {
		t.Errorf("the checks are %s", got)
	}
	s.Clock.Advance(11 * time.Minute)
	health().Is(200, `{"result":"success","msg":"","status":"ok","checks":"*"}`)
	s.NoEvents()
}

// TestLateReviser checks that a scheduled message that is not revised in time is sent later, and delays no others.
func TestLateReviser(t *testing.T) {
	late := false
	s := kittest.StartWith(t, kittest.Options{Log: slog.New(slog.DiscardHandler)}, messages.Module, scheduled.Module,
		reviser("late", 0, func(ctx context.Context, q message.Revising) (string, error) {
			if late && q.Content == "a" {
				<-ctx.Done()
				return "", ctx.Err()
			}
			return q.Content, nil
		}))
	for _, text := range []string{"a", "b"} {
		s.As("alice").Do("POST /scheduled_messages", "type", "channel", "to", fmt.Sprint(s.ChannelID("general")),
			"topic", "x", "content", text,
			"scheduled_delivery_timestamp", fmt.Sprint(s.Clock.Now().Add(time.Hour).Unix())).OK()
	}
	late = true
	s.Clock.Advance(time.Hour + time.Second)
	s.RunJob("scheduled.deliver")
	left := s.As("alice").Do("GET /scheduled_messages").OK()
	if len(left.Get("scheduled_messages").([]any)) != 1 || left.Get("scheduled_messages.0.failed") != false {
		t.Errorf("the scheduled messages are %s", kittest.JSON(left.Get("scheduled_messages")))
	}
	if got := contentOf(s, 1); got != "b" {
		t.Errorf("first, %s is sent", got)
	}
	late = false
	s.Clock.Advance(10 * time.Second)
	s.RunJob("scheduled.deliver")
	if got := contentOf(s, 2); got != "a" {
		t.Errorf("then, %s is sent", got)
	}
}

// TestReviseRefused checks that modules see no messages of senders who may not post in the channel.
func TestReviseRefused(t *testing.T) {
	var asked []string
	s := kittest.Start(t, realm.Module, accounts.Module, channels.Module, messages.Module,
		reviser("curious", 0, func(_ context.Context, q message.Revising) (string, error) {
			asked = append(asked, q.Content)
			return q.Content, nil
		}))
	s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", s.ChannelID("general")), "can_send_message_group",
		fmt.Sprintf(`{"new": {"direct_members": [%d], "direct_subgroups": []}}`, s.UserID("olga"))).OK()
	s.As("alice").Do("POST /messages", "type", "channel", "to", "general", "topic", "x", "content", "may I?").
		Error(400, "BAD_REQUEST", "You do not have permission to post in this channel.")
	if len(asked) > 0 {
		t.Errorf("modules revised %q", asked)
	}
}
