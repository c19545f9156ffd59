package groups_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/realm"
)

func TestModule(t *testing.T) { kittest.Check(t, groups.Module) }

func start(t *testing.T) *kittest.Server {
	t.Helper()
	return startWith(t, nil)
}

func startWith(t *testing.T, clock *kittest.Clock) *kittest.Server {
	t.Helper()
	return kittest.StartWith(t, kittest.Options{Clock: clock,
		Config: "modules: {accounts: {password_memory_kib: 64, password_passes: 1}}"},
		realm.Module, accounts.Module, channels.Module, groups.Module, events.Module)
}

// ids returns user IDs as a JSON list.
func ids(s *kittest.Server, names ...string) string {
	var out []string
	for _, n := range names {
		out = append(out, fmt.Sprint(s.UserID(n)))
	}
	return "[" + strings.Join(out, ",") + "]"
}

// create lets alice create a group.
func create(t *testing.T, s *kittest.Server, name string, params ...string) int64 {
	t.Helper()
	id := s.As("alice").Do("POST /user_groups/create",
		append([]string{"name", name, "description", "d"}, params...)...).OK().Int("group_id")
	s.Skip()
	return id
}

func TestList(t *testing.T) {
	s := start(t)
	a := s.As("alice").Do("GET /user_groups").OK()
	b, err := json.Marshal(a.Get("user_groups"))
	if err != nil {
		t.Fatal(err)
	}
	var list []struct {
		ID        int64   `json:"id"`
		Name      string  `json:"name"`
		Members   []int64 `json:"members"`
		Subgroups []int64 `json:"direct_subgroup_ids"`
		Mention   int64   `json:"can_mention_group"`
		System    bool    `json:"is_system_group"`
	}
	if err := json.Unmarshal(b, &list); err != nil || len(list) != 8 {
		t.Fatalf("%v: %s", err, b)
	}
	for i, want := range []struct {
		name, members, subgroups string
	}{
		{"role:nobody", "[]", "[]"}, {"role:owners", ids(s, "olga"), "[]"}, {"role:administrators", ids(s, "adam"), "[2]"},
		{"role:moderators", ids(s, "mona"), "[3]"}, {"role:fullmembers", ids(s, "alice", "bob", "bot"), "[4]"},
		{"role:members", ids(s, "alice", "bob", "bot"), "[5]"}, {"role:everyone", ids(s, "guest"), "[6]"},
		{"role:internet", "[]", "[7]"},
	} {
		g := list[i]
		members, _ := json.Marshal(g.Members)
		subgroups, _ := json.Marshal(g.Subgroups)
		if g.Name != want.name || string(members) != want.members || string(subgroups) != want.subgroups || !g.System ||
			g.Mention != 1 {
			t.Errorf("group %d: %+v, want %+v", i, g, want)
		}
	}
	s.As("guest").Do("GET /user_groups").Error(400, "BAD_REQUEST", "guest")
}

