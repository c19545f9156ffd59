package proof_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stoachat/stoa/app/kittest"
)

// heard is what a client knows of a message of which it has heard.
type heard = object

func (m *model) html() bool {
	i := slices.Index(m.client.more, "apply_markdown")
	return i >= 0 && m.client.more[i+1] == "true"
}

// hear keeps a new message.
func (m *model) hear(msg object, flags []any) { m.texts[number(msg["id"])] = textOf(msg, flags) }

func textOf(msg object, flags []any) heard {
	t := heard{"content": msg["content"], "topic": msg["subject"], "channel": msg["stream_id"]}
	said, marked := object{}, object{}
	for _, r := range msg["reactions"].([]any) {
		said[reaction(r.(object))] = true
	}
	for _, f := range flags {
		marked[f.(string)] = true
	}
	t["reactions"], t["flags"] = said, marked
	return t
}

func reaction(r object) string {
	return fmt.Sprint(number(r["user_id"]), " ", r["reaction_type"], " ", r["emoji_code"], " ", r["emoji_name"])
}

func (m *model) react(op string, e object) {
	if t := m.texts[number(e["message_id"])]; t != nil {
		if t["reactions"].(object)[reaction(e)] = true; op == "remove" {
			delete(t["reactions"].(object), reaction(e))
		}
	}
}

// rewrite changes what an edit or a move has changed.
func (m *model) rewrite(e object) {
	if t := m.texts[number(e["message_id"])]; t != nil {
		content := "content"
		if m.html() {
			content = "rendered_content"
		}
		if v, given := e[content]; given {
			t["content"] = v
		}
		marked := object{}
		for _, f := range e["flags"].([]any) {
			marked[f.(string)] = true
		}
		t["flags"] = marked
	}
	for _, id := range e["message_ids"].([]any) {
		if t := m.texts[number(id)]; t != nil {
			if v, given := e["subject"]; given {
				t["topic"] = v
			}
			if v, given := e["new_stream_id"]; given {
				t["channel"] = v
			}
		}
	}
}

// mark sets or removes a flag of messages, or of all that are known.
func (m *model) mark(op string, e object) {
	ids := e["messages"].([]any)
	if e["all"] == true {
		for id := range m.texts {
			ids = append(ids, float64(id))
		}
	}
	for _, id := range ids {
		if t := m.texts[number(id)]; t != nil {
			if t["flags"].(object)[e["flag"].(string)] = true; op == "remove" {
				delete(t["flags"].(object), e["flag"].(string))
			}
		}
	}
}

// reread compares the messages of which a client has heard with what it may read now.
func (l *listener) reread() []string {
	ids := slices.Sorted(maps.Keys(l.model.texts))
	if len(ids) == 0 {
		return nil
	}
	var res struct{ Messages []object }
	l.ask.Do("GET /messages", "message_ids", kittest.JSON(ids), "apply_markdown", fmt.Sprint(l.model.html()),
		"allow_empty_topic_name", fmt.Sprint(l.client.can["empty_topic_name"])).OK().JSON(&res)
	var bad []string
	for _, msg := range res.Messages {
		id := number(msg["id"])
		was, now := l.model.texts[id], textOf(msg, msg["flags"].([]any))
		for _, side := range []heard{was, now} {
			maps.DeleteFunc(side["flags"].(object), func(f string, _ any) bool { return strings.HasPrefix(f, "wildcard") })
		}
		bad = append(bad, differences(fmt.Sprintf("%s.message %d", l.name, id), was, now)...)
	}
	return bad
}
