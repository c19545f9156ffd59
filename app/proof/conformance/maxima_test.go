package conformance_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/proof/internal/harness"
	"github.com/stoachat/stoa/modules/kit/openapi"
)

// TestMaxima sends, to each operation with a limited parameter, the largest value and one that is too large: only the
// latter is refused for its size, and a schema that states a limit is not wider than what the server accepts.
func TestMaxima(t *testing.T) {
	harness.SQLiteSuffices(t, "limits are checked before anything is stored")
	s := harness.StartAll(t)
	general, bob := fmt.Sprint(s.ChannelID("general")), fmt.Sprint(s.UserID("bob"))
	sent := fmt.Sprint(s.As("bob").Do("POST /messages", "type", "channel", "to", general, "topic", "x", "content", "x").
		Int("id"))
	group := fmt.Sprint(s.As("olga").Do("POST /user_groups/create", "name", "bakers", "description", "", "members",
		"[]").Int("group_id"))
	requests := map[string][]string{
		"addAlertWords":       {"POST /users/me/alert_words"},
		"createBot":           {"POST /bots", "short_name", "limit"},
		"createChannel":       {"POST /channels/create", "name", "limits", "subscribers", "[]"},
		"createChannelFolder": {"POST /channel_folders/create", "name", "limits", "description", ""},
		"createDefaultChannelGroup": {
			"POST /default_stream_groups/create", "group_name", "g", "description", "", "stream_names", "[]",
		},
		"createNavigationView": {"POST /navigation_views", "fragment", "narrow/search/limits", "is_pinned", "true"},
		"createReminder":       {"POST /reminders", "message_id", sent, "scheduled_delivery_timestamp", "4000000000"},
		"createSavedSnippet":   {"POST /saved_snippets", "title", "t", "content", "c"},
		"createUser": {
			"POST /users", "email", "limit@example.com", "full_name", "L", "password", "persimmon-limit-7",
		},
		"createUserGroup":  {"POST /user_groups/create", "name", "limited", "description", "", "members", "[]"},
		"deactivateUser":   {"DELETE /users/" + fmt.Sprint(s.UserID("guest"))},
		"muteTopic":        {"PATCH /users/me/subscriptions/muted_topics", "stream_id", general, "op", "add"},
		"reportMessage":    {"POST /messages/" + sent + "/report", "report_type", "other"},
		"setTopicPolicy":   {"POST /user_topics", "stream_id", general, "visibility_policy", "1"},
		"updateChannel":    {"PATCH /streams/" + general},
		"updateOwnStatus":  {"POST /users/me/status"},
		"updateSettings":   {"PATCH /settings"},
		"updateUser":       {"PATCH /users/" + bob},
		"updateUserGroup":  {"PATCH /user_groups/" + group},
		"updateUserStatus": {"POST /users/" + bob + "/status"},
	}
	d := openapi.New(openapi.Source{Modules: s.App.Modules()})
	for _, key := range slices.Sorted(maps.Keys(openapi.Maxima())) {
		id, name, _ := strings.Cut(key, ".")
		r, limit := requests[id], openapi.Maxima()[key]
		if r == nil {
			t.Errorf("%s has a limit: add a request", key)
			continue
		}
		if !d.Has(id, strings.TrimSuffix(name, "[]")) {
			t.Errorf("%s has a limit, but does not exist", key)
		}
		try := func(n int) *kittest.Response {
			value := strings.Repeat("x", n)
			if each := strings.HasSuffix(name, "[]"); each || id == "addAlertWords" {
				list := make([]string, n)
				for i := range list {
					list[i] = fmt.Sprint("w", i)
				}
				if each {
					list = []string{value}
				}
				text, err := json.Marshal(list)
				if err != nil {
					t.Fatal(err)
				}
				value = string(text)
			}
			params := []string{strings.TrimSuffix(name, "[]"), value}
			for pair := range slices.Chunk(r[1:], 2) {
				if pair[0] != params[0] {
					params = append(params, pair...)
				}
			}
			return s.As("olga").Do(r[0], params...)
		}
		over, most := try(limit+1), try(limit)
		if over.Status != 400 || most.Status == 400 && over.Get("msg") == most.Get("msg") {
			t.Errorf("%s has the limit %d:\nwith %d: %d %.200s\nwith %d: %d %.200s", key, limit, limit, most.Status, most.Body,
				limit+1, over.Status, over.Body)
		}
	}
}
