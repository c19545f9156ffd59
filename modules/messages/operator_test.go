package messages_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/narrow"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages"
)

// dice adds two operators: dice:NAME selects the messages of the user's alphabet by rows, and says:TEXT by content.
var dice = kit.Define("dice", "Selects messages.", kit.None{}, func(kit.None, struct{ fx.In }) (kit.Parts, error) {
	return kit.Parts{Operators: []kit.Operator{
		kit.OperatorByRows("dice", "Selects some messages.",
			func(_ context.Context, a kit.Actor, operand string) (kit.Selection, error) {
				switch operand {
				case "all":
					return kit.Selection{SQL: "SELECT id AS message_id FROM messages UNION ALL SELECT id FROM messages"}, nil
				case "even":
					return kit.Selection{SQL: "SELECT id AS message_id FROM messages WHERE id % ? = 0", Args: []any{2}}, nil
				case "mine":
					return kit.Selection{
						SQL: "SELECT id AS message_id FROM messages WHERE sender_id = ?", Args: []any{a.User},
					}, nil
				}
				return kit.Selection{}, narrow.Bad("unknown dice " + operand)
			}),
		kit.OperatorByMessage("says", "Selects messages with a text.",
			func(operand string) (func(*message.Message) bool, error) {
				if operand == "" {
					return nil, narrow.Bad("says nothing")
				}
				return func(m *message.Message) bool {
					if operand == "panic" {
						panic("broken")
					}
					return strings.Contains(m.Content, operand)
				}, nil
			}),
	}}, nil
})

// found returns the IDs of the messages in a response.
func found(r *kittest.Response) string {
	var ids []string
	for _, m := range r.OK().Get("messages").([]any) {
		ids = append(ids, fmt.Sprint(m.(map[string]any)["id"]))
	}
	return strings.Join(ids, " ")
}

// TestOperators checks searches with operators of modules, on both databases: they select only among the messages that
// the reader has access to, together with other terms, negated or not, in all windows.
func TestOperators(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := kittest.StartWith(t, kittest.Options{DatabaseURL: url}, messages.Module, dice)
		for i := range 8 { // 1 to 8: even ones by bob
			post(s, []string{"alice", "bob"}[i%2], "general", []string{"x", "y"}[i/4], fmt.Sprintf("tomato%d", i+1))
		}
		post(s, "alice", "secret", "x", "tomato9")
		post(s, "alice", "secret", "x", "tomato10")
		list := func(who, narrow string, params ...string) string {
			t.Helper()
			if len(params) == 0 {
				params = []string{"num_before", "100", "num_after", "100", "anchor", "oldest"}
			}
			return found(s.As(who).Do("GET /messages", append(params, "narrow", narrow)...))
		}
		for _, c := range []struct{ who, narrow, want string }{
			{"bob", `[["dice","all"]]`, "1 2 3 4 5 6 7 8"},
			{"alice", `[["dice","all"]]`, "1 2 3 4 5 6 7 8 9 10"},
			{"alice", `[["dice","even"]]`, "2 4 6 8 10"},
			{"bob", `[["dice","even"],["channel","general"],["topic","y"]]`, "6 8"},
			{"bob", `[["dice","even"],["search","tomato4"]]`, "4"},
			{"bob", `[{"operator":"dice","operand":"even","negated":true}]`, "1 3 5 7"},
			{"bob", `[{"operator":"dice","operand":"all","negated":true}]`, ""},
			{"bob", `[["dice","even"],{"operator":"dice","operand":"mine","negated":true}]`, ""},
			{"alice", `[["dice","even"],{"operator":"dice","operand":"mine","negated":true}]`, "2 4 6 8"},
			{"alice", `[["dice","mine"],["id","9"]]`, "9"},
			{"bob", `[["dice","all"],["id","9"]]`, ""},
			{"bob", `[["says","tomato9"]]`, ""},
			{"alice", `[["says","tomato9"]]`, "9"},
			{"bob", `[["says","tomato"],{"operator":"says","operand":"8","negated":true},["dice","even"]]`, "2 4 6"},
			{"bob", `[["dice","all"],["is","starred"]]`, ""},
		} {
			if got := list(c.who, c.narrow); got != c.want {
				t.Errorf("%s finds %s for %s; want %s", c.who, got, c.narrow, c.want)
			}
		}
		for _, c := range []struct{ anchor, before, after, want string }{
			{"4", "1", "1", "2 4 6"}, {"newest", "2", "0", "6 8"}, {"oldest", "0", "1", "2"}, {"5", "1", "1", "4 6"},
			{"first_unread", "0", "1", "1 3"},
		} {
			n := `[["dice","even"]]`
			if c.anchor == "first_unread" { // bob has read his own messages
				n = `[{"operator":"dice","operand":"even","negated":true}]`
			}
			if got := list("bob", n, "anchor", c.anchor, "num_before", c.before, "num_after", c.after); got != c.want {
				t.Errorf("around %s: %s; want %s", c.anchor, got, c.want)
			}
		}
		if got := list("bob", `[["dice","even"]]`, "message_ids", "[1,2,10]"); got != "2" {
			t.Errorf("among 1, 2 and 10: %s", got)
		}
		marked := s.As("bob").Do("POST /messages/flags/narrow", "narrow", `[["dice","even"]]`, "anchor", "oldest",
			"num_before", "0", "num_after", "10", "op", "add", "flag", "starred").OK()
		if n := marked.Int("processed_count"); n != 4 {
			t.Errorf("%d messages were starred", n)
		}
		matching := s.As("bob").Do("GET /messages/matches_narrow", "narrow", `[["says","tomato2"]]`, "msg_ids", "[1,2,9]")
		if got := matching.OK().Get("messages").(map[string]any); len(got) != 1 || got["2"] == nil {
			t.Errorf("matching: %v", got)
		}
	})
}

