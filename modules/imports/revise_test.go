package imports_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/kit"
)

// guard is a module that revises the messages of an import.
type guard struct {
	mu     sync.Mutex
	strict bool
	asked  []string
}

func (g *guard) module() kit.Module {
	return kit.Define("guard", "Revises messages.", kit.None{}, func(kit.None, struct{ fx.In }) (kit.Parts, error) {
		return kit.Parts{Answers: []kit.Answer{kit.Answers(g.revise)}}, nil
	})
}

func (g *guard) revise(ctx context.Context, q message.Revising) (string, error) {
	g.mu.Lock()
	strict := g.strict && q.Past
	if q.Past {
		g.asked = append(g.asked, q.Content)
	}
	g.mu.Unlock()
	switch {
	case strict && strings.Contains(q.Content, "rude"):
		return "", errs.Bad("Be polite.")
	case strict && strings.Contains(q.Content, "slow"):
		<-ctx.Done()
		return "", ctx.Err()
	case strict && strings.Contains(q.Content, "broken"):
		panic("broken")
	}
	if !q.Past {
		return q.Content, nil
	}
	return strings.ReplaceAll(q.Content, "secret", "•••"), nil
}

func (g *guard) set(strict bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.strict, g.asked = strict, nil
}

// TestRevised checks that modules revise and refuse the contents of imported messages, that the report counts what they
// refuse and fail to revise, and that what they accept later is added by another import.
func TestRevised(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		var g guard
		s := startLogging(t, url, slog.New(slog.DiscardHandler), g.module())
		send := func(text string) int64 {
			return s.As("alice").Do("POST /messages", "type", "channel", "to", `"general"`, "topic", "x",
				"content", text).OK().Int("id")
		}
		edit := func(id int64, text string) {
			s.As("alice").Do(fmt.Sprintf("PATCH /messages/%d", id), "content", text).OK()
		}
		send("a secret")
		send("rude")
		send("slow")
		send("broken")
		edit(send("was rude"), "now polite")
		edit(send("was a secret"), "now public")
		s.As("alice").Do("POST /messages", "type", "direct", "to", `["bob@example.com"]`, "content", "a rude secret").OK()
		s.allowExport()
		archive := s.export(s.As("olga"))

		g.set(true)
		r, err := s.run(archive, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := s.texts(r), []string{"a •••", "now polite", "now public"}; !slices.Equal(got, want) {
			t.Errorf("imported %q, want %q", got, want)
		}
		if got := messagesOf(r); got != "2 imported, 1 converted, 4 skipped, 0 refused" {
			t.Errorf("the report counts %s", got)
		}
		reasons := fmt.Sprint(r.Reasons)
		for _, want := range []string{
			"{messages skipped a module refuses it: Be polite.}", "{messages skipped a module failed to check it}",
			"{messages converted without a former version: a module refuses it: Be polite.}",
		} {
			if !strings.Contains(reasons, want) {
				t.Errorf("the report contains %s, not %s", reasons, want)
			}
		}
		if former := s.former(r); !slices.Equal(former, []string{"was a •••"}) {
			t.Errorf("the former contents are %q", former)
		}

		g.set(false)
		if r, err = s.run(archive, nil); err != nil {
			t.Fatal(err)
		}
		want := []string{"a •••", "now polite", "now public", "rude", "slow", "broken", "a rude •••"}
		if got := s.texts(r); !slices.Equal(got, want) {
			t.Errorf("after another import, the messages are %q, want %q", got, want)
		}
		if asked := fmt.Sprint(g.asked); strings.Contains(asked, "public") {
			t.Errorf("modules are asked again about messages that were imported: %s", asked)
		}
	})
}

// TestHangingReviser checks that a module that hangs does not stop an import for a second per message.
func TestHangingReviser(t *testing.T) {
	var g guard
	s := startLogging(t, "", slog.New(slog.DiscardHandler), g.module())
	for range 30 {
		s.As("alice").Do("POST /messages", "type", "channel", "to", `"general"`, "topic", "x", "content", "slow").OK()
	}
	s.allowExport()
	archive := s.export(s.As("olga"))
	g.set(true)
	r, err := s.run(archive, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := messagesOf(r); got != "0 imported, 0 converted, 30 skipped, 0 refused" {
		t.Errorf("the report counts %s", got)
	}
	if len(g.asked) > 20 {
		t.Errorf("modules were asked about %d messages", len(g.asked))
	}
}

// messagesOf describes what became of the messages of an archive.
func messagesOf(r result) string {
	for _, c := range r.Counts {
		if c.Kind == "messages" {
			return fmt.Sprintf("%d imported, %d converted, %d skipped, %d refused", c.Imported, c.Converted, c.Skipped,
				c.Refused)
		}
	}
	return ""
}

// texts returns the contents of all messages that Alice reads in an imported organization.
func (s *server) texts(r result) []string {
	s.t.Helper()
	var found struct{ Messages []struct{ Content string } }
	s.as(r, "alice").Do("GET /messages", "anchor", "newest", "num_before", "99", "num_after", "0",
		"apply_markdown", "false").OK().JSON(&found)
	var all []string
	for _, m := range found.Messages {
		all = append(all, m.Content)
	}
	return all
}

// former returns the former contents of these messages.
func (s *server) former(r result) []string {
	s.t.Helper()
	var found struct {
		Messages []struct {
			ID int64
		}
	}
	alice := s.as(r, "alice")
	alice.Do("GET /messages", "anchor", "newest", "num_before", "99", "num_after", "0").OK().JSON(&found)
	var all []string
	for _, m := range found.Messages {
		var history struct {
			Versions []struct {
				Before string `json:"prev_content"`
			} `json:"message_history"`
		}
		alice.Do(fmt.Sprintf("GET /messages/%d/history", m.ID)).OK().JSON(&history)
		for _, version := range history.Versions {
			if version.Before != "" {
				all = append(all, version.Before)
			}
		}
	}
	return all
}