func TestCreate(t *testing.T) {
	s := start(t)
	alice := s.UserID("alice")
	id := s.As("alice").Do("POST /user_groups/create", "name", " Core ", "description", "the core", "members",
		ids(s, "bob", "alice"),
		"subgroups", "[4]", "can_join_group", "6", "can_mention_group",
		fmt.Sprintf(`{"direct_members":%s,"direct_subgroups":[]}`, ids(s, "bob"))).
		Is(200, `{"result":"success","msg":"","group_id":"*"}`).Int("group_id")
	if id != 101 {
		t.Errorf("the first group's id is %d; lower ones are system groups", id)
	}
	own := fmt.Sprintf(`{"direct_members":[%d],"direct_subgroups":[]}`, alice)
	record := fmt.Sprintf(`{"id":%d,"name":"Core","description":"the core","date_created":"*","creator_id":%d,"members":%s,"direct_subgroup_ids":[4],
		"is_system_group":false,"deactivated":false,"can_add_members_group":%s,"can_join_group":6,"can_leave_group":7,"can_manage_group":%s,
		"can_mention_group":{"direct_members":%s,"direct_subgroups":[]},"can_remove_members_group":1}`, id, alice,
		ids(s, "alice", "bob"), own, own, ids(s, "bob"))
	s.Events(`user_group/add everyone {"group":` + record + `}`)
	s.Restart()
	list := s.As("bot").Do("GET /user_groups").OK()
	got, _ := json.Marshal(list.Get("user_groups.8"))
	(&kittest.Response{T: t, Call: "the stored group", Status: 200, Body: string(got)}).Is(200, record)

	for _, c := range []struct{ name, description, members, extra, value, msg string }{
		{"core", "", "[]", "", "", "already exists"},
		{"role:x", "", "[]", "", "", "cannot start"},
		{"", "", "[]", "", "", "empty"},
		{strings.Repeat("x", 101), "", "[]", "", "", "100"},
		{"New", "", "[999]", "", "", "Invalid user ID: 999"},
		{"New", "", "[1]", "", "", "Invalid user ID: 1"}, // the Notification Bot
		{"New", "", "[]", "subgroups", "[999]", "Invalid user group ID: 999"},
		{"New", "", "[]", "can_join_group", "7", "role:everyone"},
		{"New", "", "[]", "can_mention_group", "2", "role:owners"},
		{"New", "", "[]", "can_manage_group", "8", "role:internet"},
		{"New", "", "[]", "can_manage_group", "0", "Invalid user group ID: 0"},
		{"New", "", `["x"]`, "", "", "is not an integer"},
	} {
		params := []string{"name", c.name, "description", c.description, "members", c.members}
		if c.extra != "" {
			params = append(params, c.extra, c.value)
		}
		s.As("alice").Do("POST /user_groups/create", params...).Error(400, "BAD_REQUEST", c.msg)
	}
	s.As("guest").Do("POST /user_groups/create", "name", "New", "description", "", "members", "[]").Error(400,
		"BAD_REQUEST", "guest")
	s.As("olga").Do("PATCH /realm", "can_create_groups", `{"new":3}`).OK()
	s.Skip()
	s.As("alice").Do("POST /user_groups/create", "name", "New", "description", "", "members", "[]").Error(400,
		"BAD_REQUEST", "Insufficient permission")
	s.NoEvents()
}

func TestUpdate(t *testing.T) {
	s := start(t)
	id := create(t, s, "Core", "members", ids(s, "bob"))
	call := fmt.Sprintf("PATCH /user_groups/%d", id)
	s.As("alice").Do(call, "name", "Kernel", "description", "d", "can_leave_group", `{"new":1,"old":7}`).Is(200,
		`{"result":"success","msg":""}`)
	s.Events(fmt.Sprintf(`user_group/update everyone {"group_id":%d,"data":{"name":"Kernel","can_leave_group":1}}`, id))
	s.As("alice").Do(call, "name", "Kernel", "deactivated", "true").OK()
	s.NoEvents()
	other := create(t, s, "Other", "members", "[]")
	for _, c := range []struct{ who, call, name, value, msg string }{
		{"bob", call, "name", "X", "Insufficient permission"},
		{"adam", call, "name", "X", "Insufficient permission"}, // owners manage all groups, administrators do not
		{"alice", call, "name", "other", "already exists"},
		{"alice", call, "description", strings.Repeat("x", 1025), "too long"},
		{"alice", call, "can_manage_group", `{"new":7}`, "role:everyone"},
		{"alice", call, "can_mention_group", `{"new":2}`, "role:owners"},
		{"alice", "PATCH /user_groups/999", "name", "X", "Invalid user group"},
		{"olga", "PATCH /user_groups/4", "name", "X", "Insufficient permission"},
		{"alice", call, "unknown", "X", "No new data"},
	} {
		s.As(c.who).Do(c.call, c.name, c.value).Error(400, "BAD_REQUEST", c.msg)
	}
	s.As("alice").Do(call, "name", "X", "can_leave_group", `{"new":7,"old":6}`).Error(400, "EXPECTATION_MISMATCH", "")
	s.NoEvents()
	s.As("olga").Do(fmt.Sprintf("PATCH /user_groups/%d", other), "can_manage_group", fmt.Sprintf(`{"new":%d}`, id)).OK()
	s.As("bob").Do(fmt.Sprintf("PATCH /user_groups/%d", other), "name", "Bob's").OK() // through the group Kernel
}