// TestOperatorsListed checks that clients that ask for it receive the list of operators.
func TestOperatorsListed(t *testing.T) {
	s := kittest.Start(t, messages.Module, events.Module, dice)
	if s.As("bob").Register().Start.Has("stoa_search_operators") {
		t.Error("a client that requests everything receives the operators")
	}
	const want = `"stoa_search_operators":[{"name":"dice","module":"dice","doc":"Selects some messages."},` +
		`{"name":"says","module":"dice","doc":"Selects messages with a text."}]`
	got := s.As("bob").Register("fetch_event_types", `["stoa_search_operators"]`).Start.Body
	if !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestOperatorErrors checks the errors of operators of modules, and that others have the same as before.
func TestOperatorErrors(t *testing.T) {
	s := kittest.StartWith(t, kittest.Options{Log: slog.New(slog.DiscardHandler)}, messages.Module, events.Module, dice)
	post(s, "alice", "general", "x", "tomato")
	list := func(narrow string) *kittest.Response {
		return s.As("bob").Do("GET /messages", "narrow", narrow, "anchor", "newest", "num_before", "1", "num_after", "0")
	}
	for narrow, want := range map[string]string{
		`[["dice","odd"]]`:    "Invalid narrow operator: unknown dice odd",
		`[["says",""]]`:       "Invalid narrow operator: says nothing",
		`[["card","x"]]`:      "Invalid narrow operator: unknown operator card",
		`[["DICE","all"]]`:    "Invalid narrow operator: unknown operator DICE",
		`[["is","somewhat"]]`: "Invalid narrow operator: unknown 'is' operand somewhat",
		"[" + strings.Repeat(`["dice","all"],`, 5) + `["says","x"]]`: "Invalid narrow operator: too many terms with says",
	} {
		list(narrow).Error(400, "BAD_NARROW", want)
	}
	list(`[{"operator":"dice","operand":7}]`).Error(400, "BAD_REQUEST", "operand is not a string")
	list(`[["dice","`+strings.Repeat("x", 501)+`"]]`).Error(400, "BAD_REQUEST", "operand is too long (maximum 500 bytes)")
	if got := list(`[["says","panic"]]`); got.Status != 500 {
		t.Errorf("after a panic: %d", got.Status)
	}
	register := func(narrow string) *kittest.Response { return s.As("bob").Do("POST /register", "narrow", narrow) }
	register(`[["dice","all"]]`).Error(400, "BAD_REQUEST", "Operator dice not supported.")
	register(`[["card","all"]]`).Error(400, "BAD_REQUEST", "Operator card not supported.")
	register(`[["says",""]]`).Error(400, "BAD_NARROW", "Invalid narrow operator: says nothing")
	register("["+strings.Repeat(`["says","x"],`, 5)+`["says","y"]]`).
		Error(400, "BAD_NARROW", "Invalid narrow operator: too many terms with says")
	s.Anonymous().Do("GET /messages", "narrow", `[["channels","web-public"],["dice","all"]]`, "anchor", "newest",
		"num_before", "1", "num_after", "0").
		Error(401, "UNAUTHORIZED", "Not logged in: API authentication or user session required")
}

// TestOperatorOfQueue checks that an event queue receives only the messages that its narrow selects, and none that the
// module fails to examine.
func TestOperatorOfQueue(t *testing.T) {
	s := kittest.StartWith(t, kittest.Options{Log: slog.New(slog.DiscardHandler)}, messages.Module, events.Module, dice)
	queue := s.As("bob").Register("narrow", `[["says","tomato"],["topic","x"]]`, "event_types", `["message"]`)
	broken := s.As("bob").Register("narrow", `[["says","panic"]]`, "event_types", `["message"]`)
	post(s, "alice", "general", "x", "cucumber")
	post(s, "alice", "general", "y", "tomato")
	post(s, "alice", "secret", "x", "tomato")
	id := post(s, "alice", "general", "x", "a tomato")
	got := queue.Next()
	if len(got) != 1 || fmt.Sprint(got[0]["message"].(map[string]any)["id"]) != fmt.Sprint(id) {
		t.Errorf("the queue receives %v", got)
	}
	if got := broken.Take().OK().Get("events").([]any); len(got) != 0 {
		t.Errorf("the queue of a module that panics receives %v", got)
	}
}
