package outgoing_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

const (
	general = `[["channel","general"]]`
	secret  = `[["channel","secret"]]`
)

// A service is called for channel messages that mention its bot and for direct messages to it; the bot sends the
// service's answers.
func TestCalls(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		w := open(t, database, cheap+allowInternal)
		out := w.robot("alice", "out")
		token := w.As("alice").Do("POST /register", "fetch_event_types", `["realm_bot"]`, "event_types",
			"[]").OK().String("realm_bots.1.services.0.token")
		w.respond(`{"content":"hello @**Bob**, I am @**out**"}`)
		id := w.post("bob", "general", "@**out** *hi*")
		got := w.calls()
		if len(got) != 1 || got[0].kind != "application/json" {
			t.Fatalf("called with %v", got)
		}
		for path, want := range map[string]any{
			"bot_email": out.email, "bot_full_name": "out", "data": "@**out** *hi*", "token": token, "trigger": "mention",
			"message.id":      float64(id),
			"message.content": "@**out** *hi*", "message.content_type": "text/x-markdown",
			"message.sender_id":        float64(w.UserID("bob")),
			"message.sender_full_name": "Bob", "message.sender_email": "bob@example.com", "message.type": "stream",
			"message.display_recipient": "general",
			"message.subject":           "t", "message.stream_id": float64(w.ChannelID("general")),
			"message.timestamp": float64(kittest.Epoch().Unix()),
			"message.rendered_content": fmt.Sprintf(`<p><span class="user-mention" data-user-id="%d">@out</span> `+
				`<em>hi</em></p>`, out.id),
		} {
			if have := got[0].get(t, path); have != want {
				t.Errorf("%s: %v, want %v", path, have, want)
			}
		}
		w.equal("the answer", w.newest("bob", general), "out/t: hello @**Bob**, I am @**out**")
		w.expectNoCalls("once answered, by a bot that mentions itself")

		bob, mona := int64(w.UserID("bob")), int64(w.UserID("mona"))
		id = w.direct("bob", "psst", out.id, mona)
		got = w.calls()
		if len(got) != 1 || got[0].get(t, "trigger") != "direct_message" || got[0].get(t, "message.id") != float64(id) ||
			got[0].get(t, "message.type") != "private" {
			t.Fatalf("called with %v", got)
		}
		w.equal("the answer", w.newest("mona", with(bob, out.id)), "out/: hello @**Bob**, I am @**out**")
		w.respond(`{"response_not_required":true}`)
		w.direct("bob", "alone", out.id)
		if got := w.calls(); len(got) != 1 {
			t.Errorf("called with %v", got)
		}
		w.equal("no answer", w.newest("bob", with(out.id)), "Bob/: alone")

		other := w.robot("bob", "other") // one message calls several bots; bots' messages call none
		w.respond(`{"content":"@**out** @**other**"}`)
		w.post("bob", "general", "@**out** @**other** and @**Helper Bot**")
		if got := w.calls(); len(got) != 2 {
			t.Errorf("called with %v", got)
		}
		w.expectNoCalls("by each other")
		w.As("bot").Do("POST /messages", "type", "stream", "to", "general", "topic", "t", "content", "@**out**").OK()
		w.direct("bot", "psst", out.id)
		w.WithKey(other.email, other.key).Do("POST /messages", "type", "direct", "to", fmt.Sprintf("[%d]", out.id), "content",
			"psst").OK()
		w.post("bob", "general", "@_**out** `@**out**` out @**all**")
		w.direct("bob", "@**out**", mona)
		w.expectNoCalls("by bots, without a mention, and elsewhere")
	})
}