func TestMembers(t *testing.T) {
	s := start(t)
	inner := create(t, s, "Inner", "members", ids(s, "bob"))
	outer := create(t, s, "Outer", "members", ids(s, "alice"), "subgroups", fmt.Sprintf("[%d]", inner))
	members := fmt.Sprintf("/user_groups/%d/members", outer)
	s.As("bob").Do("GET "+members).Is(200, `{"result":"success","msg":"","members":`+ids(s, "alice", "bob")+`}`)
	s.As("bob").Do("GET "+members, "direct_member_only", "true").Is(200,
		`{"result":"success","msg":"","members":`+ids(s, "alice")+`}`)
	is := func(direct string) *kittest.Response {
		return s.As("mona").Do(fmt.Sprintf("GET %s/%d", members, s.UserID("bob")), "direct_member_only", direct)
	}
	is("false").Is(200, `{"result":"success","msg":"","is_user_group_member":true}`)
	is("true").Is(200, `{"result":"success","msg":"","is_user_group_member":false}`)
	s.As("mona").Do("GET "+members+"/999").Error(400, "BAD_REQUEST", "No such user")
	s.As("mona").Do("GET /user_groups/999/members").Error(400, "BAD_REQUEST", "Invalid user group")
	s.As("mona").Do("GET /user_groups/3/members").Is(200, `{"result":"success","msg":"","members":`+ids(s, "olga", "adam")+
		`}`)
	s.As("mona").Do(fmt.Sprintf("GET /user_groups/%d/subgroups", outer)).Is(200,
		fmt.Sprintf(`{"result":"success","msg":"","subgroups":[%d]}`, inner))
	s.As("mona").Do("GET /user_groups/4/subgroups").Is(200, `{"result":"success","msg":"","subgroups":[2,3]}`)
	s.As("mona").Do("GET /user_groups/4/subgroups", "direct_subgroup_only", "true").Is(200,
		`{"result":"success","msg":"","subgroups":[3]}`)

	s.As("alice").Do("POST "+members, "add", ids(s, "mona", "guest"), "delete", ids(s, "alice"), "add_subgroups", "[5]",
		"delete_subgroups", fmt.Sprintf("[%d]", inner)).Is(200, `{"result":"success","msg":""}`)
	s.Events(
		fmt.Sprintf(`user_group/add_members everyone {"group_id":%d,"user_ids":%s}`, outer, ids(s, "mona", "guest")),
		fmt.Sprintf(`user_group/remove_members everyone {"group_id":%d,"user_ids":%s}`, outer, ids(s, "alice")),
		fmt.Sprintf(`user_group/add_subgroups everyone {"group_id":%d,"direct_subgroup_ids":[5]}`, outer),
		fmt.Sprintf(`user_group/remove_subgroups everyone {"group_id":%d,"direct_subgroup_ids":[%d]}`, outer, inner))
	s.Restart()
	s.As("bob").Do("GET "+members, "direct_member_only", "true").Is(200,
		`{"result":"success","msg":"","members":`+ids(s, "mona", "guest")+`}`)
	s.As("bob").Do(fmt.Sprintf("GET /user_groups/%d/subgroups", outer)).Is(200,
		`{"result":"success","msg":"","subgroups":[2,3,4,5]}`)
	s.As("alice").Do(fmt.Sprintf("POST /user_groups/%d/subgroups", outer), "delete", "[5]").OK()
	s.Skip()

	for _, c := range []struct{ who, name, value, msg string }{
		{"alice", "add", "[]", "Nothing to do"},
		{"alice", "add", ids(s, "mona"), "already a member"},
		{"alice", "delete", ids(s, "bob"), "no member"},
		{"alice", "add", "[999]", "Invalid user ID: 999"},
		{"alice", "add_subgroups", fmt.Sprintf("[%d]", outer), "already a subgroup"},
		{"alice", "add_subgroups", "[999]", "Invalid user group ID: 999"},
		{"alice", "delete_subgroups", "[6]", "not a subgroup"},
		{"bob", "add", ids(s, "bob"), "Insufficient permission"},
		{"bob", "delete", ids(s, "mona"), "Insufficient permission"},
		{"bob", "add_subgroups", "[6]", "Insufficient permission"},
	} {
		s.As(c.who).Do("POST "+members, c.name, c.value).Error(400, "BAD_REQUEST", c.msg)
	}
	// The whole request is rejected.
	s.As("alice").Do("POST "+members, "add", ids(s, "bob"), "delete", ids(s, "adam")).Error(400, "BAD_REQUEST",
		"no member")
	s.As("olga").Do("POST /user_groups/6/members", "add", ids(s, "guest")).Error(400, "BAD_REQUEST",
		"Insufficient permission")
	s.NoEvents()
	s.As("mona").Do("POST "+members, "delete", ids(s, "mona")).OK() // anyone may leave
	s.As("alice").Do(fmt.Sprintf("POST /user_groups/%d/subgroups", inner), "add", fmt.Sprintf("[%d]", outer)).OK()
	s.As("alice").Do(fmt.Sprintf("POST /user_groups/%d/subgroups", outer), "add", fmt.Sprintf("[%d]", inner)).Error(400,
		"BAD_REQUEST", "already a subgroup")
}

