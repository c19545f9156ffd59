package access_test

import "fmt"

// bundles returns default channel groups. Administrators can change them; everyone except guests can see them.
func bundles() *family {
	return &family{name: "default channel group", missing: map[string]string{"group_id": "987654321"},
		variants: []variant{{kind: "default channel group"}},
		make: func(w *fixture, _ variant, _ []*caller) object {
			name := "group " + w.fresh()
			w.do("POST /default_stream_groups/create", "group_name", name, "description", "", "stream_names", "[]")
			all, _ := w.do("POST /register", "event_types",
				`["default_stream_groups"]`).Get("realm_default_stream_groups").([]any)
			for _, g := range all {
				if one := g.(map[string]any); one["name"] == name {
					return object{map[string]string{"group_id": fmt.Sprint(one["id"])}}
				}
			}
			w.t.Fatalf("the group %s does not exist", name)
			return object{}
		}}
}

func bundleRows() []*row {
	ch := channels()
	return []*row{
		{route: "GET /streams/:stream_id/email_address",
			rule: "Content access and permission to post; not for archived channels.", who: users, on: ch,
			may: func(x cell) bool { return x.canRead() && !x.archived() }},
		{route: "POST /default_stream_groups/create", rule: "Administrators.", who: admins,
			with: []string{"group_name", "made {n}", "description", "", "stream_names", "[]"}},
		{route: "PATCH /default_stream_groups/:group_id", rule: "Administrators.", who: admins, on: bundles(),
			with: []string{"new_description", "said {n}"}},
		{route: "PATCH /default_stream_groups/:group_id/streams", rule: "Administrators.", who: admins, on: bundles(),
			with: []string{"op", "add", "stream_names", "[]"}},
		{route: "DELETE /default_stream_groups/:group_id", rule: "Administrators.", who: admins, on: bundles(), lasts: true},
	}
}
