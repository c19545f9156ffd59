package scheduled_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/backup"
)

// When a backup is restored, messages that were due since are marked as failed, because they may have been sent. Later
// ones and reminders remain.
func TestRestored(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		toGeneral(s, "bob", "since", time.Minute)
		toGeneral(s, "bob", "later", time.Hour)
		taken := s.Clock.Now()
		s.Clock.Advance(2 * time.Minute)
		s.Do(func(ctx context.Context) error {
			return s.Ports.Hooks.Run(ctx, &backup.Restored{Taken: taken, At: s.Clock.Now()})
		})
		deliver(s)
		a := s.As("bob").Do("GET /scheduled_messages").OK()
		if a.String("scheduled_messages.0.content") != "since" || a.Get("scheduled_messages.0.failed") != true ||
			a.Get("scheduled_messages.1.failed") != false {
			t.Errorf("%s", kittest.JSON(a.Get("scheduled_messages")))
		}
	})
}

// A user who may not send a message cannot schedule it. A user who may no longer send it when it is due is notified of
// the reason, once.
func TestFailures(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		bob, general := s.As("bob"), s.ChannelID("general")
		first := toGeneral(s, "bob", "one", time.Minute)
		last := toGeneral(s, "alice", "two", time.Minute)
		only := fmt.Sprintf(`{"new":{"direct_members":[%d],"direct_subgroups":[]}}`, s.UserID("alice"))
		s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", general), "can_send_message_group", only).OK()
		bob.Do("POST /scheduled_messages", "type", "channel", "to", fmt.Sprint(general), "topic", "x", "content", "x",
			"scheduled_delivery_timestamp", in(s, time.Minute)).Error(400, "BAD_REQUEST",
			"You do not have permission to post in this channel.")
		at := s.Clock.Now().Add(time.Minute).UTC().Format("2006-01-02T15:04:05Z")
		s.Clock.Advance(time.Minute)
		s.Skip()
		deliver(s)
		s.Events(fmt.Sprintf(`scheduled_messages/remove user:alice {"scheduled_message_id":%d}`, last),
			"message subscribers:general",
			fmt.Sprintf(`scheduled_messages/update user:bob {"id":%d}`, first), "message users:1,bob")
		want := "The message you scheduled for <time:" + at + "> was not sent because of the following error:\n```quote\n" +
			"You do not have permission to post in this channel.\n```\n[View scheduled messages](#scheduled)"
		if got := texts(s, "bob", `[["is","dm"]]`); got != want {
			t.Errorf("bob received %q", got)
		}
		if a := bob.Do("GET /scheduled_messages").OK(); a.Int("scheduled_messages.0.scheduled_message_id") != first ||
			a.Get("scheduled_messages.0.failed") != true {
			t.Errorf("%s", kittest.JSON(a.Get("scheduled_messages")))
		}
		deliver(s)
		s.NoEvents()

		// With a new time the message is scheduled again, and sent if its destination allows it.
		path := fmt.Sprintf("PATCH /scheduled_messages/%d", first)
		bob.Do(path, "content", "three").Error(400, "BAD_REQUEST", "Scheduled delivery time must be in the future.")
		bob.Do(path, "type", "direct", "to", fmt.Sprintf("[%d]", s.UserID("alice")), "scheduled_delivery_timestamp",
			in(s, time.Minute)).OK()
		if a := bob.Do("GET /scheduled_messages").OK(); a.Get("scheduled_messages.0.failed") != false {
			t.Error("it is still marked as failed")
		}
		s.Clock.Advance(time.Minute)
		deliver(s)
		if got := texts(s, "alice", `[["is","dm"]]`); got != "one" {
			t.Errorf("alice has %q", got)
		}

		// A message can be sent up to ten minutes late.
		toGeneral(s, "alice", "just", time.Minute)
		s.Clock.Advance(11 * time.Minute)
		deliver(s)
		if got := texts(s, "alice", `[["channel","general"]]`); got != "two|just" {
			t.Errorf("general has %q", got)
		}
		toGeneral(s, "alice", "never", time.Minute)
		s.Clock.Advance(11*time.Minute + time.Millisecond)
		s.Restart()
		deliver(s)
		if got := texts(s, "alice", `[["is","dm"]]`); !strings.Contains(got,
			"Message could not be sent at the scheduled time.") {
			t.Errorf("alice received %q", got)
		}

		// A deactivated user is not notified, and finds the message as failed after reactivation.
		toGeneral(s, "alice", "gone", time.Minute)
		s.As("olga").Do(fmt.Sprintf("DELETE /users/%d", s.UserID("alice"))).OK()
		s.Clock.Advance(time.Minute)
		s.Skip()
		deliver(s)
		s.NoEvents()
		s.As("olga").Do(fmt.Sprintf("POST /users/%d/reactivate", s.UserID("alice"))).OK()
		s.LogIn("alice")
		if a := s.As("alice").Do("GET /scheduled_messages").OK(); a.Get("scheduled_messages.1.failed") != true ||
			a.String("scheduled_messages.1.content") != "gone" {
			t.Errorf("%s", kittest.JSON(a.Get("scheduled_messages")))
		}
		s.As("olga").Do(fmt.Sprintf("DELETE /users/%d", s.UserID("alice")), "actions", `{"delete_profile":true}`).OK()
		s.As("olga").Do(fmt.Sprintf("POST /users/%d/reactivate", s.UserID("alice"))).OK()
		s.LogIn("alice")
		s.As("alice").Do("GET /scheduled_messages").Is(200, `{"result":"success","msg":"","scheduled_messages":[]}`)

		// A deactivated organization sends nothing and notifies no one.
		s.As("olga").Do("POST /scheduled_messages", "type", "direct", "to", fmt.Sprintf("[%d]", s.UserID("olga")), "content",
			"closed",
			"scheduled_delivery_timestamp", in(s, time.Minute)).OK()
		if err := s.Ports.States.Deactivate(t.Context(), s.Realm, nil); err != nil {
			t.Fatal(err)
		}
		s.Clock.Advance(time.Minute)
		s.Skip()
		deliver(s)
		s.NoEvents()
	})
}

