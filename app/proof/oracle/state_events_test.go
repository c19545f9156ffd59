package oracle_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// apply applies an event as clients do. It fails if the event cannot be applied.
func (m *model) apply(e object) error {
	op, _ := e["op"].(string)
	switch typ := e["type"].(string); typ {
	case "heartbeat", "presence", "typing", "invites_changed":
		return nil
	case "reaction":
		m.react(op, e)
	case "realm_user":
		return m.person(op, e["person"].(object))
	case "realm_bot":
		return m.record("realm_bots", op, e["bot"].(object))
	case "user_group":
		return m.group(op, e)
	case "stream":
		defer m.leave()
		return m.stream(op, e)
	case "subscription":
		defer m.leave()
		return m.subscription(op, e)
	case "realm":
		return m.realm(op, e)
	case "user_settings", "realm_user_settings_defaults":
		m.inherits(typ, e["property"].(string))
		if m.plain[typ].(object)[e["property"].(string)] = e["value"]; typ == "user_settings" &&
			e["property"] == "enable_drafts_synchronization" && e["value"] == false {
			clear(m.keyed["drafts"])
		}
	case "default_streams":
		m.plain["realm_default_streams"] = e["default_streams"]
	case "default_stream_groups":
		m.plain["realm_default_stream_groups"] = e["default_stream_groups"]
	case "channel_folder":
		return m.folder(op, e)
	case "alert_words", "onboarding_steps", "muted_topics":
		m.plain[typ] = e[typ]
	case moduleSettings:
		return m.setting(e)
	case "drafts":
		return m.drafts(op, e)
	case "do_not_disturb":
		if _, asked := m.plain[typ]; asked {
			m.plain[typ] = object{"paused_until": e["paused_until"], "schedule": e["schedule"]}
		}
	case "saved_snippets":
		if r, ok := e["saved_snippet"].(object); ok {
			return m.record(typ, op, r)
		}
		return m.record(typ, op, object{"id": e["saved_snippet_id"]})
	case "scheduled_messages", "reminders":
		return m.later(typ, op, e)
	case "navigation_view":
		return m.view(op, e)
	case "realm_linkifiers", "realm_playgrounds", "custom_profile_fields":
		if typ == "realm_linkifiers" && !m.client.can["linkifier_url_template"] {
			return fmt.Errorf("a client that does not know templates is told of linkifiers")
		}
		return m.whole(typ, e)
	case "realm_emoji":
		return m.emoji(op, e)
	case "realm_domains":
		if r, ok := e["realm_domain"].(object); ok {
			m.keyed[typ][keyOf(r, keys[typ])] = r
			return nil
		}
		delete(m.keyed[typ], e["domain"].(string))
	case "muted_users":
		m.keyed[typ] = map[string]object{}
		for _, r := range e[typ].([]any) {
			m.keyed[typ][keyOf(r.(object), keys[typ])] = r.(object)
		}
	case "user_topic":
		r := maps.Clone(e)
		delete(r, "type")
		delete(r, "id")
		key := keyOf(r, keys["user_topics"])
		if m.keyed["user_topics"][key] = r; number(r["visibility_policy"]) == 0 {
			delete(m.keyed["user_topics"], key)
		}
	case "user_status":
		return m.status(e)
	case "submessage":
		m.attach(e)
	case "message", "update_message", "delete_message", "update_message_flags":
		return m.message(typ, op, e)
	default:
		return fmt.Errorf("the model knows no event %s", typ)
	}
	return nil
}

// whole applies an event that contains a whole list.
func (m *model) whole(typ string, e object) error {
	key := typ
	value := e[typ]
	if typ == "custom_profile_fields" {
		value = e["fields"]
		m.forget(value.([]any))
	}
	m.plain[key] = value
	return nil
}

func (m *model) status(e object) error {
	all := m.plain["user_status"].(object)
	id := fmt.Sprint(number(e["user_id"]))
	s, _ := all[id].(object)
	if s == nil {
		s = object{}
	}
	for _, k := range []string{
		"status_text", "emoji_name", "emoji_code", "reaction_type", "scheduled_end_time", "away",
	} {
		v, given := e[k]
		if !given {
			continue
		}
		if s[k] = v; v == "" || v == false || v == 0.0 {
			delete(s, k)
		}
	}
	if s["emoji_name"] == nil {
		delete(s, "emoji_code")
		delete(s, "reaction_type")
	}
	if all[id] = s; len(s) == 0 {
		delete(all, id)
	}
	return nil
}

// record applies an event that adds, updates or deletes records in a list.
func (m *model) record(list, op string, r object) error {
	key := keyOf(r, keys[list])
	switch op {
	case "add":
		m.keyed[list][key] = r
	case "update":
		if m.keyed[list][key] == nil {
			return fmt.Errorf("%s: an update of %s, which is not there", list, key)
		}
		maps.Copy(m.keyed[list][key], r)
	case "delete", "remove":
		delete(m.keyed[list], key)
	default:
		return fmt.Errorf("%s: unknown op %s", list, op)
	}
	return nil
}

func (m *model) later(typ, op string, e object) error {
	if op == "add" {
		for _, r := range e[typ].([]any) {
			if err := m.record(typ, op, r.(object)); err != nil {
				return err
			}
		}
		return nil
	}
	if r, ok := e["scheduled_message"].(object); ok {
		return m.record(typ, op, r)
	}
	return m.record(typ, op, e)
}

