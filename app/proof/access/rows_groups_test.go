package access_test

import (
	"fmt"
	"slices"

	"github.com/stoachat/stoa/domain/group"
)

func groupsTable() table {
	g := groups()
	manages := func(x cell) bool {
		return x.v.kind != "system" && x.c.inRealm() && (x.c.role == 100 || x.named("manages"))
	}
	either := func(relations ...string) func(cell) bool {
		return func(x cell) bool { return manages(x) || x.v.kind != "system" && x.named(relations...) }
	}
	none := func(cell) bool { return false }
	path := "/user_groups/:user_group_id"
	return table{"groups", "Who can create, change and join user groups. Guests never can. Full members can create " +
		"groups; owners manage all.", []*row{
		{route: "GET /user_groups", rule: "Users other than guests; deactivated groups only on request.", who: members,
			on: g, found: listedIn("user_groups", "id"),
			may: func(x cell) bool { return x.v.kind != "deactivated" }},
		{route: "GET /user_groups", name: "deactivated too", rule: "Users other than guests.", who: members, on: g,
			found: listedIn("user_groups", "id"), with: []string{"include_deactivated_groups", "true"}},
		{route: "GET " + path + "/members", rule: "Users other than guests.", who: members, on: g},
		{route: "GET " + path + "/members/:user_id", rule: "Users other than guests.", who: members, on: g,
			call: "GET " + path + "/members/:olga",
			may:  func(x cell) bool { return !x.c.elsewhere }},
		{route: "GET " + path + "/subgroups", rule: "Users other than guests.", who: members, on: g},
		{route: "POST /user_groups/create", rule: "can_create_groups (here full members).", who: members,
			may:  func(x cell) bool { return x.c.full() },
			with: []string{"name", "group {n}", "description", "", "members", "[]"}},
		{route: "PATCH " + path, rule: "can_manage_group, and owners.", who: members, on: g, may: manages,
			with: []string{"description", "said {n}"}},
		{route: "PATCH " + path, name: "who may manage it", rule: "can_manage_group, and owners.", who: members, on: g,
			may: manages, with: []string{"can_manage_group", `{"new":{members}}`}, lasts: true},
		{route: "PATCH " + path, name: "reactivate", rule: "can_manage_group, and owners.", who: members, on: g, may: manages,
			with: []string{"deactivated", "false"}, lasts: true},
		{route: "POST " + path + "/deactivate", rule: "can_manage_group, and owners.", who: members, on: g, may: manages,
			lasts: true},
		{route: "DELETE " + path, rule: "Owners, deactivated groups.", who: owners, on: g, lasts: true,
			may: func(x cell) bool { return x.c.inRealm() && x.v.kind == "deactivated" }},
		{route: "POST " + path + "/members", name: "add another", rule: "Managers of the group, and " +
			"can_add_members_group.",
			who: members, on: g, may: either("adds"), with: []string{"add", "[{bob}]"}, lasts: true},
		{route: "POST " + path + "/members", name: "join",
			rule: "Managers of the group, can_add_members_group and can_join_group; refused for members.", who: members, on: g,
			lasts: true,
			with:  []string{"add", "[{me}]"},
			may:   func(x cell) bool { return either("adds", "joins")(x) && x.v.relation != "member" }},
		{route: "POST " + path + "/members", name: "remove another", rule: "Managers of the group, and " +
			"can_remove_members_group.",
			who: members, on: g, may: either("removes"),
			with: []string{"delete", "[{olga}]"}, lasts: true},
		{route: "POST " + path + "/members", name: "leave", rule: "can_leave_group (everyone), if a member.", who: members,
			on: g, lasts: true, with: []string{"delete", "[{me}]"},
			may: func(x cell) bool { return x.v.kind != "system" && x.v.relation == "member" }},
		{route: "POST " + path + "/members", name: "add a subgroup", rule: "Managers of the group, and " +
			"can_add_members_group.",
			who: members, on: g, may: either("adds"),
			with: []string{"add_subgroups", "[{moderators}]"}, lasts: true},
		{route: "POST " + path + "/members", name: "remove a subgroup", rule: "Managers of the group.", who: members, on: g,
			may: manages, with: []string{"delete_subgroups", "[{everyone}]"}, lasts: true},
		{route: "POST " + path + "/subgroups", name: "add", rule: "Managers of the group, and can_add_members_group.",
			who: members,
			on:  g, may: either("adds"), with: []string{"add", "[{moderators}]"}, lasts: true},
		{route: "POST " + path + "/subgroups", name: "remove", rule: "Managers of the group.", who: members, on: g,
			may:  manages,
			with: []string{"delete", "[{everyone}]"}, lasts: true},
		{route: "POST " + path + "/subgroups", name: "a circle", rule: "No one.", who: members, on: g, may: none,
			with: []string{"add", "[{id}]"}},
		{route: "POST /messages", name: "mention a group that only olga may",
			rule: "can_mention_group, which the group's creator has restricted.", who: senders, on: groupsFor("kept"),
			sees: func(cell) bool { return true },
			may:  none, with: []string{"type", "direct", "to", "[{olga}]", "content", "@*{name}*"}},
	}}
}

// named reports whether the caller is a member of the group, or is included in one of its settings.
func (x cell) named(relations ...string) bool {
	return !x.c.guest() && x.c.inRealm() && slices.Contains(relations, x.v.relation)
}

func groups() *family {
	f := groupsFor("")
	for _, kind := range []string{"active", "deactivated"} {
		for _, relation := range []string{"none", "member", "manages", "adds", "joins", "removes"} {
			f.variants = append(f.variants, variant{kind: kind, relation: relation})
		}
	}
	f.variants = append(f.variants, variant{kind: "system", everywhere: true})
	return f
}

func groupsFor(kind string) *family {
	f := &family{name: "group", make: makeGroup,
		missing: map[string]string{"id": "987654321", "user_group_id": "987654321", "name": "nobody's"}}
	if kind != "" {
		f.variants = []variant{{kind: kind}}
	}
	return f
}

func makeGroup(w *fixture, v variant, who []*caller) object {
	w.t.Helper()
	as := func(id, name string) object {
		return object{map[string]string{"id": id, "user_group_id": id, "name": name}}
	}
	if v.kind == "system" {
		return as(fmt.Sprint(int64(group.FullMembers)), "role:fullmembers")
	}
	name := "group " + w.fresh()
	params := []string{"name", name, "description", "", "members", "[{olga}]", "subgroups", "[{everyone}]"}
	just := fmt.Sprintf(`{"direct_members":%s,"direct_subgroups":[]}`, ids(who))
	if setting := map[string]string{"manages": "can_manage_group", "adds": "can_add_members_group",
		"joins": "can_join_group", "removes": "can_remove_members_group"}[v.relation]; setting != "" {
		params = append(params, setting, just)
	}
	if v.kind == "kept" {
		params = append(params, "can_mention_group", fmt.Sprintf(`{"direct_members":[%d],"direct_subgroups":[]}`, w.olga.id))
	}
	x := cell{w: w, c: w.olga}
	for i := range params {
		params[i] = x.fill(params[i])
	}
	id := fmt.Sprint(w.do("POST /user_groups/create", params...).Int("group_id"))
	if v.relation == "member" && ids(who) != "[]" {
		w.do("POST /user_groups/"+id+"/members", "add", ids(who))
	}
	if v.kind == "deactivated" {
		w.do("POST /user_groups/" + id + "/deactivate")
	}
	return as(id, name)
}
