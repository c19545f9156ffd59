package oracle_test

import (
	"fmt"
	"slices"
	"strings"
)

func (m *model) message(typ, op string, e object) error {
	switch typ {
	case "message":
		msg := e["message"].(object)
		id := number(msg["id"])
		m.learn(msg, e["flags"].([]any))
		for _, f := range e["flags"].([]any) {
			switch f {
			case "mentioned", "stream_wildcard_mentioned", "topic_wildcard_mentioned":
				m.named[id] = true
			case "starred":
				m.starred[id] = true
			}
		}
		if !slices.Contains(e["flags"].([]any), any("read")) {
			m.unread[id] = m.conversation(msg)
		}
	case "update_message":
		m.rewrite(e)
		m.update(e)
	case "delete_message":
		ids, _ := e["message_ids"].([]any)
		if bulk := m.client.can["bulk_message_deletion"]; bulk == (e["message_id"] != nil) || bulk == (ids == nil) {
			return fmt.Errorf("delete_message to a client whose bulk_message_deletion is %v", bulk)
		}
		if e["message_id"] != nil {
			ids = append(ids, e["message_id"])
		}
		for _, id := range ids {
			delete(m.texts, number(id))
			delete(m.unread, number(id))
			delete(m.starred, number(id))
			delete(m.named, number(id))
		}
	case "update_message_flags":
		return m.flags(op, e)
	}
	return nil
}

func (m *model) conversation(msg object) string {
	if msg["type"] == "stream" {
		return channelKey(msg["stream_id"], msg["subject"])
	}
	var ids []int64
	for _, r := range msg["display_recipient"].([]any) {
		ids = append(ids, number(r.(object)["id"]))
	}
	return m.direct(ids)
}

func (m *model) direct(ids []int64) string {
	slices.Sort(ids)
	ids = slices.Compact(ids)
	switch len(ids) {
	case 1:
		return fmt.Sprintf("dm %d", ids[0])
	case 2:
		if ids[0] == m.me {
			return fmt.Sprintf("dm %d", ids[1])
		}
		return fmt.Sprintf("dm %d", ids[0])
	}
	return "dm " + strings.Trim(strings.ReplaceAll(fmt.Sprint(ids), " ", ","), "[]")
}

func (m *model) update(e object) {
	if flags, ok := e["flags"].([]any); ok && e["message_id"] != nil {
		id := number(e["message_id"])
		delete(m.named, id)
		for _, f := range flags {
			if strings.HasSuffix(fmt.Sprint(f), "mentioned") {
				m.named[id] = true
			}
		}
	}
	topic, moved := e["subject"]
	if !moved && e["new_stream_id"] == nil {
		return
	}
	if !moved {
		topic = e["orig_subject"]
	}
	channel := e["stream_id"]
	if e["new_stream_id"] != nil {
		channel = e["new_stream_id"]
	}
	subscribed := m.of[fmt.Sprint(channel)] == "subscriptions"
	for _, id := range e["message_ids"].([]any) {
		if !subscribed { // a channel has unread messages only for subscribers
			delete(m.unread, number(id))
		}
		if _, unread := m.unread[number(id)]; unread {
			m.unread[number(id)] = channelKey(channel, topic)
		}
	}
}

func (m *model) flags(op string, e object) error {
	m.mark(op, e)
	if e["all"] == true {
		m.unread = map[int64]string{}
		return nil
	}
	for _, v := range e["messages"].([]any) {
		id := number(v)
		switch e["flag"] {
		case "read":
			if op == "add" {
				delete(m.unread, id)
				continue
			}
			d, ok := e["message_details"].(object)[fmt.Sprint(id)].(object)
			if !ok {
				return fmt.Errorf("message %d is unread again, without details", id)
			}
			m.unread[id] = m.detailed(d)
			if d["mentioned"] == true {
				m.named[id] = true
			}
		case "starred":
			if m.starred[id] = op == "add"; op == "remove" {
				delete(m.starred, id)
			}
		case "mentioned", "stream_wildcard_mentioned", "topic_wildcard_mentioned":
			if m.named[id] = op == "add"; op == "remove" {
				delete(m.named, id)
			}
		}
	}
	return nil
}

func (m *model) detailed(d object) string {
	if d["type"] == "stream" {
		return channelKey(d["stream_id"], d["topic"])
	}
	ids := []int64{m.me}
	for _, u := range d["user_ids"].([]any) {
		ids = append(ids, number(u))
	}
	return m.direct(ids)
}
