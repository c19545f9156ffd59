package cli_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/internal/cli"
	"github.com/stoachat/stoa/domain/declared"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/standard"
)

// Operators list and change the settings that modules declare. Without any, there is no such command.
func TestSettingCommands(t *testing.T) {
	t.Parallel()
	party := kit.Define("party", "Declares settings.", kit.None{}, func(kit.None, struct{ fx.In }) (kit.Parts, error) {
		return kit.Parts{Settings: []declared.Any{
			declared.ForRealm("cakes", declared.Int(3, 1, 9), "Cakes", "Cakes a day."),
			declared.ForRealm("cake_motto", declared.Text("", 20), "Motto", "What is written on the cake."),
			declared.ForRealm("can_bake_group", declared.Group(group.Rule{Default: group.Everyone, Everyone: true}),
				"Who bakes", "Others only eat."),
			declared.ForChannel("feast", declared.Bool(false), "Feast", "Whether there is cake."),
		}}, nil
	})
	all := append(standard.Modules(), party)
	dir := t.TempDir()
	run := func(args ...string) result {
		t.Helper()
		in := strings.NewReader("a long password\n")
		return call(t, cli.Call{Args: append(args, "--data-dir", dir), In: in, Modules: all})
	}
	run("init", "--realm", "Stoics", "--owner-email", "zeno@example.com", "--owner-name", "Zeno",
		"--password-stdin").ok(t)
	run("setting", "set", "cakes", "5").ok(t)
	run("setting", "set", "cake_motto", "5").ok(t)
	run("setting", "set", "can_bake_group", "role:moderators").ok(t)
	run("setting", "set", "feast", "true", "--channel", "general").ok(t)
	want := `[{"key":"cakes","module":"party","value":5,"label":"Cakes"},` +
		`{"key":"cake_motto","module":"party","value":"5","label":"Motto"},` +
		`{"key":"can_bake_group","module":"party","value":4,"label":"Who bakes"},`
	if got := run("setting", "list", "--json").ok(t).out; !strings.HasPrefix(got, want) {
		t.Error(got)
	}
	lines := strings.Split(run("setting", "list", "--channel", "general").ok(t).out, "\n")
	if fields := strings.Fields(lines[1]); !slices.Equal(fields, []string{"feast", "party", "true", "Feast"}) {
		t.Errorf("%q", lines)
	}
	for _, c := range []struct {
		want string
		code int
		args []string
	}{
		{`did you mean "cakes"?`, 2, []string{"cake", "1"}},
		{`"many" is no int`, 2, []string{"cakes", "many"}},
		{"cakes must be from 1 to 9", 1, []string{"cakes", "10"}},
		{`did you mean "role:owners"?`, 2, []string{"can_bake_group", "role:owner"}},
		{`there is no setting "feast"`, 2, []string{"feast", "true"}},
		{`there is no channel "attic"`, 3, []string{"feast", "true", "--channel", "attic"}},
	} {
		run(append([]string{"setting", "set"}, c.args...)...).fails(t, c.code, c.want)
	}
	if got := run("audit", "list", "--action", "realm.setting_changed").ok(t).out; strings.Count(got, " operator ") != 3 {
		t.Error(got)
	}
	few := filepath.Join(t.TempDir(), "stoa.yaml")
	if err := os.WriteFile(few, []byte("modules: {realm: {}, accounts: {}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	stoa(t, "", "setting", "list", "--config", few).fails(t, 2, "unexpected argument setting")
}
