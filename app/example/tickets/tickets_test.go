package tickets_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/party/tickets"
	"github.com/stoachat/stoa/adapters/blob/disk"
	"github.com/stoachat/stoa/adapters/images"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/notification"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/notifications"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/topics"
	"github.com/stoachat/stoa/modules/uploads"
	"go.uber.org/fx"
)

var others = []kit.Module{
	realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, events.Module, topics.Module,
	notifications.Module, uploads.Module, disk.Module, images.Module,
}

func TestModule(t *testing.T) { kittest.Check(t, tickets.Module, others...) }

// start starts a server that passes on who is notified.
func start(t *testing.T, notified func(notification.Notice)) *kittest.Server {
	t.Helper()
	recorder := kit.Define("recorder", "Records notifications.", kit.None{},
		func(kit.None, struct{ fx.In }) (kit.Parts, error) {
			return kit.Parts{Hooks: []kit.Hook{kit.On(func(_ context.Context, m *notification.Decided) error {
				for _, n := range m.Notices {
					notified(n)
				}
				return nil
			})}}, nil
		})
	return kittest.Start(t, append(others, tickets.Module, recorder)...)
}

func post(s *kittest.Server, who, channel, topic, text string) *kittest.Response {
	return s.As(who).Do("POST /messages", "type", "channel", "to", channel, "topic", topic, "content", text)
}

// TestTicket opens, closes and deletes a ticket.
func TestTicket(t *testing.T) {
	var notified []string
	s := start(t, func(n notification.Notice) { notified = append(notified, fmt.Sprint(n.User, " ", n.Message)) })
	s.As("olga").Do("POST /tickets/agents", "add", kittest.JSON([]any{s.UserID("mona")})).OK()
	id := post(s, "bob", "general", "x", "It is broken").OK().Int("id")

	queue := s.As("bob").Register()
	ticket := s.As("bob").Do("POST /tickets", "message_id", fmt.Sprint(id)).OK().Int("ticket_id")
	received := strings.Join(queue.Texts(), "\n")
	for _, want := range []string{"stream", "subscription", "message", "reaction", "update_message_flags", "user_topic"} {
		if !strings.Contains(received, `"type":"`+want+`"`) {
			t.Errorf("bob's client receives no event %s:\n%s", want, received)
		}
	}
	one := s.As("bob").Do(fmt.Sprintf("GET /messages/%d", id)).OK()
	if got := kittest.JSON(one.Get("message.reactions")); !strings.Contains(got, `"emoji_name":"ticket"`) {
		t.Errorf("the reactions are %s", got)
	}
	note := id + 1
	text := s.As("mona").Do(fmt.Sprintf("GET /messages/%d", note)).OK().String("message.content")
	if !strings.Contains(text, "Bob") || !strings.Contains(text, "/user_uploads/") {
		t.Errorf("the note is %s", text)
	}
	if want := fmt.Sprint(s.UserID("mona"), " ", note); len(notified) != 1 || notified[0] != want {
		t.Errorf("notified: %v", notified)
	}
	s.As("bob").Do("POST /tickets", "message_id", fmt.Sprint(id)).Error(400, "REACTION_ALREADY_EXISTS", "already")

	s.As("mona").Do(fmt.Sprintf("POST /tickets/%d/close", ticket)).OK()
	closed := s.As("bob").Do(fmt.Sprintf("GET /messages/%d", note), "apply_markdown", "false").OK()
	if got := closed.String("message.subject"); got != "✔ ticket 1" {
		t.Errorf("the topic is %s", got)
	}
	if got := closed.String("message.content"); !strings.HasPrefix(got, "Closed by") {
		t.Errorf("the note is %s", got)
	}

	s.As("olga").Do(fmt.Sprintf("DELETE /tickets/%d", ticket)).OK()
	s.As("bob").Do(fmt.Sprintf("GET /messages/%d", note)).Error(400, "BAD_REQUEST", "Invalid message(s)")
	s.As("mona").Do(fmt.Sprintf("POST /tickets/%d/close", ticket)).Error(400, "BAD_REQUEST", "Invalid ticket ID")
}

// TestRefused checks that a ticket about a message that the bot cannot read leaves nothing behind.
func TestRefused(t *testing.T) {
	s := start(t, func(notification.Notice) {})
	id := post(s, "alice", "secret", "x", "It is broken").OK().Int("id")
	s.As("bob").Do("POST /tickets", "message_id", fmt.Sprint(id)).Error(400, "BAD_REQUEST", "Invalid message(s)")
	s.As("alice").Do("POST /tickets", "message_id", fmt.Sprint(id)).Error(400, "BAD_REQUEST", "Invalid message(s)")
	if got := kittest.JSON(s.As("alice").Do("GET /streams").OK().Get("streams")); strings.Contains(got, "support") {
		t.Errorf("the channels are %s", got)
	}
}

// TestRules checks what the module makes of messages that are sent and edited.
func TestRules(t *testing.T) {
	s := start(t, func(notification.Notice) {})
	ticket := post(s, "bob", "general", "x", "It is broken").OK().Int("id")
	s.As("bob").Do("POST /tickets", "message_id", fmt.Sprint(ticket)).OK()
	id := post(s, "bob", "general", "x", "See T#1").OK().Int("id")
	content := func() string {
		return s.As("bob").Do(fmt.Sprintf("GET /messages/%d", id), "apply_markdown", "false").OK().String("message.content")
	}
	if got := content(); got != "See #**support>ticket 1**" {
		t.Errorf("sent as %s", got)
	}
	s.As("bob").Do(fmt.Sprintf("PATCH /messages/%d", id), "content", "T#1!").OK()
	if got := content(); got != "#**support>ticket 1**!" {
		t.Errorf("edited to %s", got)
	}
	s.As("bob").Do("POST /tickets/1/close").OK()
	post(s, "bob", "support", "✔ ticket 1", "One more thing").Error(400, "BAD_REQUEST", "This ticket is closed.")
}

// TestSearch searches for messages with tickets: readers find only those that they can read.
func TestSearch(t *testing.T) {
	s := start(t, func(notification.Notice) {})
	var ids []int64
	for _, who := range []string{"alice", "bob"} {
		id := post(s, who, "general", "x", "It is broken").OK().Int("id")
		s.As(who).Do("POST /tickets", "message_id", fmt.Sprint(id)).OK()
		ids = append(ids, id)
	}
	search := func(who, narrow string) *kittest.Response {
		return s.As(who).Do("GET /messages", "narrow", narrow, "anchor", "newest", "num_before", "10", "num_after", "0")
	}
	for _, c := range []struct {
		who, narrow string
		want        []int64
	}{
		{"bob", `[["ticket","any"]]`, ids},
		{"bob", `[["ticket","mine"]]`, ids[1:]},
		{"bob", `[["ticket","any"],{"operator":"ticket","operand":"mine","negated":true}]`, ids[:1]},
		{"mona", `[["ticket","any"]]`, nil},
	} {
		var got []int64
		for _, m := range search(c.who, c.narrow).OK().Get("messages").([]any) {
			id, _ := m.(map[string]any)["id"].(json.Number)
			n, _ := id.Int64()
			got = append(got, n)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s finds %v for %s; want %v", c.who, got, c.narrow, c.want)
		}
	}
	search("bob", `[["ticket","closed"]]`).Error(400, "BAD_NARROW", "Invalid narrow operator: unknown ticket closed")
}
