package outgoing_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/topics"
	"github.com/stoachat/stoa/modules/widgets"
)

// An edit calls each bot that it newly mentions by name once.
func TestEdits(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		w := open(t, database, cheap+allowInternal)
		out, other := w.robot("alice", "out"), w.robot("bob", "other")
		w.robot("bob", "theirs") // is not allowed to read secret
		id := w.post("alice", "secret", "hi @_**out**")
		edit := func(who string, id int64, content string) {
			t.Helper()
			w.As(who).Do(fmt.Sprintf("PATCH /messages/%d", id), "content", content).OK()
		}
		w.expectNoCalls("silently mentioned")
		w.respond(`{"content":"yes"}`)
		edit("alice", id, "hi @**out** and @**theirs**")
		got := w.calls()
		if len(got) != 1 || got[0].get(t, "bot_email") != out.email || got[0].get(t, "trigger") != "mention" ||
			got[0].get(t, "data") != "hi @**out** and @**theirs**" {
			t.Fatalf("called with %v", got)
		}
		w.equal("the answer", w.newest("alice", secret), "out/t: yes")
		edit("alice", id, fmt.Sprintf("hi @**out|%d** again, @**theirs**", out.id))
		w.As("alice").Do(fmt.Sprintf("PATCH /messages/%d", id), "topic", "u").OK()
		w.expectNoCalls("mentioned before, and moved")

		id = w.post("bob", "general", "@**out**") // removed and added while the call is still queued
		edit("bob", id, "nobody")
		edit("bob", id, "@**out** @**other** @**all**")
		if got := w.calls(); len(got) != 2 || position(t, got, out) == 0 || position(t, got, other) == 0 {
			t.Errorf("called with %v", got)
		}
		id = w.direct("bob", "psst", out.id)
		if got := w.calls(); len(got) != 1 {
			t.Errorf("called with %v", got)
		}
		edit("bob", id, "psst @**other** @**out**")
		helper := w.post("bot", "general", "x")
		edit("bot", helper, "@**out**")
		w.expectNoCalls("in direct messages, and by bots")
	})
}

// A bot can answer in a channel where it is otherwise not allowed to post or start topics, but not in an archived
// channel.
func TestAnswerAnywhere(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		w := open(t, database, cheap+allowInternal)
		out := w.robot("alice", "out")
		channel := w.ChannelID("general")
		bob := fmt.Sprintf(`{"new":{"direct_members":[%d],"direct_subgroups":[]}}`, w.UserID("bob"))
		w.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", channel),
			"can_send_message_group", bob, "can_create_topic_group", bob).OK()
		w.WithKey(out.email, out.key).Do("POST /messages", "type", "stream", "to", "general", "topic", "t", "content", "x").
			Error(400, "BAD_REQUEST", "You do not have permission to post in this channel.")
		w.respond(`{"content":"yes"}`)
		w.post("bob", "general", "@**out**")
		w.calls()
		w.equal("the answer", w.newest("bob", general), "out/t: yes")
		a := w.As("bob").Do("GET /messages", "anchor", "newest", "num_before", "1", "num_after", "0", "narrow", general).OK()
		w.equal("its client", a.String("messages.0.client"), "OutgoingWebhookResponse")

		w.post("bob", "general", "@**out** and archive")
		w.As("olga").Do(fmt.Sprintf("DELETE /streams/%d", channel)).OK()
		w.calls()
		if got := w.newest("olga", general); got != "Bob/t: @**out** and archive" && got != "" {
			t.Errorf("in an archived channel: %s", got)
		}
	})
}

// A reply with widget_content becomes a widget if the server supports widgets.
func TestWidget(t *testing.T) {
	options := kittest.Options{DatabaseURL: kittest.Memory, Config: cheap + allowInternal}
	w := openWith(t, options, topics.Module, widgets.Module)
	w.robot("alice", "out")
	const form = `{"widget_type":"zform","extra_data":{"type":"choices","heading":"h",
		"choices":[{"type":"m","short_name":"a","long_name":"b","reply":"c"}]}}`
	for _, widget := range []string{kittest.JSON(form), form} {
		w.respond(`{"content":"choose","widget_content":` + widget + `}`)
		w.post("bob", "general", "@**out**")
		w.calls()
		a := w.As("bob").Do("GET /messages", "anchor", "newest", "num_before", "1", "num_after", "0", "narrow", general).OK()
		if a.String("messages.0.content") != "<p>choose</p>" ||
			a.String("messages.0.submessages.0.msg_type") != "widget" {
			t.Errorf("%s: %s", widget, a.Body)
		}
	}
}