func TestDeactivate(t *testing.T) {
	s := start(t)
	id := create(t, s, "Core", "members", ids(s, "bob"))
	above := create(t, s, "Above", "members", "[]", "subgroups", fmt.Sprintf("[%d]", id))
	call := fmt.Sprintf("POST /user_groups/%d/deactivate", id)
	s.As("olga").Do("PATCH /realm", "can_invite_users_group", fmt.Sprintf(`{"new":%d}`, id)).OK()
	s.As("alice").Do(fmt.Sprintf("PATCH /user_groups/%d", above), "can_join_group", fmt.Sprintf(`{"new":%d}`, id)).OK()
	s.Skip()
	s.As("alice").Do(call).Is(400,
		fmt.Sprintf(`{"result":"error","code":"CANNOT_DEACTIVATE_GROUP_IN_USE","msg":"*","objections":[
		{"type":"realm","settings":["can_invite_users_group"]},{"type":"user_group","group_id":%[1]d,"settings":["can_join_group"]},
		{"type":"subgroup","supergroup_ids":[%[1]d]}]}`, above))
	s.As("bob").Do(call).Error(400, "BAD_REQUEST", "Insufficient permission")
	s.As("olga").Do("POST /user_groups/6/deactivate").Error(400, "BAD_REQUEST", "Insufficient permission")
	s.NoEvents()
	s.As("olga").Do("PATCH /realm", "can_invite_users_group", `{"new":6}`).OK()
	s.As("alice").Do(fmt.Sprintf("POST /user_groups/%d/deactivate", above)).OK() // deactivated groups do not count
	s.Skip()

	old := register(s.As("mona"))
	modern := register(s.As("mona"), "client_capabilities",
		`{"notification_settings_null":true,"include_deactivated_groups":true}`)
	s.As("alice").Do(call).Is(200, `{"result":"success","msg":""}`)
	s.As("alice").Do(call).OK()
	same(t, "an older client", old.Texts(), fmt.Sprintf(`{"group_id":%d,"op":"remove","type":"user_group"}`, id))
	same(t, "a modern client", modern.Texts(),
		fmt.Sprintf(`{"data":{"deactivated":true},"group_id":%d,"op":"update","type":"user_group"}`, id))
	if s.As("bob").Do("GET /user_groups").Has("user_groups.8") {
		t.Error("a deactivated group is listed")
	}
	if !s.As("bob").Do("GET /user_groups", "include_deactivated_groups", "true").Has("user_groups.9") {
		t.Error("deactivated groups are not listed although requested")
	}
	s.As("alice").Do(fmt.Sprintf("POST /user_groups/%d/members", id), "add", ids(s, "mona")).OK()
	same(t, "an older client", old.Texts())
	if got := modern.Texts(); len(got) != 1 || !strings.Contains(got[0], "add_members") {
		t.Errorf("a modern client received a deactivation: %v", got)
	}
	s.As("olga").Do("PATCH /realm", "can_invite_users_group", fmt.Sprintf(`{"new":%d}`, id)).Error(400, "BAD_REQUEST",
		"deactivated")

	s.As("alice").Do(fmt.Sprintf("PATCH /user_groups/%d", id), "deactivated", "false").OK()
	if got := old.Texts(); len(got) != 1 || !strings.Contains(got[0], `"op":"add"`) ||
		!strings.Contains(got[0], ids(s, "bob", "mona")) {
		t.Errorf("a legacy client received the group again: %v", got)
	}
	same(t, "a modern client", modern.Texts(),
		fmt.Sprintf(`{"data":{"deactivated":false},"group_id":%d,"op":"update","type":"user_group"}`, id))
}