// Whether a sent message counts as read by its sender depends on the client, except in messages to oneself.
func TestReadBySender(t *testing.T) {
	s := start(t, "")
	schedule := func(agent string, params ...string) {
		t.Helper()
		params = append(params, "content", "x", "scheduled_delivery_timestamp", in(s, time.Minute))
		s.As("bob").Agent(agent).Do("POST /scheduled_messages", params...).OK()
	}
	channel, self := []string{"type", "channel", "to", fmt.Sprint(s.ChannelID("general")), "topic", "t"},
		[]string{"type", "direct", "to", fmt.Sprintf("[%d]", s.UserID("bob"))}
	schedule("ZulipMobile/1.0", channel...)
	schedule("curl/8", channel...)
	schedule("ZulipMobile/1.0", append(channel, "read_by_sender", "false")...)
	schedule("ZulipMobile/1.0", self...)
	schedule("curl/8", append(self, "read_by_sender", "true")...)
	s.Clock.Advance(time.Minute)
	deliver(s)
	var got struct {
		Messages []struct{ Flags []string }
	}
	s.As("bob").Do("GET /messages", "anchor", "newest", "num_before", "10").OK().JSON(&got)
	if all := kittest.JSON(got.Messages); all != `[{"Flags":["read"]},{"Flags":[]},{"Flags":[]},{"Flags":[]},`+
		`{"Flags":["read"]}]` {
		t.Error(all)
	}
}

