package oracle_test

import (
	"fmt"
	"slices"

	"github.com/stoachat/stoa/app/kittest"
)

var groupSettings = []string{
	"can_join_group", "can_mention_group", "can_leave_group", "can_add_members_group", "can_remove_members_group",
	"can_manage_group",
}

func groups(w *simulation) {
	if len(w.groups) < 4 || w.rnd.IntN(6) == 0 {
		params := []string{"name", w.name("group"), "description", "d", "members", w.some(w.users), one(w, groupSettings),
			w.value()}
		if w.rnd.IntN(2) == 0 {
			params = append(params, "subgroups", w.some(append([]int64{4, 5}, w.groups...)))
		}
		a := w.do(w.manager(), "POST /user_groups/create", params...)
		if a.Status == 200 {
			w.groups = append(w.groups, a.Int("group_id"))
		}
		return
	}
	g := one(w, w.groups)
	switch w.rnd.IntN(5) {
	case 0:
		w.do(w.manager(), fmt.Sprintf("POST /user_groups/%d/deactivate", g))
		if w.rnd.IntN(2) == 0 && w.do("olga", fmt.Sprintf("DELETE /user_groups/%d", g)).Status == 200 {
			w.groups = slices.DeleteFunc(w.groups, func(id int64) bool { return id == g })
		}
	case 1:
		w.do(w.manager(), fmt.Sprintf("PATCH /user_groups/%d", g), "deactivated", "false", "description", w.name("d"))
	case 2:
		w.do(w.manager(), fmt.Sprintf("PATCH /user_groups/%d", g), "name", w.name("renamed"))
	default:
		w.do(w.manager(), fmt.Sprintf("PATCH /user_groups/%d", g), one(w, groupSettings), w.update())
	}
}

// members adds and removes a group's members, sometimes together with subgroups.
func members(w *simulation) {
	if len(w.groups) == 0 {
		return
	}
	g := one(w, w.groups)
	var in struct{ Members []int64 }
	w.as("olga").Do(fmt.Sprintf("GET /user_groups/%d/members", g), "direct_member_only", "true").JSON(&in)
	var params []string
	if w.rnd.IntN(3) > 0 || len(in.Members) == 0 {
		params = append(params, "add", kittest.JSON([]int64{one(w, w.users)}))
	}
	if len(in.Members) > 0 && w.rnd.IntN(2) == 0 {
		params = append(params, "delete", kittest.JSON([]int64{one(w, in.Members)}))
	}
	if w.rnd.IntN(4) == 0 {
		params = append(params, "add_subgroups", kittest.JSON([]int64{one(w, append([]int64{4, 5}, w.groups...))}))
	}
	w.do(w.manager(), fmt.Sprintf("POST /user_groups/%d/members", g), params...)
}

func subgroups(w *simulation) {
	if len(w.groups) == 0 {
		return
	}
	g := one(w, w.groups)
	var in struct{ Subgroups []int64 }
	w.as("olga").Do(fmt.Sprintf("GET /user_groups/%d/subgroups", g), "direct_subgroup_only", "true").JSON(&in)
	op, other := "add", one(w, append([]int64{4, 5}, w.groups...))
	if len(in.Subgroups) > 0 && w.rnd.IntN(2) == 0 {
		op, other = "delete", one(w, in.Subgroups)
	}
	w.do(w.manager(), fmt.Sprintf("POST /user_groups/%d/subgroups", g), op, fmt.Sprintf("[%d]", other))
}
