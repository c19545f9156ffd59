package messages_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
)

// The tests in this file try each operation on messages by each role, in each kind of channel and for each relation of
// the caller to it, and in direct messages. One-line rules, taken from the contract and the default settings, define
// the expected results.

// cell is one cell of the authorization table.
type cell struct {
	role     string // olga owner, adam administrator, mona moderator, alice member, guest, bot
	kind     string // public, private, protected, archived, web or direct
	relation string // subscribed, formerly, late (subscribed after the message), never; direct: partner, stranger
	own      bool   // the message is the caller's
}

func (c cell) String() string {
	return fmt.Sprintf("%s, %s, %s, own message: %v", c.role, c.kind, c.relation, c.own)
}

// sees reports whether the caller can see the message.
func (c cell) sees() bool {
	subscribed := c.relation == "subscribed" || c.relation == "late"
	switch c.kind {
	case "direct":
		return c.relation == "partner"
	case "web":
		return true
	case "public", "archived":
		return c.role != "guest" || subscribed
	case "protected":
		return c.relation == "subscribed"
	}
	return subscribed
}

func (c cell) acts() bool { return c.sees() && c.kind != "archived" }

// has reports whether the caller received the message.
func (c cell) has() bool {
	return c.sees() && (c.relation == "subscribed" || c.relation == "formerly" || c.relation == "partner")
}

func (c cell) admin() bool { return c.role == "olga" || c.role == "adam" }

const (
	done    = ""
	nothing = "Invalid message(s)"
)

// visibleOr returns then if the message is visible, otherwise the error for missing messages.
func visibleOr(seen bool, then string) string {
	if seen {
		return then
	}
	return nothing
}

// operation is a request about one message. want returns the expected error text, or "" for success.
type operation struct {
	name string
	do   func(s *kittest.Server, as string, m target) *kittest.Response
	want func(c cell) string
	// found reports whether an operation that always succeeds found the message; it must agree with want.
	found  func(a *kittest.Response, m target) bool
	direct bool // also tried with direct messages
	apart  bool // changes the message, so it needs a message of its own
}

type target struct {
	id, channel, elsewhere int64
	topic                  string
}

func (m target) path(end string) string { return fmt.Sprintf("/messages/%d%s", m.id, end) }

func onMessage(method, end string, params ...string) func(*kittest.Server, string, target) *kittest.Response {
	return func(s *kittest.Server, as string, m target) *kittest.Response {
		return s.As(as).Do(method+" "+m.path(end), params...)
	}
}

func lists(a *kittest.Response, m target) bool {
	var got struct {
		Messages []struct {
			ID int64 `json:"id"`
		} `json:"messages"`
	}
	a.JSON(&got)
	return len(got.Messages) == 1 && got.Messages[0].ID == m.id
}

