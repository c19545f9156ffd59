package scheduled_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// Reminders neither show nor send text of messages that their readers can no longer access, wherever a reminder's text
// is returned. The reader's own note stays.
func TestWithheldReminders(t *testing.T) {
	const gone = "You requested a reminder for a message that is no longer available to you."
	for name, c := range map[string]struct {
		lose func(s *kittest.Server, id int64)
		want string // with the message's ID, unless the access is lost
	}{
		"deleted": {func(s *kittest.Server, id int64) {
			s.As("olga").Do(fmt.Sprintf("DELETE /messages/%d", id)).OK()
		}, gone + " Note:\n > *buy*\n > <b>"},
		"access lost": {func(s *kittest.Server, _ int64) {
			s.As("olga").Do("DELETE /users/me/subscriptions", "subscriptions", `["secret"]`, "principals",
				fmt.Sprintf("[%d]", s.UserID("alice"))).OK()
		}, gone + " Note:\n > *buy*\n > <b>"},
		"edited, without a history": {func(s *kittest.Server, id int64) {
			s.As("olga").Do("PATCH /realm", "message_edit_history_visibility_policy", "none").OK()
			s.As("olga").Do(fmt.Sprintf("PATCH /messages/%d", id), "content", "nothing").OK()
		}, "You requested a reminder for the following message. Note:\n > *buy*\n > <b>\n\n" +
			"[The message](/#narrow/channel/%d-secret/topic/x/near/%d) has been edited."},
	} {
		t.Run(name, func(t *testing.T) {
			kittest.EachDatabase(t, func(t *testing.T, url string) {
				s := start(t, url)
				alice := s.As("alice")
				id := s.As("olga").Do("POST /messages", "type", "stream", "to", "secret", "topic", "x", "content",
					"the canary").OK().Int("id")
				queue := alice.Register("event_types", `["reminders"]`)
				alice.Do("POST /reminders", "message_id", fmt.Sprint(id), "scheduled_delivery_timestamp", in(s, time.Hour),
					"note", "*buy*\n<b>").OK()
				if text := alice.Do("GET /reminders").OK().Body; strings.Count(text, "canary") != 2 {
					t.Error(text)
				}
				c.lose(s, id)
				want := c.want
				if strings.Contains(want, "%d") {
					want = fmt.Sprintf(want, s.ChannelID("secret"), id)
				}
				check := func(where, content, all string) {
					if content != want || strings.Contains(all, "canary") || strings.Contains(all, "<b>") &&
						!strings.Contains(all, ` > <b>`) {
						t.Errorf("%s: %q\nwant %q\n%s", where, content, want, all)
					}
				}
				list := alice.Do("GET /reminders").OK()
				check("GET /reminders", list.String("reminders.0.content"), list.Body)
				html := list.String("reminders.0.rendered_content")
				if !strings.Contains(html, "<blockquote>\n<p>*buy*<br>\n&lt;b&gt;</p>\n</blockquote>") {
					t.Error(html)
				}
				reg := alice.Do("POST /register", "fetch_event_types", `["reminders"]`).OK()
				check("POST /register", reg.String("reminders.0.content"), reg.Body)
				if all := strings.Join(queue.Texts(), "\n"); !strings.Contains(all, `"op":"add"`) ||
					strings.Contains(all, "canary") {
					t.Errorf("events: %s", all)
				}
				s.Clock.Advance(2 * time.Hour)
				deliver(s)
				sent := alice.Do("GET /messages", "anchor", "newest", "num_before", "1", "num_after", "0", "narrow",
					`[["is","dm"]]`, "apply_markdown", "false").OK()
				check("the message", sent.String("messages.0.content"), sent.Body)
			})
		})
	}
}
