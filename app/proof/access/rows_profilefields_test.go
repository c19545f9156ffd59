package access_test

import (
	"fmt"
	"strings"

	"github.com/stoachat/stoa/app/kittest"
)

func profilefieldsTable() table {
	f := &family{name: "profile field", variants: []variant{{kind: "for everybody"}, {kind: "for administrators"}},
		missing: map[string]string{"field_id": "987654321", "id": "987654321"},
		make: func(w *fixture, v variant, _ []*caller) object {
			return profileField(w, fmt.Sprint(v.kind == "for everybody"))
		}}
	fills := func(x cell) bool { return x.v.kind == "for everybody" || x.c.admin() }
	order := func(w *fixture, x cell) *kittest.Response {
		var ids []string
		if list := w.ask(x.c, "GET /realm/profile_fields"); list.Status == 200 {
			all, _ := list.Get("custom_fields").([]any)
			for _, one := range all {
				ids = append(ids, fmt.Sprint(one.(map[string]any)["id"]))
			}
		}
		return w.ask(x.c, "PATCH /realm/profile_fields", "order", "["+strings.Join(ids, ",")+"]")
	}
	// Users with values in profile fields.
	p := people()
	inner := p.make
	p.missing["field"] = "987654321"
	p.make = func(w *fixture, v variant, who []*caller) object {
		o := inner(w, v, who)
		o.fields["field"] = profileField(w, "true").fields["id"]
		return o
	}
	return table{"profilefields", "Custom profile fields and their values.", []*row{
		{route: "GET /realm/profile_fields", rule: "Users.", who: users, on: f, found: listedIn("custom_fields", "id")},
		{route: "PATCH /realm/profile_fields", rule: "Administrators.", who: admins, do: order},
		{route: "POST /realm/profile_fields", rule: "Administrators.", who: admins,
			with: []string{"field_type", "1", "name", "made {n}"}},
		{route: "PATCH /realm/profile_fields/:field_id", rule: "Administrators.", who: admins, on: f,
			with: []string{"name", "changed {n}"}},
		{route: "DELETE /realm/profile_fields/:field_id", rule: "Administrators.", who: admins, on: f, lasts: true},
		{route: "PATCH /users/me/profile_data", rule: "Users other than bots, for themselves; administrators also fields " +
			"that users cannot edit.",
			who: humans, on: f, may: fills,
			with: []string{"data", `[{"id":{id},"value":"said {n}"}]`}},
		{route: "DELETE /users/me/profile_data", rule: "Users other than bots, for themselves; administrators also " +
			"fields that users cannot edit.",
			who: humans, on: f, may: fills,
			with: []string{"data", "[{id}]"}},
		{route: "PATCH /users/:user_id", name: "profile", rule: "Administrators; bots have none.", who: users, on: p,
			may:  func(x cell) bool { return x.c.admin() && !strings.HasPrefix(x.v.kind, "a bot") },
			with: []string{"profile_data", `[{"id":{field},"value":"said {n}"}]`}},
	}}
}

func profileField(w *fixture, editable string) object {
	id := fmt.Sprint(w.do("POST /realm/profile_fields", "field_type", "1", "name", w.fresh(), "editable_by_user",
		editable).Int("id"))
	return object{map[string]string{"field_id": id, "id": id}}
}
