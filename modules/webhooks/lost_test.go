package webhooks_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// A webhook that cannot be posted is reported to the bot's owner and in the response.
func TestLost(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		h := start(t, database)
		const none = `{"result":"success","msg":""}`
		for _, c := range []struct {
			integration, query, header, body string
			status                           int
			response                         string
			why                              string // part of the notice; "": none
		}{
			{"slack_incoming", "&stream=general", "", `{}`, 200,
				`{"result":"success","msg":"Nothing was posted: the payload contains no text."}`, "contains no text."},
			{"github", "&stream=general", "X-GitHub-Event: workflow_job", `{"repository":{"name":"a"}}`, 200,
				`{"result":"error","msg":"*","code":"UNSUPPORTED_WEBHOOK_EVENT_TYPE","webhook_name":"GitHub",
				"event_type":"workflow_job"}`, "events of the type `workflow_job` are not supported"},
			{"jira", "&stream=general", "", `{"a":1}`, 400,
				`{"result":"error","msg":"*","code":"ANOMALOUS_WEBHOOK_PAYLOAD","webhook_name":"Jira"}`,
				"webhookEvent is missing. Check that the URL belongs to this service."},
			{"jira", "&stream=general", "", `[1]`, 400,
				`{"result":"error","msg":"*","code":"ANOMALOUS_WEBHOOK_PAYLOAD","webhook_name":"Jira"}`, "not a JSON object"},
			{"slack_incoming", "&stream=general", "", ``, 400,
				`{"result":"error","msg":"*","code":"REQUEST_VARIABLE_MISSING","var_name":"payload"}`, "without `payload`"},
			{"github", "&stream=general&webhook_secret=s", "X-GitHub-Event: push", push, 400,
				`{"result":"error","msg":"The webhook's signature is wrong.","code":"BAD_REQUEST"}`, "signature does not match"},
			{"github", "&stream=general&topic=a%07", "X-GitHub-Event: push", push, 400,
				`{"result":"error","msg":"*","code":"BAD_REQUEST"}`, "the message was refused: Invalid character in topic"},
			// Meant to produce no message.
			{"github", "&stream=general&exclude_events=%5B%22workflow_*%22%5D", "X-GitHub-Event: workflow_job",
				`{"repository":{"name":"a"}}`, 200, none, ""},
			{"github", "&stream=general&branches=dev", "X-GitHub-Event: push", push, 200, none, ""},
			{"jenkins", "&stream=general", "", `{"name":"a","build":{"phase":"COMPLETED"}}`, 200, none, ""},
			{"gitlab", "&stream=general&ignore_private_repositories=true", "X-Gitlab-Event: Job Hook",
				`{"object_kind":"build","ref":"main","build_status":"failed","repository":{"name":"a","visibility_level":"0"}}`,
				200, none, ""},
			{"github", "&stream=general&ignore_private_repositories=true", "X-GitHub-Event: push",
				`{"ref":"refs/heads/a","after":"1","repository":{"name":"a","private":"maybe"}}`, 400,
				`{"result":"error","msg":"*","code":"ANOMALOUS_WEBHOOK_PAYLOAD","webhook_name":"GitHub"}`,
				"repository.private is missing"},
		} {
			h.Clock.Advance(time.Hour)
			h.Skip()
			h.post(c.integration, c.query, c.header, c.body).Is(c.status, c.response)
			if c.why == "" {
				h.NoEvents()
			} else if got := h.last(); !strings.HasPrefix(got, "private/") || !strings.Contains(got, c.why) {
				t.Errorf("%s %s: notice %s, want %q", c.integration, c.body, got, c.why)
			}
		}

		// At most once in an hour for each integration of the bot.
		h.Clock.Advance(time.Hour)
		h.post("jira", "", "", `{}`)
		h.Skip()
		h.Clock.Advance(59 * time.Minute)
		h.post("jira", "", "", `{}`)
		h.NoEvents()
		h.post("stripe", "", "", `{}`)
		if got := h.last(); !strings.Contains(got, "received a Stripe webhook that was not posted: data is missing.") {
			t.Errorf("notice %s", got)
		}
		// A mention that the bot is not allowed to use notifies nobody, but does not stop the message.
		h.post("slack_incoming", "&stream=general", "", `{"text":"Hi @*role:members*"}`).OK()
		if got := h.last(); !strings.HasSuffix(got, ": Hi @*role:members*") {
			t.Errorf("message %s", got)
		}
		if flags := h.As("alice").Do("GET /messages", "anchor", "newest", "num_before", "1", "num_after",
			"0").OK().Get("messages.0.flags"); kittest.JSON(flags) != "[]" {
			t.Errorf("flags %v", flags)
		}
		// Nested so deeply that its indentation would take a hundred megabytes.
		const levels = 9000
		h.post("json", "&stream=general", "", strings.Repeat("[", levels)+strings.Repeat("]", levels)).OK()
		if got := h.last(); strings.Count(got, "[") > 200 {
			t.Errorf("message %s", got)
		}
		// People who use their own key are notified themselves.
		c := h.Anonymous()
		c.RoundTrip(c.Request("POST /external/slack_incoming?stream=general&api_key="+h.As("alice").Key(),
			strings.NewReader(`{"text":null}`))).OK()
		if got := h.last(); !strings.Contains(got, ": Your account received a Slack Incoming webhook that was not posted") {
			t.Errorf("notice %s", got)
		}
	})
}
