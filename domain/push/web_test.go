package push

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/user"
)

// TestEncode checks that payloads fit the limit of push services, whatever their content, and that text is truncated
// before recipients are dropped.
func TestEncode(t *testing.T) {
	var many []user.ID
	for id := range 250 {
		many = append(many, user.ID(1000000+id))
	}
	for name, c := range map[string]struct {
		content    string
		recipients user.Set
		topic      string
		whole      bool // nothing is cut
	}{
		"short":         {content: "a <b> & c", whole: true},
		"wide":          {content: strings.Repeat("𝄞", MaxContent) + "…", whole: true},
		"wide for many": {content: strings.Repeat("𝄞", MaxContent) + "…", recipients: idset.Of(many...)},
		"escaped": {content: strings.Repeat("\u2028", MaxContent), topic: strings.Repeat("\u2028", 60),
			recipients: idset.Of(many...)},
		"nothing but ids": {recipients: idset.Of(many...), topic: strings.Repeat("\u2028", 200)},
	} {
		for _, payload := range []any{
			Message{Content: c.content, Recipients: c.recipients, Topic: c.topic},
			WebMessage{Message: Message{Content: c.content, Recipients: c.recipients, Topic: c.topic}, Badge: 7},
		} {
			b, err := Encode(payload, MaxPayload)
			var got WebMessage
			if err != nil || len(b) > MaxPayload || json.Unmarshal(b, &got) != nil {
				t.Errorf("%s: %d bytes, %v", name, len(b), err)
			}
			if whole := got.Content == c.content && len(got.Recipients) == len(c.recipients); whole != c.whole {
				t.Errorf("%s: %s", name, b)
			}
			if c.content != "" && (got.Content == "" || !strings.HasPrefix(c.content, strings.TrimSuffix(got.Content, "…"))) {
				t.Errorf("%s: the text became %q", name, got.Content)
			}
		}
	}
	if _, err := Encode(Message{Topic: strings.Repeat("x", 3000)}, MaxPayload); err == nil {
		t.Error("an oversized payload was encoded")
	}
}
