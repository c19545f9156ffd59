package access_test

import (
	"fmt"
	"slices"
	"strings"
)

// messages returns messages in channels of every kind and direct messages, sent by olga or by the caller.
func messages() *family { return messagesOf("x") }

// polls returns messages with a widget.
func polls() *family { return messagesOf("/poll x") }

func messagesOf(text string) *family {
	f := &family{
		name: "message", sees: cell.seesMessage,
		make:    func(w *fixture, v variant, who []*caller) object { return makeMessageWith(w, v, who, text) },
		missing: map[string]string{"id": "987654321", "message_id": "987654321"},
	}
	for _, kind := range []string{"web-public", "public", "private", "protected", "archived public", "archived private",
		"archived protected"} {
		for _, relation := range []string{"subscribed", "formerly", "late", "never", "administers", "adds", "subscribes",
			"own", "own, left"} {
			f.variants = append(f.variants, variant{kind: kind, relation: relation, each: strings.HasPrefix(relation, "own")})
		}
	}
	for _, relation := range []string{"recipient", "own", "stranger"} {
		f.variants = append(f.variants, variant{kind: "direct", relation: relation, each: relation != "stranger"})
	}
	return f
}

// makeMessageWith sends a message with the given text.
func makeMessageWith(w *fixture, v variant, who []*caller, text string) object {
	w.t.Helper()
	by := w.olga
	if len(who) == 1 && strings.HasPrefix(v.relation, "own") && who[0].inRealm() {
		by = who[0]
	}
	topic := "about " + w.fresh()
	if v.kind == "direct" {
		to := w.fields["bob"]
		switch {
		case by != w.olga:
			to = fmt.Sprint(w.olga.id)
		case v.relation == "recipient" && who[0].inRealm():
			to = fmt.Sprint(who[0].id)
		}
		return w.post(by, object{map[string]string{"topic": topic, "stream_id": w.fields["lobby"]}}, "type", "direct", "to",
			"["+to+"]", "content", text)
	}
	kind, relation := strings.TrimPrefix(v.kind, "archived "), v.relation
	switch relation {
	case "formerly", "own", "own, left":
		relation = "subscribed"
	case "late":
		relation = "never"
	}
	ch := makeChannel(w, variant{kind: kind, relation: relation}, who)
	o := w.post(by, object{map[string]string{"topic": topic, "stream_id": ch.fields["id"]}}, "type", "channel", "to",
		ch.fields["id"], "topic", topic, "content", text)
	switch v.relation {
	case "formerly", "own, left":
		w.leave(ch, who)
	case "late":
		w.join(ch, who)
	}
	if kind != v.kind {
		w.do("DELETE /streams/" + ch.fields["id"])
	}
	return o
}

// post sends a message and adds its ID to an object.
func (w *fixture) post(by *caller, o object, params ...string) object {
	w.t.Helper()
	id := fmt.Sprint(w.ask(by, "POST /messages", params...).OK().Int("id"))
	o.fields["id"], o.fields["message_id"] = id, id
	return o
}

// The rules for access to messages.

// received reports whether the message was sent to the caller and the caller's account is still active.
func (x cell) received() bool {
	return x.c.inRealm() &&
		slices.Contains([]string{"subscribed", "formerly", "own", "own, left", "recipient"}, x.v.relation)
}

// own reports whether the caller sent the message.
func (x cell) own() bool { return x.c.inRealm() && strings.HasPrefix(x.v.relation, "own") }

func (x cell) seesMessage() bool {
	switch {
	case x.kind() == "direct":
		return x.received()
	case x.kind() == "protected":
		return x.canRead() && x.received()
	}
	return x.canRead()
}

// has reports whether the caller has received the message and still has access to it.
func (x cell) has() bool { return x.seesMessage() && x.received() }

// canAct reports whether the caller is allowed to act on the message.
func (x cell) canAct() bool { return x.seesMessage() && !x.archived() }
