package webhooks_test

import (
	"strings"
	"testing"
)

// delivery is a request of a service, and the message that it becomes.
type delivery struct {
	integration string
	header      string // "Name: value"
	body        string
	topic, text string
}

// posts checks the messages that requests become.
func (h *hook) posts(t *testing.T, all []delivery) {
	t.Helper()
	for _, d := range all {
		h.post(d.integration, "&stream=general", d.header, d.body).Is(200, `{"result":"success","msg":""}`)
		topic, text, _ := strings.Cut(strings.TrimPrefix(h.last(), "stream/"), " by Zulip") // and the integration
		_, text, _ = strings.Cut(text, ": ")
		if topic != d.topic || text != d.text {
			t.Errorf("%s %s\n%s\nbecomes %q: %q\nwant    %q: %q", d.integration, d.header, d.body, topic, text, d.topic, d.text)
		}
	}
}
