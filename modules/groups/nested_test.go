package groups_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/realm"
)

// No group can contain itself, through any number of groups.
func TestNoCycles(t *testing.T) {
	s := start(t)
	var all []int64
	for i := range 6 { // each contains the one before
		params := []string{"members", ids(s, "alice")}
		if i > 0 {
			params = append(params, "subgroups", fmt.Sprintf("[%d]", all[i-1]))
		}
		all = append(all, create(t, s, fmt.Sprint("Nested ", i), params...))
	}
	aside := create(t, s, "Aside", "members", "[]", "subgroups", kittest.JSON(all))
	refused := func(id int64, add ...int64) {
		t.Helper()
		want := fmt.Sprintf("User group %d is already a subgroup of one of the passed subgroups.", id)
		s.As("alice").Do(fmt.Sprintf("POST /user_groups/%d/subgroups", id), "add", kittest.JSON(add)).Error(400,
			"BAD_REQUEST", want)
		s.As("alice").Do(fmt.Sprintf("POST /user_groups/%d/members", id), "add_subgroups", kittest.JSON(add)).Error(400,
			"BAD_REQUEST", want)
		s.NoEvents()
	}
	for i, id := range all {
		for _, over := range all[i:] {
			refused(id, over)
			refused(id, 4, over)
		}
		refused(id, aside)
	}
	for _, i := range []int{0, 1, 2} { // already contained through others
		s.As("alice").Do(fmt.Sprintf("POST /user_groups/%d/subgroups", all[5]), "add", fmt.Sprintf("[%d]", all[i])).OK()
	}
	s.As("alice").Do(fmt.Sprintf("POST /user_groups/%d/subgroups", all[3]), "delete", fmt.Sprintf("[%d]", all[2])).OK()
	s.Skip()
	refused(all[2], all[5])
	s.As("alice").Do(fmt.Sprintf("POST /user_groups/%d/subgroups", all[2]), "add", fmt.Sprintf("[%d]", all[3])).OK()
	s.As("bob").Do(fmt.Sprintf("GET /user_groups/%d/subgroups", all[2])).Is(200,
		fmt.Sprintf(`{"result":"success","msg":"","subgroups":[%d,%d,%d]}`, all[0], all[1], all[3]))
}

// The number of subgroups, and of users named by a permission, is limited. Taken names are reported first.
func TestGroupSizes(t *testing.T) {
	s := kittest.StartWith(t, kittest.Options{Config: "modules: {accounts: {password_memory_kib: 64, password_passes: " +
		"1}}"},
		realm.Module, accounts.Module, channels.Module, groups.Module, events.Module)
	one := create(t, s, "One", "members", "[]")
	create(t, s, "Two", "members", "[]")
	s.As("alice").Do("POST /user_groups/create", "name", " two", "description", "", "members", "[99]", "subgroups",
		"[999]").
		Error(400, "BAD_REQUEST", "User group 'two' already exists.")
	some := "1"
	for i := range 1000 {
		some += fmt.Sprint(",", i+2)
	}
	s.As("alice").Do(fmt.Sprintf("PATCH /user_groups/%d", one), "can_join_group", `{"new":{"direct_members":[`+some+`]}}`).
		Error(400, "BAD_REQUEST", "'can_join_group' can name at most 1000 users and groups.")
	s.As("alice").Do(fmt.Sprintf("POST /user_groups/%d/subgroups", one), "add", "["+some+"]").Error(400, "BAD_REQUEST",
		"A group can have at most 500 subgroups.")
	s.NoEvents()
}
