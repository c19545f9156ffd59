package oracle_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stoachat/stoa/app/kittest"
)

// model is what a correct client can know from /register and later events alone. It stores lists of records by key,
// because their order does not matter.
type model struct {
	me      int64
	client  asks
	channel map[string]object
	of      map[string]string // channel to "subscriptions", "unsubscribed" or "never_subscribed"
	keyed   map[string]map[string]object
	plain   map[string]any
	unread  map[int64]string // message to conversation
	starred map[int64]bool
	texts   map[int64]knownMessage // messages that the client has
	named   map[int64]bool         // unread messages with mentions
	counted any                    // unread count according to the server
	muted   bool                   // something was muted at registration, so not all mentions are known
	changed map[string]bool        // inherited subscription settings that the client cannot distinguish from explicit ones
}

type object = map[string]any

// keys lists the key fields of the lists in a response of /register.
var keys = map[string][]string{
	"realm_users": {"user_id"}, "realm_non_active_users": {"user_id"}, "realm_user_groups": {"id"},
	"realm_bots":  {"user_id"},
	"user_topics": {"stream_id", "topic_name"}, "muted_users": {"id"}, "channel_folders": {"id"},
	"realm_domains":    {"domain"},
	"navigation_views": {"fragment"}, "drafts": {"id"}, "saved_snippets": {"id"},
	"scheduled_messages": {"scheduled_message_id"}, "reminders": {"reminder_id"},
}

// skipped maps keys without events to the reason for that.
var skipped = map[string]string{
	"queue_id": "another queue", "last_event_id": "another queue", "server_timestamp": "time",
	"max_message_id": "of all history",
	"presences":      "clients ask for it", "presence_last_update_id": "clients ask for it",
	"recent_private_conversations":  "a client adds what it sends itself; deletions are not told of",
	"streams":                       "the same records as the three lists of subscriptions",
	"realm_filters":                 "the older form of realm_linkifiers",
	"realm_wildcard_mention_policy": "computed from a group setting", "realm_create_private_stream_policy": "computed",
	"realm_create_public_stream_policy": "computed", "realm_create_web_public_stream_policy": "computed",
	"can_create_private_streams": "computed by clients from groups", "can_create_public_streams": "computed",
	"can_create_streams":            "computed",
	"can_create_web_public_streams": "computed", "can_invite_others_to_realm": "computed",
	"can_subscribe_other_users": "computed",
}

func number(v any) int64 { f, _ := v.(float64); return int64(f) }

func keyOf(r object, fields []string) string {
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = strings.ToLower(fmt.Sprint(r[f]))
	}
	return strings.Join(parts, "/")
}

// newModel reads a response of /register.
func newModel(a *kittest.Response, c asks) *model {
	var all object
	a.JSON(&all)
	m := &model{
		me: number(all["user_id"]), client: c, channel: map[string]object{}, of: map[string]string{},
		keyed: map[string]map[string]object{},
		plain: object{}, unread: map[int64]string{}, starred: map[int64]bool{}, named: map[int64]bool{},
		texts: map[int64]knownMessage{}, changed: map[string]bool{},
	}
	for key, v := range all {
		switch {
		case skipped[key] != "":
		case key == "subscriptions" || key == "unsubscribed" || key == "never_subscribed":
			for _, r := range v.([]any) {
				m.put(key, r.(object))
			}
		case key == "unread_msgs":
			m.readUnread(v.(object))
		case key == "starred_messages":
			for _, id := range v.([]any) {
				m.starred[number(id)] = true
			}
		case keys[key] != nil:
			m.keyed[key] = map[string]object{}
			for _, r := range v.([]any) {
				m.keyed[key][keyOf(r.(object), keys[key])] = r.(object)
			}
		default:
			m.plain[key] = v
		}
	}
	m.muted = m.mutes()
	return m
}

func (m *model) put(list string, c object) {
	id := fmt.Sprint(c["stream_id"])
	m.channel[id], m.of[id] = c, list
}

