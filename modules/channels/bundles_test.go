package channels_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// TestDefaultChannelGroups checks permissions, errors, event receivers, and consistency with /register.
func TestDefaultChannelGroups(t *testing.T) {
	s := startAll(t)
	for _, name := range []string{"Rome", "Athens", "Sparta"} {
		s.As("olga").Do("POST /channels/create", "name", name, "subscribers", "[]").OK()
	}
	rome, athens, sparta, general := channelID(s, "Rome"), channelID(s, "Athens"), channelID(s, "Sparta"),
		s.ChannelID("general")
	s.As("olga").Do("POST /channels/create", "name", "attic", "subscribers", "[]").OK()
	s.As("olga").Do(fmt.Sprintf("DELETE /streams/%d", channelID(s, "attic"))).OK()
	s.As("olga").Do("POST /default_streams", "stream_id", fmt.Sprint(int64(general))).OK()
	groups := func(want string) {
		t.Helper()
		var list any
		if err := json.Unmarshal([]byte(want), &list); err != nil {
			t.Fatal(err)
		}
		want = kittest.JSON(list)
		if got := kittest.JSON(s.As("bob").Do("POST /register", "event_types",
			`["default_stream_groups"]`).OK().Get("realm_default_stream_groups")); got != want {
			t.Errorf("groups: %s, want %s", got, want)
		}
		if got := kittest.JSON(s.As("guest").Do("POST /register", "event_types",
			`["default_stream_groups"]`).OK().Get("realm_default_stream_groups")); got != "[]" {
			t.Errorf("a guest received groups: %s", got)
		}
	}
	groups("[]")
	all := follow(s)
	const event = "default_stream_groups"
	everybody := func(before string) []string {
		var out []string
		for _, who := range []string{"alice", "bob", "olga", "adam", "mona", "bot"} {
			out = append(out, who+": "+before+event)
		}
		return out
	}
	create, one := "POST /default_stream_groups/create", "PATCH /default_stream_groups/1"
	for _, row := range []struct {
		name, as, call string
		params         []string
		code, msg      string // "": success
		groups         string // "": unchanged
	}{
		{"a member may not", "alice", create, []string{"group_name", "x", "description", "", "stream_names", "[]"},
			"UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator", ""},
		{"nor a moderator", "mona", "DELETE /default_stream_groups/1", nil, "UNAUTHORIZED_PRINCIPAL",
			"Must be an organization administrator", ""},
		{"no name", "adam", create, []string{"group_name", "  ", "description", "", "stream_names", "[]"}, "BAD_REQUEST", "",
			""},
		{"a long name", "adam", create, []string{"group_name", strings.Repeat("x", 61), "description", "", "stream_names",
			"[]"}, "BAD_REQUEST", "", ""},
		{"a long description", "adam", create, []string{"group_name", "x", "description", strings.Repeat("x", 1025),
			"stream_names", "[]"}, "BAD_REQUEST", "", ""},
		{"a missing channel", "adam", create, []string{"group_name", "x", "description", "", "stream_names",
			`["Rome","nowhere"]`}, "BAD_REQUEST", "Invalid channel name 'nowhere'", ""},
		{"an archived one", "adam", create, []string{"group_name", "x", "description", "", "stream_names", `["attic"]`},
			"BAD_REQUEST", "Invalid channel name 'attic'", ""},
		{"a private one", "adam", create, []string{"group_name", "x", "description", "", "stream_names", `["secret"]`},
			"BAD_REQUEST", "Private channels cannot be made default.", ""},
		{"a default channel", "adam", create, []string{"group_name", "x", "description", "", "stream_names", `["general"]`},
			"BAD_REQUEST", "", ""},
		{"twice the same", "adam", create, []string{"group_name", "x", "description", "", "stream_names", `["Rome","rome"]`},
			"BAD_REQUEST", "", ""},
		{"a group", "adam", create, []string{"group_name", " Towns ", "description", "d", "stream_names",
			`["athens","Rome"]`}, "", "",
			fmt.Sprintf(`[{"id":1,"name":"Towns","description":"d","streams":[%d,%d]}]`, rome, athens)},
		{"a taken name", "olga", create, []string{"group_name", "towns", "description", "", "stream_names", "[]"},
			"BAD_REQUEST", "", ""},
		{"an empty group", "olga", create, []string{"group_name", "Isles", "description", "", "stream_names", "[]"}, "", "",
			fmt.Sprintf(`[{"id":2,"name":"Isles","description":"","streams":[]},{"id":1,"name":"Towns","description":"d",`+
				`"streams":[%d,%d]}]`, rome, athens)},
		{"nothing to change", "adam", one, nil, "BAD_REQUEST", "", ""},
		{"an unknown group", "adam", "PATCH /default_stream_groups/77", []string{"new_description", "x"}, "BAD_REQUEST",
			"Default channel group with id '77' does not exist.", ""},
		{"another's name", "adam", one, []string{"new_group_name", "ISLES"}, "BAD_REQUEST", "", ""},
		{"its own name in capitals, and a description", "adam", one,
			[]string{"new_group_name", "TOWNS", "new_description", "e"}, "", "",
			fmt.Sprintf(`[{"id":2,"name":"Isles","description":"","streams":[]},{"id":1,"name":"TOWNS","description":"e",`+
				`"streams":[%d,%d]}]`, rome, athens)},
		{"no op", "adam", one + "/streams", []string{"op", "put", "stream_names", `["Sparta"]`}, "BAD_REQUEST", "", ""},
		{"a channel already in it", "adam", one + "/streams", []string{"op", "add", "stream_names", `["Sparta","Rome"]`},
			"BAD_REQUEST",
			"", ""},
		{"a channel not in it", "adam", one + "/streams", []string{"op", "remove", "stream_names", `["Sparta"]`},
			"BAD_REQUEST", "",
			""},
		{"one more", "adam", one + "/streams", []string{"op", "add", "stream_names", `["Sparta"]`}, "", "",
			fmt.Sprintf(`[{"id":2,"name":"Isles","description":"","streams":[]},{"id":1,"name":"TOWNS","description":"e",`+
				`"streams":[%d,%d,%d]}]`, rome, athens, sparta)},
		{"one less", "adam", one + "/streams", []string{"op", "remove", "stream_names", `["athens"]`}, "", "",
			fmt.Sprintf(`[{"id":2,"name":"Isles","description":"","streams":[]},{"id":1,"name":"TOWNS","description":"e",`+
				`"streams":[%d,%d]}]`, rome, sparta)},
		{"no group is deleted", "adam", "DELETE /default_stream_groups/77", nil, "BAD_REQUEST",
			"Default channel group with id '77' does not exist.", ""},
		{"one group is deleted", "adam", "DELETE /default_stream_groups/2", nil, "", "",
			fmt.Sprintf(`[{"id":1,"name":"TOWNS","description":"e","streams":[%d,%d]}]`, rome, sparta)},
	} {
		t.Run(row.name, func(t *testing.T) {
			all.s = s.In(t)
			a := all.s.As(row.as).Do(row.call, row.params...)
			if row.code != "" {
				a.Error(400, row.code, row.msg)
				all.expect()
				return
			}
			a.Is(200, `{"result":"success","msg":""}`)
			all.expect(everybody("")...)
			groups(row.groups)
		})
	}
	all.s = s
	s.As("olga").Do("POST /default_streams", "stream_id", fmt.Sprint(rome)).OK()
	all.expect(everybody("default_streams ")...)
	groups(fmt.Sprintf(`[{"id":1,"name":"TOWNS","description":"e","streams":[%d]}]`, sparta))
	s.As("olga").Do(fmt.Sprintf("DELETE /streams/%d", sparta)).OK()
	all.expect(everybody("stream/update:is_archived ")...)
	groups(`[{"id":1,"name":"TOWNS","description":"e","streams":[]}]`)
	s.As("olga").Do(one+"/streams", "op", "add", "stream_names", `["Athens"]`).OK()
	all.expect(everybody("")...)
	s.As("olga").Do(fmt.Sprintf("PATCH /streams/%d", athens), "is_private", "true", "history_public_to_subscribers",
		"true").OK()
	all.poll()
	groups(`[{"id":1,"name":"TOWNS","description":"e","streams":[]}]`)
	s.Restart()
	groups(`[{"id":1,"name":"TOWNS","description":"e","streams":[]}]`)
}