// System groups follow roles, and clients are notified.
func TestRoles(t *testing.T) {
	s := start(t)
	id := s.As("adam").Do("POST /users", "email", "new@example.com", "full_name", "New", "password",
		"qh7wolves").OK().Int("user_id")
	s.Events(
		fmt.Sprintf(`realm_user/add seeing:%d`, id),
		fmt.Sprintf(`user_group/add_members everyone {"group_id":5,"user_ids":[%d]}`, id),
		fmt.Sprintf(`user_group/add_members everyone {"group_id":6,"user_ids":[%d]}`, id))
	bob := s.UserID("bob")
	s.As("adam").Do(fmt.Sprintf("PATCH /users/%d", bob), "role", "300").OK()
	s.Events(
		`realm_user/update seeing:bob`,
		fmt.Sprintf(`user_group/remove_members everyone {"group_id":5,"user_ids":[%d]}`, bob),
		fmt.Sprintf(`user_group/remove_members everyone {"group_id":6,"user_ids":[%d]}`, bob),
		fmt.Sprintf(`user_group/add_members everyone {"group_id":4,"user_ids":[%d]}`, bob))
	core := create(t, s, "Core", "members", ids(s, "mona"))
	s.As("adam").Do(fmt.Sprintf("DELETE /users/%d", s.UserID("mona"))).OK()
	s.Events(
		fmt.Sprintf(`user_group/remove_members everyone {"group_id":4,"user_ids":%s}`, ids(s, "mona")),
		fmt.Sprintf(`user_group/remove_members everyone {"group_id":%d,"user_ids":%s}`, core, ids(s, "mona")),
		`realm_user/update seeing:mona`)
	s.As("adam").Do(fmt.Sprintf("POST /users/%d/reactivate", s.UserID("mona"))).OK()
	s.Events(
		`realm_user/update seeing:mona`,
		fmt.Sprintf(`user_group/add_members everyone {"group_id":4,"user_ids":%s}`, ids(s, "mona")),
		fmt.Sprintf(`user_group/add_members everyone {"group_id":%d,"user_ids":%s}`, core, ids(s, "mona")))
	a := register(s.As("alice")).Start
	if got := fmt.Sprint(a.Get("realm_user_groups.8.members")); got != strings.ReplaceAll(ids(s, "mona"), ",", " ") {
		t.Errorf("Core has %s", got)
	}
}