func operations() []operation {
	isSeen := func(c cell) string { return visibleOr(c.sees(), done) }
	isActed := func(c cell) string { return visibleOr(c.acts(), done) }
	return []operation{
		{name: "read one", direct: true, do: onMessage("GET", ""), want: isSeen},
		{name: "read history of", direct: true, do: onMessage("GET", "/history"), want: isSeen},
		{name: "read receipts of", direct: true, do: onMessage("GET", "/read_receipts"), want: isSeen},
		{name: "list by id", direct: true, want: isSeen, found: lists,
			do: func(s *kittest.Server, as string, m target) *kittest.Response {
				return s.As(as).Do("GET /messages", "message_ids", fmt.Sprintf("[%d]", m.id))
			}},
		{name: "list own", direct: true, found: lists, want: func(c cell) string { return visibleOr(c.has(), done) },
			do: func(s *kittest.Server, as string, m target) *kittest.Response {
				return s.As(as).Do("GET /messages", "anchor", fmt.Sprint(m.id), "num_before", "0", "num_after", "0", "narrow", "[]")
			}},
		{name: "match", direct: true, want: func(c cell) string { return visibleOr(c.has(), done) },
			found: func(a *kittest.Response, m target) bool { return a.Has(fmt.Sprintf("messages.%d", m.id)) },
			do: func(s *kittest.Server, as string, m target) *kittest.Response {
				return s.As(as).Do("GET /messages/matches_narrow", "msg_ids", fmt.Sprintf("[%d]", m.id), "narrow", "[]")
			}},
		{name: "star", direct: true, apart: true, want: isSeen,
			do: func(s *kittest.Server, as string, m target) *kittest.Response {
				return s.As(as).Do("POST /messages/flags", "messages", fmt.Sprintf("[%d]", m.id), "op", "add", "flag", "starred")
			}},
		{name: "collapse in a narrow", direct: true, want: func(c cell) string { return visibleOr(c.has(), done) },
			found: func(a *kittest.Response, _ target) bool { return a.Int("updated_count") == 1 },
			do: func(s *kittest.Server, as string, m target) *kittest.Response {
				return s.As(as).Do("POST /messages/flags/narrow", "anchor", fmt.Sprint(m.id), "num_before", "0", "num_after", "0",
					"narrow", "[]", "op", "add", "flag", "collapsed")
			}},
		{name: "react to", direct: true, do: onMessage("POST", "/reactions", "emoji_name", "tada"), want: isActed},
		{name: "take a reaction from", direct: true, do: onMessage("DELETE", "/reactions", "emoji_name", "heart"),
			want: func(c cell) string { return visibleOr(c.acts(), "Reaction doesn't exist.") }},
		{name: "edit", direct: true, do: onMessage("PATCH", "", "content", "new"), want: func(c cell) string {
			if c.own {
				return isActed(c)
			}
			return visibleOr(c.acts(), "You don't have permission to edit this message")
		}},
		{name: "rename the topic of", direct: true, apart: true, do: onMessage("PATCH", "", "topic", "another"),
			want: func(c cell) string {
				if c.kind == "direct" {
					return visibleOr(c.acts(), "Direct messages cannot have topics.")
				}
				return isActed(c)
			}},
		{name: "resolve", apart: true, want: isActed, do: func(s *kittest.Server, as string, m target) *kittest.Response {
			return s.As(as).Do("PATCH "+m.path(""), "topic", "✔ "+m.topic, "propagate_mode", "change_all")
		}},
		{name: "move", direct: true, apart: true, do: func(s *kittest.Server, as string, m target) *kittest.Response {
			return s.As(as).Do("PATCH "+m.path(""), "stream_id", fmt.Sprint(m.elsewhere))
		}, want: func(c cell) string {
			switch {
			case c.kind == "direct":
				return visibleOr(c.acts(), "Direct messages cannot be moved to channels.")
			case c.role == "guest":
				return visibleOr(c.acts(), "You don't have permission to move this message")
			}
			return isActed(c)
		}},
		{name: "delete", direct: true, apart: true, do: onMessage("DELETE", ""), want: func(c cell) string {
			if c.own || c.admin() {
				return isActed(c)
			}
			return visibleOr(c.acts(), "You don't have permission to delete this message")
		}},
		{name: "delete the topic of", apart: true, do: func(s *kittest.Server, as string, m target) *kittest.Response {
			return s.As(as).Do(fmt.Sprintf("POST /streams/%d/delete_topic", m.channel), "topic_name", m.topic)
		}, want: func(c cell) string {
			switch reads := c.sees() || c.kind == "protected" && c.relation == "late"; {
			case !c.admin():
				return "Must be an organization administrator"
			case !reads, c.kind == "archived":
				return "Invalid channel ID"
			}
			return done
		}},
	}
}

var roles = []string{"olga", "adam", "mona", "alice", "guest", "bot"}

func TestAuthorization(t *testing.T) {
	testrun.Unraced(t, "its requests are sequential")
	all := operations()
	for _, kind := range []string{"public", "private", "protected", "archived", "web"} {
		t.Run(kind, func(t *testing.T) {
			s := startOpen(t)
			for _, relation := range []string{"subscribed", "formerly", "late", "never"} {
				t.Run(relation, func(t *testing.T) { inChannel(s.In(t), all, kind, relation) })
			}
		})
	}
	t.Run("direct", func(t *testing.T) { inDirect(startOpen(t), all) })
}

// startOpen starts a server that allows all kinds of channels.
func startOpen(t *testing.T) *kittest.Server {
	t.Helper()
	s := kittest.StartWith(t, kittest.Options{Config: "modules: {accounts: {password_memory_kib: 8, password_passes: " +
		"1}, channels: {web_public_streams: true}}"},
		realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, events.Module)
	s.As("olga").Do("PATCH /realm", "enable_spectator_access", "true").OK()
	return s
}

