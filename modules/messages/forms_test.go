package messages_test

import (
	"fmt"
	"strings"
	"testing"
)

// Channels, groups and users are found by name in any Unicode normalization form, ignoring case where names ignore
// case. Links and mentions use the case of the stored name.
func TestFormsOfNames(t *testing.T) {
	s := startFull(t)
	const composed, decomposed, upper = "Café", "Cafe\u0301", "CAFÉ"
	cafe := makeChannel(s, composed, []string{"olga", "alice", "bob"})
	crew := s.As("olga").Do("POST /user_groups/create", "name", composed, "description", "", "members",
		ids(s, "bob")).OK().Int("group_id")
	s.As("bob").Do("PATCH /settings", "full_name", "Zoé").OK()
	q := listen(s, "bob", "narrow", fmt.Sprintf(`[["channel",%q]]`, decomposed))
	other := listen(s, "bob", "narrow", `[["channel","Cafe"]]`)
	var sent []string
	for _, name := range []string{composed, decomposed, upper, "ｃａｆé"} {
		id := post(s, "alice", name, "food", "x")
		sent = append(sent, fmt.Sprint(id))
		if got := q.poll(); len(got) != 1 {
			t.Errorf("%+q: %d messages", name, len(got))
		}
		if p := list(s, "bob", "anchor", "newest", "num_before", "10", "narrow",
			fmt.Sprintf(`[["channel",%q],["topic","food"]]`, name)); p.ids() != strings.Join(sent, " ") {
			t.Errorf("%+q: the narrow has %s, want %s", name, p.ids(), sent)
		}
	}
	if got := other.poll(); len(got) != 0 {
		t.Errorf("a narrow of a missing channel: %v", got)
	}
	s.As("alice").Do("POST /messages", "type", "stream", "to", "Cafe", "topic", "food", "content", "x").Error(400,
		"STREAM_DOES_NOT_EXIST", "")
	for _, c := range []struct{ text, want string }{
		{"#**" + decomposed + "**", fmt.Sprintf(`<a class="stream" data-stream-id="%d" `+
			`href="/#narrow/channel/%d-Caf.C3.A9">#Café</a>`, cafe, cafe)},
		{"#**" + decomposed + ">none**", fmt.Sprintf(`<a class="stream-topic" data-stream-id="%d" `+
			`href="/#narrow/channel/%d-Caf.C3.A9/topic/none">#Café &gt; none</a>`, cafe, cafe)},
		{"#**" + upper + "**", "#<strong>CAFÉ</strong>"},
		{"@*" + decomposed + "*", fmt.Sprintf(`<span class="user-group-mention" data-user-group-id="%d">@Café</span>`, crew)},
		{"@*" + upper + "*", "@<em>CAFÉ</em>"},
		{"@**zoe\u0301**", fmt.Sprintf(`<span class="user-mention" data-user-id="%d">@Zoé</span>`, s.UserID("bob"))},
		{fmt.Sprintf("@**Zoe\u0301|%d**", s.UserID("bob")),
			fmt.Sprintf(`<span class="user-mention" data-user-id="%d">@Zoé</span>`, s.UserID("bob"))},
	} {
		if got, want := content(s, post(s, "alice", "general", "names", c.text)), "<p>"+c.want+"</p>"; got != want {
			t.Errorf("%+q: got %s, want %s", c.text, got, want)
		}
	}
	if p := list(s, "bob", "anchor", "newest", "num_before", "10", "narrow",
		`[["is","mentioned"]]`); len(strings.Fields(p.ids())) != 3 {
		t.Errorf("bob is mentioned in %s", p.ids())
	}
}
