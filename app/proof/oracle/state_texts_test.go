package oracle_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stoachat/stoa/app/kittest"
)

// knownMessage is what a client knows about a message.
type knownMessage = object

func (m *model) html() bool {
	i := slices.Index(m.client.more, "apply_markdown")
	return i >= 0 && m.client.more[i+1] == "true"
}

// learn stores a message if the client will receive its events, which it does not for channels without a subscription.
func (m *model) learn(msg object, flags []any) {
	if msg["type"] == "private" || m.of[fmt.Sprint(msg["stream_id"])] == "subscriptions" {
		m.texts[number(msg["id"])] = textOf(msg, flags)
	}
}

// leave drops the messages in channels that the client is not subscribed to.
func (m *model) leave() {
	maps.DeleteFunc(m.texts, func(_ int64, t knownMessage) bool {
		return t["channel"] != nil && m.of[fmt.Sprint(t["channel"])] != "subscriptions"
	})
}

func textOf(msg object, flags []any) knownMessage {
	t := knownMessage{"content": msg["content"], "topic": msg["subject"], "channel": msg["stream_id"]}
	said, marked := object{}, object{}
	for _, r := range msg["reactions"].([]any) {
		said[reaction(r.(object))] = true
	}
	for _, f := range flags {
		marked[f.(string)] = true
	}
	attached := object{}
	for _, s := range msg["submessages"].([]any) {
		attached[submessage(s.(object), "id")] = true
	}
	t["reactions"], t["flags"], t["submessages"] = said, marked, attached
	return t
}

func submessage(r object, id string) string {
	return fmt.Sprint(number(r[id]), " ", number(r["sender_id"]), " ", r["msg_type"], " ", r["content"])
}

// attach adds a submessage to a message.
func (m *model) attach(e object) {
	if t := m.texts[number(e["message_id"])]; t != nil {
		t["submessages"].(object)[submessage(e, "submessage_id")] = true
	}
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

// rewrite applies an edit or a move.
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
	m.leave()
}

// mark sets or removes a flag on messages, or on all known ones.
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

// read fetches messages as the client displays them, oldest first.
func (l *listener) read(params ...string) (msgs []object, err error) {
	a := l.ask.Do("GET /messages", append(params, "apply_markdown", fmt.Sprint(l.model.html()), "allow_empty_topic_name",
		fmt.Sprint(l.client.can["empty_topic_name"]))...)
	if a.Status != 200 {
		return nil, fmt.Errorf("no messages: %d %s", a.Status, a.Body)
	}
	var res struct{ Messages []object }
	a.JSON(&res)
	return res.Messages, nil
}

// catchUp fetches the most recent messages, like a client starting up.
func (l *listener) catchUp() error {
	all, err := l.read("anchor", "newest", "num_before", "15", "num_after", "0")
	for _, msg := range all {
		l.model.learn(msg, msg["flags"].([]any))
	}
	return err
}

// reread compares the known messages with those that the client can read now.
func (l *listener) reread() []string {
	ids := slices.Sorted(maps.Keys(l.model.texts))
	if len(ids) == 0 {
		return nil
	}
	all, err := l.read("message_ids", kittest.JSON(ids))
	if err != nil {
		return []string{err.Error()}
	}
	var bad []string
	for _, msg := range all { // events do not say for which users a message is historical
		id := number(msg["id"])
		was, now := l.model.texts[id], textOf(msg, msg["flags"].([]any))
		for _, side := range []knownMessage{was, now} {
			maps.DeleteFunc(side["flags"].(object),
				func(f string, _ any) bool { return f == "historical" || strings.HasPrefix(f, "wildcard") })
		}
		bad = append(bad, differences(fmt.Sprintf("%s.message %d", l.name, id), was, now)...)
	}
	return bad
}
