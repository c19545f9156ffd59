package imports_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// An import that is interrupted again and again, each time a little later, ends as one that was not. Nobody can enter
// the organization meanwhile.
func TestResumes(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := startLogging(t, url, slog.New(slog.DiscardHandler)) // PostgreSQL's driver closes interrupted connections
		s.fill()
		archive := s.export(s.As("olga"))
		whole, err := s.run(archive, map[string]any{"Realm": "whole"})
		if err != nil {
			t.Fatal(err)
		}
		interrupted := 0
		var r result
		for after := int64(3); ; after += 7 {
			if r, err = s.interrupted(archive, after); err == nil {
				break
			}
			interrupted++
			s.closed()
		}
		if interrupted < 5 {
			t.Errorf("the import was interrupted only %d times", interrupted)
		}
		want := contentOf(t, s.export(s.at(whole, "whole", "olga")))
		got := contentOf(t, s.export(s.as(r, "olga")))
		for table, lines := range want {
			if !slices.Equal(lines, got[table]) {
				t.Errorf("%s:\n%s\nwant\n%s", table, strings.Join(got[table], "\n"), strings.Join(lines, "\n"))
			}
		}
	})
}

// interrupted imports an archive until that many statements have begun.
func (s *server) interrupted(archive []byte, after int64) (result, error) {
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	var n atomic.Int64
	count := func() {
		if n.Add(1) == after {
			cancel()
		}
	}
	s.statement.Store(&count)
	defer s.statement.Store(nil)
	return s.runIn(ctx, archive, nil)
}

// closed checks that the organization that is being imported cannot be opened.
func (s *server) closed() {
	s.t.Helper()
	all, err := s.Ports.Realms.All(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	for _, r := range all {
		v, err := s.Ports.Directory.Verified(s.t.Context(), r)
		if err != nil {
			s.t.Fatal(err)
		}
		if v.Realm().StringID != "moved" {
			continue
		}
		if !v.Realm().Deactivated {
			s.t.Fatal("an incomplete organization is active")
		}
		if err := s.Ports.States.Reactivate(s.t.Context(), r); err == nil {
			s.t.Fatal("an incomplete organization was reactivated")
		}
	}
}

// Members of a channel with protected history read what they received before, and nothing else.
func TestProtectedHistory(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		if err := s.Ports.Settings.Set(t.Context(), s.Realm, "owner_full_content_access", true); err != nil {
			t.Fatal(err)
		}
		olga, alice := s.As("olga"), s.As("alice")
		join := func(name string) {
			alice.Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"cellar"}]`, "principals",
				fmt.Sprintf("[%d]", s.UserID(name))).OK()
			s.Clock.Advance(time.Hour)
		}
		say := func(text string) {
			alice.Do("POST /messages", "type", "channel", "to", `"cellar"`, "topic", "x", "content", text).OK()
			s.Clock.Advance(time.Hour)
		}
		alice.Do("POST /channels/create", "name", "cellar", "invite_only", "true", "history_public_to_subscribers", "false",
			"subscribers", fmt.Sprintf("[%d]", s.UserID("alice"))).OK()
		say("for alice, about @**bob**")
		join("bob")
		say("with bob")
		s.As("bob").Do("DELETE /users/me/subscriptions", "subscriptions", `["cellar"]`).OK()
		s.Clock.Advance(time.Hour)
		say("without bob")
		join("bob")
		say("with bob again")
		join("olga")
		archive := s.export(olga)
		read := func(c *kittest.Client) string {
			var found struct{ Messages []struct{ Content string } }
			c.Do("GET /messages", "anchor", "newest", "num_before", "9", "num_after", "0", "apply_markdown", "false",
				"narrow", `[["channel","cellar"]]`).OK().JSON(&found)
			var all []string
			for _, m := range found.Messages {
				all = append(all, m.Content)
			}
			return strings.Join(all, ", ")
		}
		want := map[string]string{}
		for _, name := range []string{"alice", "bob", "olga"} {
			want[name] = read(s.As(name))
		}
		r, err := s.run(archive, nil)
		if err != nil {
			t.Fatal(err)
		}
		check := func(more string) {
			t.Helper()
			for name, before := range want {
				if got := read(s.as(r, name)); got != strings.Trim(before+more, ", ") {
					t.Errorf("%s reads %q, want %q", name, got, before+more)
				}
			}
		}
		check("")
		s.as(r, "alice").Do("POST /messages", "type", "channel", "to", `"cellar"`, "topic", "x", "content", "here").OK()
		if _, err = s.run(archive, nil); err != nil {
			t.Fatal(err)
		}
		check(", here")
	})
}

// A later export of the same organization adds what is new.
func TestGrown(t *testing.T) {
	s := start(t, "")
	s.fill()
	if _, err := s.run(s.export(s.As("olga")), nil); err != nil {
		t.Fatal(err)
	}
	s.Clock.Advance(24 * time.Hour)
	s.As("alice").Do("POST /messages", "type", "channel", "to", `"general"`, "topic", "plans", "content", "the next day").
		OK()
	later := s.export(s.As("olga"))
	r, err := s.run(later, nil)
	if err != nil {
		t.Fatal(err)
	}
	want, got := contentOf(t, later), contentOf(t, s.export(s.as(r, "olga")))
	if !slices.Equal(want["messages"], got["messages"]) {
		t.Errorf("%s\nwant\n%s", strings.Join(got["messages"], "\n"), strings.Join(want["messages"], "\n"))
	}
}

// What people have not read of the messages that they sent each other after an import stays unread when a later archive
// is imported.
func TestGrownInUse(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		s.fill()
		archive := s.export(s.As("olga"))
		r, err := s.run(archive, nil)
		if err != nil {
			t.Fatal(err)
		}
		said := s.as(r, "alice").Do("POST /messages", "type", "channel", "to", `"general"`, "topic", "plans", "content",
			"here").OK().Int("id")
		unread := func() string {
			return s.as(r, "bob").Do("GET /messages", "anchor", "newest", "num_before", "9", "num_after", "0", "narrow",
				`[["is","unread"]]`).OK().Body
		}
		if want := fmt.Sprintf(`"id":%d,`, said); !strings.Contains(unread(), want) {
			t.Fatalf("a new message is read at once: %s", unread())
		}
		before := strings.Count(unread(), `"id":`)
		if _, err := s.run(archive, nil); err != nil {
			t.Fatal(err)
		}
		if after := strings.Count(unread(), `"id":`); after != before {
			t.Errorf("%d messages are unread after the second import, want %d", after, before)
		}
	})
}