func (m *model) drafts(op string, e object) error {
	all := m.keyed["drafts"]
	switch op {
	case "add":
		for _, d := range e["drafts"].([]any) {
			all[keyOf(d.(object), keys["drafts"])] = d.(object)
		}
		return nil
	case "update":
		return m.record("drafts", op, e["draft"].(object))
	}
	return m.record("drafts", op, object{"id": e["draft_id"]})
}

func (m *model) view(op string, e object) error {
	r, _ := e["navigation_view"].(object)
	if op != "add" {
		r = object{"fragment": e["fragment"]}
		data, _ := e["data"].(object)
		maps.Copy(r, data)
	}
	return m.record("navigation_views", op, r)
}

func (m *model) person(op string, p object) error {
	key := fmt.Sprint(number(p["user_id"]))
	active, gone := m.keyed["realm_users"], m.keyed["realm_non_active_users"]
	switch op {
	case "add":
		was := p["is_active"]
		delete(p, "is_active")
		if _, said := p["is_imported_stub"]; said {
			return fmt.Errorf("realm_user/add carries is_imported_stub, at which strict clients fail")
		}
		p["is_imported_stub"] = false
		if active[key] = p; was == false { // the user may have been deactivated while invisible
			delete(active, key)
			gone[key] = p
		}
		return nil
	case "remove":
		delete(active, key)
		delete(gone, key)
		delete(m.plain["user_status"].(object), key) // everything known about the user
		return nil
	}
	r := active[key]
	if r == nil {
		r = gone[key]
	}
	if r == nil {
		return fmt.Errorf("realm_user/update of %s, who is not known", key)
	}
	self := number(p["user_id"]) == m.me
	for k, v := range p {
		switch k {
		case "user_id":
		case "is_active":
			from, to := active, gone
			if v == true {
				from, to = gone, active
			}
			delete(from, key)
			to[key] = r
		case "new_email":
			r["email"] = v
			if self {
				m.plain["email"] = v
			}
		case "role":
			role := number(v)
			r["role"], r["is_owner"], r["is_admin"], r["is_guest"] = v, role == 100, role <= 200, role == 600
			if self {
				m.plain["is_owner"], m.plain["is_admin"], m.plain["is_moderator"], m.plain["is_guest"] = role == 100, role <= 200,
					role <= 300, role == 600
			}
		case "avatar_url_medium", "avatar_source":
			if self && v != nil {
				m.plain[k] = v
			}
		case "custom_profile_field":
			f := v.(object)
			data := r["profile_data"].(object)
			id := fmt.Sprint(number(f["id"]))
			delete(f, "id")
			if data[id] = f; f["value"] == nil {
				delete(data, id)
			}
		default:
			r[k] = v
			if _, own := m.plain[k]; self && own && v != nil {
				m.plain[k] = v
			}
		}
	}
	return nil
}

func (m *model) group(op string, e object) error {
	all := m.keyed["realm_user_groups"]
	if op == "add" {
		all[fmt.Sprint(number(e["group"].(object)["id"]))] = e["group"].(object)
		return nil
	}
	key := fmt.Sprint(number(e["group_id"]))
	g := all[key]
	if g == nil {
		return fmt.Errorf("user_group/%s of %s, which is not known", op, key)
	}
	switch op {
	case "update":
		maps.Copy(g, e["data"].(object))
	case "remove":
		delete(all, key)
	case "add_members":
		g["members"] = with(g["members"], e["user_ids"])
	case "remove_members":
		g["members"] = without(g["members"], e["user_ids"])
	case "add_subgroups":
		g["direct_subgroup_ids"] = with(g["direct_subgroup_ids"], e["direct_subgroup_ids"])
	case "remove_subgroups":
		g["direct_subgroup_ids"] = without(g["direct_subgroup_ids"], e["direct_subgroup_ids"])
	default:
		return fmt.Errorf("unknown op %s", op)
	}
	return nil
}

func with(list, more any) any {
	all := without(list, more).([]any)
	return sorted(append(all, more.([]any)...))
}

func without(list, less any) any {
	old, _ := list.([]any)
	return slices.DeleteFunc(slices.Clone(old), func(v any) bool { return slices.Contains(less.([]any), v) })
}

func (m *model) realm(op string, e object) error {
	set := func(k string, v any) {
		if key := "realm_" + k; skipped[key] == "" {
			m.plain[key] = v
		}
	}
	switch op {
	case "update":
		set(e["property"].(string), e["value"])
		if p := e["property"].(string); strings.HasPrefix(p, "service_") {
			set("zulip_"+strings.TrimPrefix(p, "service_"), e["value"])
		}
	case "update_dict":
		for k, v := range e["data"].(object) {
			set(k, v)
		}
	default:
		return fmt.Errorf("unknown realm event %s", op)
	}
	return nil
}

func (m *model) folder(op string, e object) error {
	all := m.keyed["channel_folders"]
	switch op {
	case "add":
		f := e["channel_folder"].(object)
		all[fmt.Sprint(number(f["id"]))] = f
	case "update":
		maps.Copy(all[fmt.Sprint(number(e["channel_folder_id"]))], e["data"].(object))
	case "reorder":
		for i, id := range e["order"].([]any) {
			all[fmt.Sprint(number(id))]["order"] = float64(i)
		}
	}
	return nil
}
