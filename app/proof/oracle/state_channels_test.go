package oracle_test

import (
	"fmt"
	"maps"
	"strings"
)

var personal = []string{
	"color", "is_muted", "in_home_view", "pin_to_top", "desktop_notifications", "audible_notifications",
	"push_notifications",
	"email_notifications", "wildcard_mentions_notify",
}

// inherited maps a subscription's settings to the user's settings that provide their defaults.
var inherited = map[string]string{
	"desktop_notifications":    "enable_stream_desktop_notifications",
	"audible_notifications":    "enable_stream_audible_notifications",
	"push_notifications":       "enable_stream_push_notifications",
	"email_notifications":      "enable_stream_email_notifications",
	"wildcard_mentions_notify": "wildcard_mentions_notify",
}

// inherits records which subscription settings follow the user's settings, for clients that cannot tell them apart.
func (m *model) inherits(typ, setting string) {
	for name, from := range inherited {
		if typ == "user_settings" && from == setting && !m.client.can["notification_settings_null"] {
			m.changed[name] = true
		}
	}
}

func (m *model) stream(op string, e object) error {
	switch op {
	case "create":
		for _, r := range e["streams"].([]any) {
			c := r.(object)
			id := fmt.Sprint(c["stream_id"])
			if was := m.channel[id]; was != nil && e["for_unarchiving"] != true {
				return fmt.Errorf("stream/create of %s, which is known", id)
			}
			if m.client.lists != "false" {
				c["subscribers"] = []any{} // listed by peer_add
			}
			m.put("never_subscribed", c)
		}
	case "delete":
		for _, id := range e["stream_ids"].([]any) {
			key := fmt.Sprint(id)
			if m.channel[key] == nil {
				return fmt.Errorf("stream/delete of %s, which is not known", key)
			}
			delete(m.channel, key)
			delete(m.of, key)
		}
	case "update":
		c := m.channel[fmt.Sprint(e["stream_id"])]
		if c == nil {
			return fmt.Errorf("stream/update of %v, which is not known", e["stream_id"])
		}
		c[e["property"].(string)] = e["value"]
		for _, k := range []string{"rendered_description", "history_public_to_subscribers", "is_web_public"} {
			if v, given := e[k]; given {
				c[k] = v
			}
		}
	default:
		return fmt.Errorf("unknown op %s", op)
	}
	return nil
}

func (m *model) subscription(op string, e object) error {
	switch op {
	case "add":
		for _, r := range e["subscriptions"].([]any) {
			for name := range inherited {
				if r.(object)[name] == nil && !m.client.can["notification_settings_null"] {
					return fmt.Errorf("subscription/add does not say %s", name)
				}
			}
			m.put("subscriptions", r.(object))
		}
	case "remove":
		for _, r := range e["subscriptions"].([]any) {
			key := fmt.Sprint(r.(object)["stream_id"])
			if m.of[key] != "subscriptions" {
				return fmt.Errorf("subscription/remove of %s, which is not subscribed to", key)
			}
			m.of[key] = "unsubscribed"
			m.change(key, without, m.me)
		}
	case "update":
		c := m.channel[fmt.Sprint(e["stream_id"])]
		if c == nil {
			return fmt.Errorf("subscription/update of %v, which is not known", e["stream_id"])
		}
		c[e["property"].(string)] = e["value"]
	case "peer_add", "peer_remove":
		how := with
		if op == "peer_remove" {
			how = without
		}
		for _, id := range e["stream_ids"].([]any) {
			key := fmt.Sprint(id)
			if m.channel[key] == nil {
				return fmt.Errorf("%s of channel %s, which is not known", op, key)
			}
			for _, u := range e["user_ids"].([]any) {
				if number(u) == m.me {
					return fmt.Errorf("%s of channel %s about oneself", op, key)
				}
				m.change(key, how, number(u))
			}
		}
	default:
		return fmt.Errorf("unknown op %s", op)
	}
	return nil
}

// change adds a subscriber to a channel's known lists, or removes one.
func (m *model) change(channel string, how func(list, ids any) any, user int64) {
	c := m.channel[channel]
	if m.client.lists == "false" {
		return
	}
	c["subscribers"] = how(c["subscribers"], []any{float64(user)})
	c["subscriber_count"] = float64(len(c["subscribers"].([]any)))
}

// settle removes differences in facts that a client cannot know: the oldest message of a channel that it does not read,
// the personal settings of a subscription that it cannot see, and which mentions do not count because they are in muted
// places.
func settle(m *model, events, register object) {
	known, fresh := events["channels"].(object), register["channels"].(object)
	for id, v := range fresh {
		now := v.(object)
		was, ok := known[id].(object)
		if !ok {
			continue
		}
		for name := range inherited {
			if _, own := now[name]; own && m.changed[name] {
				was[name] = now[name]
			}
		}
		if m.client.lists == "false" { // the client cannot count subscribers that it does not know
			was["subscriber_count"] = now["subscriber_count"]
		}
		was["stream_weekly_traffic"] = now["stream_weekly_traffic"] // sent together with the next record
		if was["first_message_id"] == nil {
			was["first_message_id"] = now["first_message_id"]
		}
		if was["list"] == "never_subscribed" && now["list"] == "unsubscribed" { // visible again after some time
			was["list"] = "unsubscribed"
			for _, k := range personal {
				was[k] = now[k]
			}
		}
	}
	for _, side := range []object{events, register} { // old clients need an entry for every ID
		if m.client.can["user_list_incomplete"] {
			continue
		}
		maps.DeleteFunc(side["realm_users"].(object),
			func(_ string, v any) bool { return v.(object)["full_name"] == "Unknown user" })
	}
	settleAvatars(events, register)
	me, _ := register["realm_users"].(object)[fmt.Sprint(number(register["user_id"]))].(object)
	if me != nil && me["avatar_url"] == nil { // the client computes it
		delete(events, "avatar_url")
		delete(register, "avatar_url")
		delete(events, "avatar_url_medium")
		delete(register, "avatar_url_medium")
	}
	knownMessage, counted := events["mentions"].(object), register["mentions"].(object)
	if events["mutes"] == true || register["mutes"] == true { // channel mentions in muted places do not count
		maps.DeleteFunc(knownMessage, func(id string, _ any) bool { return counted[id] == nil })
	}
	if events["muted"] == true { // the client may not have received all mentions
		maps.DeleteFunc(counted, func(id string, _ any) bool { return knownMessage[id] == nil })
	}
	if events["unread count"] == nil {
		delete(events, "unread count")
		delete(register, "unread count")
	}
	for _, side := range []object{events, register} {
		delete(side, "muted")
		delete(side, "mutes")
	}
}

// settleAvatars removes the URLs of avatars that the client computes: records omit them, but events contain them.
func settleAvatars(events, register object) {
	for _, list := range []string{"realm_users", "realm_non_active_users"} {
		known, _ := events[list].(object)
		fresh, _ := register[list].(object)
		for id, v := range fresh {
			was, ok := known[id].(object)
			now := v.(object)
			if url, _ := was["avatar_url"].(string); ok && now["avatar_url"] == nil &&
				strings.HasPrefix(url, "https://secure.gravatar.com/avatar/") &&
				strings.HasSuffix(url, fmt.Sprint("version=", number(was["avatar_version"]))) {
				was["avatar_url"] = nil
			}
		}
	}
}
