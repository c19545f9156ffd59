package oracle_test

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// forget drops the values of removed profile fields, for which no separate events are sent.
func (m *model) forget(fields []any) {
	there := map[string]bool{}
	for _, f := range fields {
		there[fmt.Sprint(number(f.(object)["id"]))] = true
	}
	for _, list := range []string{"realm_users", "realm_non_active_users"} {
		for _, u := range m.keyed[list] {
			if said, ok := u["profile_data"].(object); ok {
				said = maps.Clone(said)
				maps.DeleteFunc(said, func(id string, _ any) bool { return !there[id] })
				u["profile_data"] = said
			}
		}
	}
}

// profileFields changes the realm's profile fields.
func profileFields(w *simulation) {
	choices := func() string {
		all := []string{`"r":{"text":"Red","order":"1"}`, `"g":{"text":"Green","order":"2"}`,
			`"b":{"text":"Blue","order":"3"}`}
		return "{" + one(w, all) + "," + one(w, all) + "}"
	}
	a := w.s.As("olga").Do("GET /realm/profile_fields").OK()
	var fields []int64
	var lists []int64
	for _, f := range a.Get("custom_fields").([]any) {
		var id int64
		_, _ = fmt.Sscan(fmt.Sprint(f.(object)["id"]), &id)
		if fields = append(fields, id); fmt.Sprint(f.(object)["type"]) == "3" {
			lists = append(lists, id)
		}
	}
	kind := w.rnd.IntN(5)
	if len(fields) == 0 || kind == 0 && len(fields) < 8 {
		w.do(w.manager(), "POST /realm/profile_fields", "field_type", fmt.Sprint(one(w, []int{1, 2, 3, 3})), "name",
			w.name("Field"), "field_data", choices())
		return
	}
	path := fmt.Sprintf(" /realm/profile_fields/%d", one(w, fields))
	switch kind {
	case 1:
		w.do(w.manager(), "PATCH"+path, "name", w.name("Field"), "display_in_profile_summary", w.flag(), "editable_by_user",
			w.flag())
	case 2:
		w.do(w.manager(), "DELETE"+path)
	case 3:
		slices.Reverse(fields)
		w.do(w.manager(), "PATCH /realm/profile_fields", "order", kittest.JSON(fields))
	default:
		if len(lists) > 0 {
			w.do(w.manager(), fmt.Sprintf("PATCH /realm/profile_fields/%d", one(w, lists)), "field_data", choices())
		}
	}
	w.fields = fields
}

// profiles changes the values of users' profile fields.
func profiles(w *simulation) {
	if len(w.fields) == 0 {
		profileFields(w)
		return
	}
	id, said := one(w, w.fields), one(w, []string{`"r"`, `"g"`, `"b"`, `"b"`, "null"})
	data := fmt.Sprintf(`[{"id":%d,"value":%s}]`, id, said)
	switch w.rnd.IntN(3) {
	case 0:
		w.do(w.manager(), fmt.Sprintf("PATCH /users/%d", one(w, w.users)), "profile_data", data)
	case 1:
		w.do(one(w, w.names), "DELETE /users/me/profile_data", "data", fmt.Sprintf("[%d]", id))
	default:
		w.do(one(w, w.names), "PATCH /users/me/profile_data", "data", data)
	}
}

// statuses changes users' statuses.
func statuses(w *simulation) {
	params := []string{"status_text", one(w, []string{"", "here", "there"})}
	if w.rnd.IntN(2) == 0 {
		params = append(params, "emoji_name", one(w, []string{"", "smile", "car"}))
	}
	if w.rnd.IntN(3) == 0 {
		params = append(params, "scheduled_end_time",
			one(w, []string{"0", fmt.Sprint(w.s.Clock.Now().Add(24 * time.Hour).Unix())}))
	}
	if w.rnd.IntN(3) == 0 {
		w.do(w.manager(), fmt.Sprintf("POST /users/%d/status", one(w, w.users)), params...)
		return
	}
	if w.rnd.IntN(3) == 0 {
		params = append(params, "away", w.flag())
	}
	w.do(one(w, w.names), "POST /users/me/status", params...)
}