func TestReminders(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		bob := s.As("bob")
		id := s.As("alice").Do("POST /messages", "type", "stream", "to", "general", "topic", "lunch", "content",
			"@**Bob** buy ```this``` #**secret**").OK().Int("id")
		direct := s.As("alice").Do("POST /messages", "type", "direct", "to",
			fmt.Sprintf("[%d,%d]", s.UserID("bob"), s.UserID("guest")), "content", "psst").OK().Int("id")
		hidden := s.As("alice").Do("POST /messages", "type", "stream", "to", "secret", "topic", "x", "content",
			"x").OK().Int("id")
		s.Skip()
		for _, c := range []struct {
			params []string
			msg    string
		}{
			{[]string{"message_id", fmt.Sprint(hidden), "scheduled_delivery_timestamp", in(s, time.Hour)}, "Invalid message(s)"},
			{[]string{"message_id", "987654", "scheduled_delivery_timestamp", in(s, time.Hour)}, "Invalid message(s)"},
			{[]string{"message_id", fmt.Sprint(id), "scheduled_delivery_timestamp", in(s, 0)},
				"Scheduled delivery time must be in the future."},
			{[]string{"message_id", fmt.Sprint(id), "scheduled_delivery_timestamp", in(s, time.Hour), "note",
				strings.Repeat("é", 501)},
				"Maximum reminder note length: 500 characters"},
		} {
			bob.Do("POST /reminders", c.params...).Error(400, "BAD_REQUEST", c.msg)
		}
		bob.Do("POST /reminders", "message_id", fmt.Sprint(id)).Error(400, "REQUEST_VARIABLE_MISSING",
			"scheduled_delivery_timestamp")
		s.NoEvents()
		at := s.Clock.Now().Add(time.Hour).Unix()
		first := bob.Do("POST /reminders", "message_id", fmt.Sprint(id), "scheduled_delivery_timestamp", fmt.Sprint(at),
			"note", " for *me* ").OK().Int("reminder_id")
		s.Events(fmt.Sprintf(`reminders/add user:bob {"id":%d}`, first))
		second := bob.Do("POST /reminders", "message_id", fmt.Sprint(direct), "scheduled_delivery_timestamp",
			fmt.Sprint(at+1)).OK().Int("reminder_id")
		text := fmt.Sprintf("You requested a reminder for the following message. Note:\n > for *me*\n\n@_**Alice|%d** "+
			"[said](/#narrow/channel/%d-general/topic/lunch/near/%d) in #**general>lunch@%d**:\n````quote\n@**Bob** buy "+
			"```this``` #**secret**\n````",
			s.UserID("alice"), s.ChannelID("general"), id, id)
		psst := fmt.Sprintf("You requested a reminder for the following direct message.\n\n@_**Alice|%d** "+
			"[said](/#narrow/dm/%d,%d,%d-group/near/%d) to "+
			"@_**Bob|%d**, @_**Gus Guest|%d**:\n```quote\npsst\n```", s.UserID("alice"), s.UserID("alice"), s.UserID("bob"),
			s.UserID("guest"), direct,
			s.UserID("bob"), s.UserID("guest"))
		a := bob.Do("GET /reminders").OK()
		if a.String("reminders.0.content") != text || a.String("reminders.1.content") != psst || a.Has("reminders.2") {
			t.Errorf("%s\n%s\nwant\n%s\n%s", a.String("reminders.0.content"), a.String("reminders.1.content"), text, psst)
		}
		if html := a.String("reminders.0.rendered_content"); strings.Contains(html,
			`data-stream-id="`+fmt.Sprint(s.ChannelID("secret"))) || !strings.Contains(html, "<blockquote>") {
			t.Errorf("bob sees %s", html)
		}
		want := fmt.Sprintf(`{"failed":false,"reminder_id":%d,"reminder_target_message_id":%d,`+
			`"scheduled_delivery_timestamp":%d,"to":[%d],"type":"private"}`,
			second, direct, at+1, s.UserID("bob"))
		reg := bob.Do("POST /register", "fetch_event_types", `["reminders","scheduled_messages"]`).OK()
		other, _ := reg.Get("reminders.1").(map[string]any)
		delete(other, "content")
		delete(other, "rendered_content")
		if got := kittest.JSON(other); got != want || kittest.JSON(reg.Get("scheduled_messages")) != "[]" {
			t.Errorf("/register gives %s", got)
		}
		s.As("alice").Do("GET /reminders").Is(200, `{"result":"success","msg":"","reminders":[]}`)
		s.As("alice").Do(fmt.Sprintf("DELETE /reminders/%d", second)).Error(404, "BAD_REQUEST", "Reminder does not exist")
		bob.Do(fmt.Sprintf("DELETE /scheduled_messages/%d", second)).Error(404, "BAD_REQUEST",
			"Scheduled message does not exist")

		// The reminder's text does not change with the message. Reminders are sent however late.
		s.As("alice").Do(fmt.Sprintf("PATCH /messages/%d", id), "content", "buy that").OK()
		s.Clock.Advance(3 * time.Hour)
		bob.Do(fmt.Sprintf("DELETE /reminders/%d", second)).Is(200, `{"result":"success","msg":""}`)
		s.Skip()
		deliver(s)
		deliver(s)
		s.Events(fmt.Sprintf(`reminders/remove user:bob {"reminder_id":%d}`, first), "message users:1,bob")
		got := bob.Do("GET /messages", "anchor", "newest", "num_before", "1", "num_after", "0", "apply_markdown",
			"false").OK()
		if got.String("messages.0.content") != text || kittest.JSON(got.Get("messages.0.flags")) != "[]" {
			t.Errorf("%s", kittest.JSON(got.Get("messages.0")))
		}
		bob.Do("GET /reminders").Is(200, `{"result":"success","msg":"","reminders":[]}`)
		bob.Do(fmt.Sprintf("DELETE /reminders/%d", first)).Error(404, "BAD_REQUEST", "Reminder does not exist")
	})
}

// A clock that is set forward makes messages early, and does not make them too late.
func TestClockSetForward(t *testing.T) {
	s := start(t, kittest.DatabaseURL(t))
	id := toGeneral(s, "alice", "early", time.Hour)
	s.Clock.Jump(24 * time.Hour)
	s.Skip()
	deliver(s)
	s.Events(fmt.Sprintf(`scheduled_messages/remove user:alice {"scheduled_message_id":%d}`, id),
		"message subscribers:general")
}
