package cli_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/stoachat/stoa/app/internal/cli"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/standard"
)

// every returns all commands, and those that modules declare.
func every(t *testing.T) ([]*kong.Node, []kit.Command) {
	t.Helper()
	all, declared, err := cli.Commands(standard.Modules(), "")
	if err != nil {
		t.Fatal(err)
	}
	return all, declared
}

// nameOf returns the words of a command.
func nameOf(n *kong.Node) string {
	if n.Parent != nil && n.Parent.DefaultCmd == n {
		return n.Parent.Path()
	}
	return n.Path()
}

// Every command explains itself. Those that modules declare print JSON, have --yes and --dry-run if they ask, and fail
// with 3 if the user does not exist, or with 5 if they need a running server.
func TestEveryCommand(t *testing.T) {
	t.Parallel()
	all, declared := every(t)
	dir := t.TempDir()
	stoa(t, "", "init", "--data-dir", dir, "--realm", "Stoics", "--owner-email", "zeno@example.com",
		"--owner-name", "Zeno").ok(t)
	for _, command := range []string{"doctor", "user list"} { // one of the server and one of a module
		stoa(t, "", append(strings.Fields(command), "--no-such-flag")...).fails(t, 2, "--no-such-flag", "stoa --help")
	}
	for _, n := range all {
		words := strings.Fields(nameOf(n))
		if words[0] == "help" {
			continue
		}
		help := stoa(t, "", append(slices.Clone(words), "--help")...).ok(t).out
		if !strings.HasPrefix(help, "Usage: stoa "+strings.Join(words, " ")) {
			t.Errorf("stoa %s --help:\n%s", nameOf(n), help)
		}
		i := slices.IndexFunc(declared, func(c kit.Command) bool { return c.Name == nameOf(n) })
		if i < 0 {
			continue
		}
		if c := declared[i]; strings.Contains(help, "--json") == c.Streams ||
			strings.Contains(help, "--yes") != c.Asks || strings.Contains(help, "--dry-run") != (c.Asks || c.Founds) ||
			strings.Contains(help, "--realm") == (c.ForServer && !c.Founds) { // a founding one names the new organization
			t.Errorf("the flags of stoa %s:\n%s", c.Name, help)
		}
		line := append(slices.Clone(words), filled(n)...)
		if strings.Contains(help, "--email=") && nameOf(n) != "user create" {
			if !slices.Contains(line, "--email") {
				line = append(line[:len(words)], "--email", nobody)
			}
			code, text := 3, nobody
			if declared[i].InServer {
				code, text = 5, "no server is running"
			}
			stoa(t, "", append(line, "--data-dir", dir)...).fails(t, code, text)
		}
	}
}

const nobody = "nobody@example.com"

// filled returns values for the arguments and flags that a command requires.
func filled(n *kong.Node) []string {
	value := func(v *kong.Value) string {
		switch {
		case v.Name == "role":
			return "member"
		case v.Name == "email":
			return nobody
		case v.Enum != "":
			return v.EnumSlice()[0]
		}
		return "1"
	}
	var out []string
	for _, arg := range n.Positional {
		if arg.Required || arg.Name == "id" {
			out = append(out, value(arg))
		}
	}
	for _, f := range n.Flags {
		if f.Required {
			out = append(out, "--"+f.Name, value(f.Value))
		}
	}
	return out
}

// TestCommandList compares configs/commands.md with the commands.
func TestCommandList(t *testing.T) {
	const file = "../../../configs/commands.md"
	var b strings.Builder
	b.WriteString("# Commands\n\nThis file is generated from the code; `make generate` writes it. " +
		"`stoa help COMMAND` prints the flags of a command.\n\n" + rules + "\n| command | what it does |\n|---|---|\n")
	all, declared := every(t)
	slices.SortFunc(all, func(a, b *kong.Node) int { return strings.Compare(nameOf(a), nameOf(b)) })
	for _, n := range all {
		if n.Hidden {
			continue
		}
		mark := ""
		if i := slices.IndexFunc(declared, func(c kit.Command) bool { return c.Name == nameOf(n) }); i >= 0 &&
			declared[i].Asks {
			mark = " Asks first."
		}
		args := ""
		for _, arg := range n.Positional {
			args += " " + strings.ToUpper(arg.Summary())
		}
		fmt.Fprintf(&b, "| `stoa %s%s` | %s%s |\n", nameOf(n), args, strings.ReplaceAll(n.Help, "|", "\\|"), mark)
	}
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || string(want) != b.String() {
		t.Errorf("configs/commands.md is out of date (%v): run make generate", err)
	}
}

const rules = `Commands of modules act in the running server, through ` + "`data_dir/admin.sock`" + `, which only its user and root
may use. If none is running, they act in their own process, with the same effects. Commands about an organization
select it with ` + "`--realm`" + `, by subdomain or ID, unless there is only one. ` + "`--json`" + ` prints JSON, whose keys do not
change; ` + "`--quiet`" + ` prints only errors. Commands that ask first need ` + "`--yes`" + ` without a terminal; ` + "`--dry-run`" + ` prints what
they would do. Passwords come from ` + "`--password-stdin`" + `, ` + "`--password-file`" + ` or ` + "`--password-prompt`" + `.

Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 not found, 4 refused, 5 something that the server
depends on does not respond.
`