// A bot's service does not receive messages that the bot is not allowed to read, even if they mention the bot.
func TestUnreadableMessages(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		w := open(t, database, cheap+allowInternal)
		out := w.robot("alice", "out")
		low := w.robot("alice", "low")
		w.As("adam").Do(fmt.Sprintf("PATCH /bots/%d", low.id), "role", "600").OK()
		w.respond(`{"content":"yes"}`)
		theirs := w.robot("bob", "theirs")
		w.post("alice", "secret", "@**theirs**")
		w.expectNoCalls("where neither bot nor owner subscribes")
		w.post("alice", "secret", "@**out** @**low**") // the owner of "out" is allowed to read it
		w.post("alice", "general", "@**low**")
		if got := w.calls(); len(got) != 3 {
			t.Errorf("not subscribed: called with %v", got)
		}
		w.subscribe(theirs, "secret")
		w.expectNoCalls("for earlier messages")
		w.subscribe(out, "secret")
		w.subscribe(low, "general")
		w.post("alice", "secret", "@**theirs**")
		w.post("alice", "secret", "@**out**")
		if got := w.calls(); len(got) != 2 {
			t.Errorf("called with %v", got)
		}
		w.equal("in secret", w.newest("alice", secret), "out/t: yes")

		w.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", w.ChannelID("secret")), "is_private", "true",
			"history_public_to_subscribers", "false").OK()
		w.post("alice", "secret", "@**out**")
		if got := w.calls(); len(got) != 1 {
			t.Errorf("in protected history: called with %v", got)
		}
		alice := robot{id: int64(w.UserID("alice"))} // the bot has its owner's access while she is subscribed
		for name, change := range map[string]func(id int64){
			"left":        func(int64) { w.unsubscribe(out, "secret"); w.unsubscribe(alice, "secret") },
			"deleted":     func(id int64) { w.As("olga").Do(fmt.Sprintf("DELETE /messages/%d", id)).OK() },
			"deactivated": func(int64) { w.As("alice").Do(fmt.Sprintf("DELETE /bots/%d", out.id)).OK() },
		} {
			back := func() {
				w.As("alice").Do(fmt.Sprintf("POST /users/%d/reactivate", out.id)).OK()
				w.As("olga").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"secret"}]`, "principals",
					fmt.Sprintf("[%d,%d]", alice.id, out.id),
					"send_new_subscription_messages", "false").OK()
			}
			w.respond(`{"content":"too late"}`)
			change(w.post("olga", "secret", "@**out**"))
			w.expectNoCalls(name + " before the call")
			back()
			w.expectNoCalls(name + " before the call, and back")
			id := w.post("olga", "secret", "@**out** again")
			w.respondWith(func(_ int, rw http.ResponseWriter) {
				change(id)
				fmt.Fprint(rw, `{"content":"too late"}`)
			})
			if got := w.calls(); len(got) != 1 {
				t.Errorf("%s in the meantime: called with %v", name, got)
			}
			if got := w.newest("olga", secret); got == "out/t: too late" {
				t.Errorf("%s meanwhile: %s", name, got)
			}
			w.expectNoCalls(name + " meanwhile: once")
			back()
		}
		w.equal("alice gets no notice", w.newest("alice", `[["dm","notification-bot@stoa.invalid"]]`), "")
		id := w.post("alice", "secret", "@**out**") // the answer goes to the message's current place
		w.respondWith(func(_ int, rw http.ResponseWriter) {
			w.As("olga").Do(fmt.Sprintf("PATCH /messages/%d", id), "topic", "elsewhere").OK()
			fmt.Fprint(rw, `{"content":"here"}`)
		})
		w.calls()
		w.equal("moved meanwhile", w.newest("alice", secret), "out/elsewhere: here")
	})
}

// TestSlack covers calls and responses in Slack's format.
func TestSlack(t *testing.T) {
	w := open(t, kittest.Memory, cheap+allowInternal)
	out := w.robot("alice", "out", "interface_type", "2")
	w.respond(`{"text":"slack says","content":"no"}`)
	w.post("bob", "general", "@**out** hi")
	got := w.calls()
	if len(got) != 1 || got[0].kind != "application/x-www-form-urlencoded" {
		t.Fatalf("called with %v", got)
	}
	form, err := url.ParseQuery(got[0].body)
	if err != nil || form.Get("text") != "@**out** hi" || form.Get("user_name") != "Bob" || form.Get("token") == "" ||
		form.Get("channel_name") != "general" {
		t.Errorf("called with %v, %v", form, err)
	}
	w.equal("the answer", w.newest("bob", general), "out/t: slack says")
	w.direct("bob", "psst", out.id)
	w.expectNoCalls("directly")
	w.equal("directly", w.newest("bob", with(out.id)), "out/: Failure! This bot does not support direct messages.")
	w.equal("the owner", w.lastNotice("alice"), "")
}

// In both formats, a bot with the guest role gets placeholders for users whom guests are not allowed to see.
func TestGuestsGetPlaceholders(t *testing.T) {
	w := open(t, kittest.Memory, cheap+allowInternal)
	generic, slack := w.robot("alice", "out"), w.robot("alice", "slack", "interface_type", "2")
	for _, r := range []robot{generic, slack} {
		w.As("adam").Do(fmt.Sprintf("PATCH /bots/%d", r.id), "role", "600").OK()
		w.subscribe(r, "general")
	}
	w.As("olga").Do("PATCH /realm", "can_access_all_users_group", `{"new":6}`).OK()
	w.respond(`{}`)
	for who, want := range map[string]string{"adam": "Unknown user", "bob": "Bob"} { // bob is in the channel
		for _, r := range []robot{generic, slack} {
			w.post(who, "general", "@**"+r.name+"**")
			got := w.calls()
			if len(got) != 1 {
				t.Fatalf("%s: called with %v", r.name, got)
			}
			email := fmt.Sprintf("user%d@stoa.invalid", w.UserID(who))
			if want == "Bob" {
				email = "bob@example.com"
			}
			if r == generic {
				w.equal("the address", fmt.Sprint(got[0].get(t, "message.sender_email")), email)
				w.equal("the name", fmt.Sprint(got[0].get(t, "message.sender_full_name")), want)
				continue
			}
			form, err := url.ParseQuery(got[0].body)
			if err != nil || form.Get("user_name") != want || form.Get("user_id") != fmt.Sprint("U", w.UserID(who)) {
				t.Errorf("called with %v, %v", form, err)
			}
		}
	}
}
