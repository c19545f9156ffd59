package group_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/group"
)

func TestSettingJSON(t *testing.T) {
	for in, want := range map[string]string{
		`5`: `5`,
		`{"direct_members":[3,1,3],"direct_subgroups":[104,101]}`: `{"direct_members":[1,3],"direct_subgroups":[101,104]}`,
		`{"direct_members":[],"direct_subgroups":[6]}`:            `6`,
		`{"direct_members":[],"direct_subgroups":[]}`:             `1`,
		`{}`:                     `1`,
		`{"direct_members":[9]}`: `{"direct_members":[9],"direct_subgroups":[]}`,
		`null`:                   ``, `0`: ``, `-1`: ``, `"6"`: ``, `6.5`: ``, `true`: ``, `[6]`: ``,
		`{"direct_members":[9],"more":1}`: ``, `{"direct_members":["9"]}`: ``,
	} {
		var s group.Setting
		err := json.Unmarshal([]byte(in), &s)
		if in == "null" { // encoding/json skips null; the type itself rejects it
			err = s.UnmarshalJSON([]byte(in))
		}
		if (err == nil) != (want != "") {
			t.Errorf("%s: error %v", in, err)
			continue
		}
		if out, _ := json.Marshal(s); err == nil && string(out) != want {
			t.Errorf("%s became %s, want %s", in, out, want)
		}
	}
}

func TestUpdateJSON(t *testing.T) {
	for in, ok := range map[string]bool{
		`{"new":5}`: true, `{"new":5,"old":6}`: true, `{"old":6}`: false, `{}`: false, `5`: false, `{"new":null}`: false,
		`{"new":5,"other":1}`: false, `{"new":{"direct_members":[1]},"old":{"direct_subgroups":[6]}}`: true,
	} {
		var u group.Update
		if err := json.Unmarshal([]byte(in), &u); (err == nil) != ok {
			t.Errorf("%s: %v, want ok %v", in, err, ok)
		}
	}
}

func TestCheckName(t *testing.T) {
	for in, ok := range map[string]bool{
		"Engineering": true, " x ": true, "": false, "  ": false, "@core": false, "role:x": false, "Role:x": false,
		"user:1":   false,
		"stream:x": false, "channel:x": false, "a\x00": false, "a\nb": false, "a\tb": false, "a\u0085b": false,
		"\n a\t": true, "a\xff": false, "\u200b": false, "\u3000\u2060": false, "\u3164": false, "\u2800 \u115f": false,
		"\U0001fae9": true, "👩\u200d💻": true, "…": true, "a\u202eb": false, "a\u200b": false, "\u200d": false, "＠core": false,
		"ＲＯＬＥ：x": false, strings.Repeat("é", 100): true, strings.Repeat("é", 101): false,
	} {
		key := func(name string) string {
			return strings.ToLower(strings.NewReplacer("＠", "@", "ＲＯＬＥ：", "role:").Replace(name))
		}
		if _, err := group.CheckName(in, key); (err == nil) != ok {
			t.Errorf("CheckName(%q): %v, want ok %v", in, err, ok)
		}
	}
}

func TestCheckDescription(t *testing.T) {
	const long = "description is too long (limit: 1024 characters)"
	const invalid = "Invalid character in user group description."
	for in, want := range map[string]string{
		"": "", "a\nb": "", strings.Repeat("é", 1024): "", strings.Repeat("é", 1025): long,
		"a\x00": invalid, "a\xff": invalid,
	} {
		got := ""
		if err := group.CheckDescription(in); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%.20q: %q, want %q", in, got, want)
		}
	}
}

// Every rule's default is accepted by the setting.
func TestRules(t *testing.T) {
	for scope, n := range map[group.Scope]int{group.OfRealm: 25, group.OfStream: 11,
		group.OfGroup: len(group.Permissions)} {
		rules := group.Rules(scope)
		if len(rules) != n {
			t.Errorf("%s has %d settings, want %d", scope, len(rules), n)
		}
		for _, r := range rules {
			if r.Default != group.Creator && !r.Accepts(r.Default) || r.Accepts(group.Internet) {
				t.Errorf("%s %s: default %d, allows role:internet %v", scope, r.Name, r.Default, r.Accepts(group.Internet))
			}
		}
	}
}

func TestSystemNames(t *testing.T) {
	for _, g := range group.System() {
		if group.SystemName(g.ID) != g.Name {
			t.Errorf("%d is %s and %s", g.ID, g.Name, group.SystemName(g.ID))
		}
	}
}