func (m *model) readUnread(v object) {
	take := func(list string, conversation func(object) string) {
		for _, g := range v[list].([]any) {
			for _, id := range g.(object)["unread_message_ids"].([]any) {
				m.unread[number(id)] = conversation(g.(object))
			}
		}
	}
	take("streams", func(g object) string { return channelKey(g["stream_id"], g["topic"]) })
	take("pms", func(g object) string { return fmt.Sprintf("dm %d", number(g["other_user_id"])) })
	take("huddles", func(g object) string { return "dm " + g["user_ids_string"].(string) })
	for _, id := range v["mentions"].([]any) {
		m.named[number(id)] = true
	}
	m.counted = v["count"]
}

func channelKey(id, topic any) string {
	return fmt.Sprintf("channel %d/%s", number(id), strings.ToLower(fmt.Sprint(topic)))
}

// flat returns the model as JSON values, which can be compared.
func (m *model) flat() object {
	out := maps.Clone(m.plain)
	for key, list := range m.keyed {
		all := object{}
		for k, r := range list {
			all[k] = r
		}
		out[key] = all
	}
	channels := object{}
	for id, c := range m.channel {
		c = maps.Clone(c)
		c["list"] = m.of[id]
		for _, list := range []string{"subscribers"} {
			if s, ok := c[list].([]any); ok {
				c[list] = sorted(s)
			}
		}
		channels[id] = c
	}
	out["channels"] = channels
	m.flattenSettings(out)
	unread, starred, named := object{}, object{}, object{}
	for id, c := range m.unread {
		unread[fmt.Sprint(id)] = c
	}
	for id := range m.starred {
		starred[fmt.Sprint(id)] = true
	}
	for id := range m.named {
		if c, still := m.unread[id]; still && !m.archived(c) {
			named[fmt.Sprint(id)] = true
		}
	}
	out["unread"], out["starred"], out["mentions"], out["unread count"] = unread, starred, named, m.count()
	out["muted"], out["mutes"] = m.muted, m.muted || m.mutes()
	return out
}

// archived reports whether a conversation is in a channel hidden from the client. The client cannot know whether it is
// muted, and therefore which mentions count.
func (m *model) archived(conversation string) bool {
	var id string
	_, err := fmt.Sscanf(conversation, "channel %s", &id)
	id, _, _ = strings.Cut(id, "/")
	return err == nil && !m.client.can["archived_channels"] && m.channel[id] == nil
}

// count returns the number of unread messages outside of muted places, or nil if the client cannot know it.
func (m *model) count() any {
	n := 0
	for _, c := range m.unread {
		place, isChannel := strings.CutPrefix(c, "channel ")
		id, _, _ := strings.Cut(place, "/")
		topic := m.keyed["user_topics"][place]
		switch {
		case m.archived(c):
			return nil
		case !isChannel:
			n++
		case topic != nil && number(topic["visibility_policy"]) == 1:
		case topic == nil && m.channel[id] != nil && m.channel[id]["is_muted"] == true:
		default:
			n++
		}
	}
	return float64(n)
}

func (m *model) mutes() bool {
	for _, c := range m.channel {
		if c["is_muted"] == true {
			return true
		}
	}
	return len(m.keyed["user_topics"]) > 0
}

func sorted(ids []any) []any {
	ids = slices.Clone(ids)
	slices.SortFunc(ids, func(a, b any) int { return int(number(a) - number(b)) })
	return ids
}

// differences returns the paths at which two values differ, with both values.
func differences(path string, events, register any) []string {
	a, isA := events.(object)
	b, isB := register.(object)
	if !isA || !isB {
		x, _ := json.Marshal(events)
		y, _ := json.Marshal(register)
		if string(x) == string(y) {
			return nil
		}
		return []string{fmt.Sprintf("%s: by events %.300s, by register %.300s", path, x, y)}
	}
	var out []string
	all := maps.Clone(a)
	maps.Copy(all, b)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		x, inA := a[key]
		y, inB := b[key]
		switch {
		case !inA:
			text, _ := json.Marshal(y)
			out = append(out, fmt.Sprintf("%s.%s: only by register: %.300s", path, key, text))
		case !inB:
			text, _ := json.Marshal(x)
			out = append(out, fmt.Sprintf("%s.%s: only by events: %.300s", path, key, text))
		default:
			out = append(out, differences(path+"."+key, x, y)...)
		}
	}
	return out
}
