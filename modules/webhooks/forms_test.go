package webhooks_test

import (
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// postForm calls a webhook with a body that is declared as a form.
func (h *hook) postForm(integration, query, body string) *kittest.Response {
	h.t.Helper()
	return h.post(integration, query, "Content-Type: application/x-www-form-urlencoded", body)
}

// The fields of a form are data, whatever their names and however they are encoded.
func TestForms(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		h := start(t, database)
		for _, c := range []struct{ query, body, want string }{
			{"&topic=URL&template={{topic}}:+{{stream}}", "topic=a&stream=b&api_key=c", "/URL by ZulipJSONWebhook: a: b"},
			{"&template={{n}}", "n=" + strings.Repeat("&x=1", 600), "```"},
			{"&template={{n}}", "n=5" + strings.Repeat("&x=1", 600), ": 5"},
			{"&template={{n}}", "n=5&broken=90%&z=1", ": 5"},
			{"&template={{code+.n}}", "n=caf%e9", ": `caf\uFFFD`"},
			{"", "template=@**all**&topic_template=x", "/JSON by ZulipJSONWebhook: ```json\n{\n  \"template\": \"@**all**\","},
		} {
			h.postForm("json", "&stream=general"+c.query, c.body).OK()
			if got := h.last(); !strings.Contains(got, c.want) {
				t.Errorf("%s %.100s: %.300s, want %s", c.query, c.body, got, c.want)
			}
		}
		// What cannot be read at all is reported.
		h.postForm("json", "&stream=general", "%%%").Error(400, "INVALID_JSON", "Malformed JSON")
		if got := h.last(); !strings.Contains(got, "was not posted: the body is not JSON") {
			t.Errorf("notice %s", got)
		}
	})
}
