package oracle_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// TestNoticeFlags checks that the flags in a connected client's events match the conditions for notifications, whether
// or not bob has them enabled.
func TestNoticeFlags(t *testing.T) {
	harness.SQLiteSuffices(t, "the rules do not use the database")
	w := newNoticed(t)
	w.As("bob").Do("POST /users/me/alert_words", "alert_words", `["shark"]`).OK()
	w.As("bob").Do("POST /messages", "type", "channel", "to", "general", "topic", "flags", "content", "I take part").OK()
	queue := w.As("bob").Register("event_types", `["message"]`)
	for _, on := range []string{"true", "false"} {
		for _, name := range []string{
			"wildcard_mentions_notify", "enable_offline_push_notifications", "enable_online_push_notifications",
			"enable_desktop_notifications",
		} {
			w.set(name, on)
		}
		for text, want := range map[string]string{
			"fish": `[]`, "@**Bob** fish": `["mentioned"]`, "@_**Bob** fish": `[]`, "a shark": `["has_alert_word"]`,
			"@**all** fish":   `["stream_wildcard_mentioned","wildcard_mentioned"]`,
			"@**topic** fish": `["topic_wildcard_mentioned","wildcard_mentioned"]`,
		} {
			w.As("olga").Do("POST /messages", "type", "channel", "to", "general", "topic", "flags", "content", text).OK()
			events := queue.Next()
			if len(events) != 1 || kittest.JSON(events[0]["flags"]) != want {
				t.Errorf("%q, notifications %s: %s, want flags %s", text, on, fmt.Sprint(events), want)
			}
		}
	}
}
