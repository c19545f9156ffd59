package conformance_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/proof/internal/harness"
	"github.com/stoachat/stoa/modules/kit/openapi"
)

// TestIdempotent sends each operation twice that is described as safe to repeat: the second request must succeed, too,
// and cause no event.
func TestIdempotent(t *testing.T) {
	harness.SQLiteSuffices(t, "modules decide what changes")
	s := startAll(t)
	general := fmt.Sprint(s.ChannelID("general"))
	sent := s.As("bob").Do("POST /messages", "type", "channel", "to", general, "topic", "cakes", "content", "Pie").OK()
	id := fmt.Sprint(sent.Int("id"))
	requests := map[string][]string{
		"addAlertWords":      {"alice", "POST /users/me/alert_words", "alert_words", `["pie"]`},
		"addDefaultChannel":  {"adam", "POST /default_streams", "stream_id", general},
		"markAllAsRead":      {"alice", "POST /mark_all_as_read"},
		"markOnboardingStep": {"alice", "POST /users/me/onboarding_steps", "onboarding_step", "intro_inbox_view_modal"},
		"markStreamAsRead":   {"guest", "POST /mark_stream_as_read", "stream_id", general},
		"markTopicAsRead":    {"olga", "POST /mark_topic_as_read", "stream_id", general, "topic_name", "cakes"},
		"putBotStorage":      {"bot", "PUT /bot_storage", "storage", `{"pie":"apple"}`},
		"removeAlertWords":   {"alice", "DELETE /users/me/alert_words", "alert_words", `["pie"]`},
		"setTopicPolicy": {
			"alice", "POST /user_topics", "stream_id", general, "topic", "cakes", "visibility_policy", "3",
		},
		"subscribe":          {"bob", "POST /users/me/subscriptions", "subscriptions", `[{"name":"kitchen"}]`},
		"updateMessageFlags": {"alice", "POST /messages/flags", "messages", "[" + id + "]", "op", "add", "flag", "starred"},
		"updateOwnStatus":    {"alice", "POST /users/me/status", "status_text", "baking"},
		"updateRealm":        {"adam", "PATCH /realm", "name", "Bakery"},
		"updateSettings":     {"alice", "PATCH /settings", "twenty_four_hour_time", "true"},
	}
	d := openapi.New(openapi.Source{Modules: s.App.Modules()})
	for _, p := range d.Paths {
		for method, o := range p.Operations() {
			if o.Idempotent != true || method == "GET" {
				continue
			}
			r := requests[o.ID]
			if r == nil {
				t.Errorf("%s is described as safe to repeat: add a request", o.ID)
				continue
			}
			delete(requests, o.ID)
			s.As(r[0]).Do(r[1], r[2:]...).OK()
			s.Skip()
			s.As(r[0]).Do(r[1], r[2:]...).OK()
			if again := s.Log(); len(again) > 0 {
				t.Errorf("%s: the second request causes %d events, the first %s", o.ID, len(again), again[0].Type)
			}
		}
	}
	for id := range requests {
		t.Errorf("%s is not described as safe to repeat", id)
	}
}