// inChannel tries all operations in one of bob's channels. Operations that change the message get a message of their
// own, in a separate topic.
func inChannel(s *kittest.Server, all []operation, kind, relation string) {
	name := kind + " " + relation
	params := map[string][]string{
		"private":   {"invite_only", "true", "history_public_to_subscribers", "true"},
		"protected": {"invite_only", "true", "history_public_to_subscribers", "false"},
	}[kind]
	of := func(name string, params ...string) int64 {
		s.As("bob").Do("POST /users/me/subscriptions", append([]string{"subscriptions", fmt.Sprintf(`[{"name":%q}]`, name)},
			params...)...).OK()
		return s.As("bob").Do("GET /get_stream_id", "stream", name).OK().Int("stream_id")
	}
	id, elsewhere := of(name, params...), of("elsewhere "+name)
	join := func(channel string) {
		s.As("bob").Do("POST /users/me/subscriptions", "subscriptions", fmt.Sprintf(`[{"name":%q}]`, channel), "principals",
			ids(s, roles...)).OK()
	}
	join("elsewhere " + name)
	if kind == "web" {
		s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", id), "is_web_public", "true").OK()
	}
	if relation == "subscribed" || relation == "formerly" {
		join(name)
	}
	targets := map[cell][]target{}
	for _, role := range roles {
		for _, own := range []bool{false, true} {
			c := cell{role, kind, relation, own}
			by := "bob"
			if own {
				if by = role; relation == "late" || relation == "never" {
					continue // messages cannot be sent without having been subscribed
				}
			}
			targets[c] = prepare(all, func(o operation) target {
				m := target{channel: id, elsewhere: elsewhere, topic: o.name + " " + strings.Fields(c.String())[0] +
					fmt.Sprint(own)}
				m.id = post(s, by, name, m.topic, "x")
				return m
			})
		}
	}
	switch relation {
	case "formerly":
		s.As("bob").Do("DELETE /users/me/subscriptions", "subscriptions", fmt.Sprintf("[%q]", name), "principals",
			ids(s, roles...)).OK()
	case "late":
		join(name)
	}
	if kind == "archived" {
		s.As("olga").Do(fmt.Sprintf("DELETE /streams/%d", id)).OK()
	}
	tryAll(s, all, targets)
}

// prepare creates the messages: one shared by all operations that leave it unchanged, and one for each other operation.
func prepare(all []operation, send func(operation) target) []target {
	out := make([]target, len(all))
	stays := send(all[0])
	for i, o := range all {
		if out[i] = stays; o.apart {
			out[i] = send(o)
		}
	}
	return out
}

// inDirect tries all operations in conversations with bob: the caller's, and alice's for callers who are not in them.
func inDirect(s *kittest.Server, all []operation) {
	all = slices.DeleteFunc(slices.Clone(all), func(o operation) bool { return !o.direct })
	targets := map[cell][]target{}
	elsewhere := int64(s.ChannelID("general"))
	for i, role := range roles {
		for _, c := range []cell{{role, "direct", "partner", false}, {role, "direct", "partner", true},
			{role, "direct", "stranger", false}} {
			by, to := "bob", role
			if c.own {
				by, to = role, "bob"
			}
			if c.relation == "stranger" {
				to = roles[(i+1)%len(roles)]
			}
			targets[c] = prepare(all, func(operation) target {
				return target{id: sendDirect(s, by, "x", to), elsewhere: elsewhere}
			})
		}
	}
	tryAll(s, all, targets)
}

// tryAll makes the requests and compares the responses. Requests that must be rejected come first, so that the test can
// check that they log no events.
func tryAll(s *kittest.Server, all []operation, targets map[cell][]target) {
	s.Skip()
	for c, ms := range targets {
		for i, o := range all {
			if o.found == nil && o.want(c) != done {
				tryOne(s, c, o, ms[i])
			}
		}
	}
	s.NoEvents()
	for c, ms := range targets {
		for i, o := range all {
			if o.found != nil || o.want(c) == done {
				tryOne(s, c, o, ms[i])
			}
		}
	}
}

func tryOne(s *kittest.Server, c cell, o operation, m target) {
	a, want := o.do(s, c.role, m), o.want(c)
	if o.found == nil {
		if got := errorText(a); got != want {
			s.T.Errorf("%s (%s): %q, want %q", o.name, c, got, want)
		}
	} else if got := o.found(a.OK(), m); got != (want == done) {
		s.T.Errorf("%s (%s): found is %v", o.name, c, got)
	}
}

// errorText returns the error text of a response, or "".
func errorText(a *kittest.Response) string {
	var body struct{ Result, Msg string }
	a.JSON(&body)
	if body.Result == "success" {
		return done
	}
	return body.Msg
}
