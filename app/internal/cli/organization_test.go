package cli_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/stoachat/stoa/app/internal/cli"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/standard"
)

// realmCommands returns the command lines, without global flags, of all commands that take an organization, with
// arbitrary values for what they require, and the names of all other commands.
func realmCommands(t *testing.T) (with [][]string, without []string) {
	t.Helper()
	all, declared, err := cli.Commands(standard.Modules(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, node := range all {
		flags := map[string]*kong.Flag{}
		for _, f := range node.Flags {
			flags[f.Name] = f
		}
		name := strings.TrimPrefix(node.FullPath(), "stoa ")
		if slices.ContainsFunc(declared, func(c kit.Command) bool { return c.Name == name && c.InServer }) {
			continue // see TestLimits
		}
		if flags["realm-id"] == nil {
			without = append(without, name)
			continue
		}
		if s := flags["subdomain"]; s == nil || s.Required || flags["realm-id"].Required {
			t.Errorf("stoa %s does not embed organization", name)
		}
		with = append(with, append(strings.Fields(name), filled(node)...))
	}
	return with, without
}

// Commands that take an organization need no flag for it while there is only one. Otherwise they say which there are.
func TestCommandsSelectOrganization(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir) // export folder writes there
	config := filepath.Join(dir, "c.yaml")
	if err := os.WriteFile(config, []byte("modules: {standard: {}, realm: {domain: chat.test}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	at := []string{"--config", config, "--data-dir", dir}
	run := func(line []string, more ...string) result { return stoa(t, "", slices.Concat(line, at, more)...) }
	run([]string{"init", "--realm", "Stoics", "--owner-email", "o@example.com", "--owner-name", "Olga"}).ok(t)

	with, without := realmCommands(t)
	if len(with) < 9 {
		t.Errorf("only %v take an organization", with)
	}
	// A command that works on an organization belongs to the list above, unless it creates one or covers all of them.
	for _, name := range without {
		group, _, _ := strings.Cut(name, " ")
		if (group == "realm" || group == "user") && name != "realm create" && name != "realm list" {
			t.Errorf("stoa %s does not take an organization", name)
		}
	}
	if r := run([]string{"realm", "quota", "500"}).ok(t); r.out != "set the quota to 500 MiB in realm 1 \"Stoics\"\n" {
		t.Errorf("quota: %s", r.out)
	}
	for _, line := range with {
		if r := run(line); strings.Contains(r.err, "--realm-id") {
			t.Errorf("one organization: stoa %s: %s", strings.Join(line, " "), r.err)
		}
	}
	run([]string{"realm", "reactivate"}) // stoa realm deactivate is among them
	run([]string{"realm", "create", "--name", "Skeptics", "--subdomain", "skeptics", "--owner-email", "o@example.com",
		"--owner-name", "Olga"}).ok(t)
	for i, line := range with {
		run(line).fails(t, 2, "several organizations", "--realm 1 (Stoics), --realm 2 (Skeptics)")
		if i == 0 { // all read these flags in the same way
			run(line, "--realm-id", "77").fails(t, 3, "no realm 77")
			run(line, "--subdomain", "skeptic").fails(t, 3, `did you mean "skeptics"?`)
			run(line, "--subdomain", "skeptics", "--realm-id", "2").fails(t, 2, "only once")
		}
	}
	for _, flags := range [][]string{{"--subdomain", ""}, {"--realm-id", "1"}, {"--realm", ""}, {"--realm", "1"}} {
		if r := run([]string{"realm", "quota", "none"}, flags...).ok(t); !strings.Contains(r.out, `quota to none in realm 1 "Stoics"`) {
			t.Errorf("%v: %s", flags, r.out)
		}
	}
}

var (
	codeSpan = regexp.MustCompile("`((?:bin/)?stoa [^`]+)`")
	codeLine = regexp.MustCompile(`(?m)^ *(?:ExecStart=/usr/local/)?((?:bin/)?stoa .+)$`)
	word     = regexp.MustCompile(`^[a-z]+(?:-[a-z]+)*$`)
	flagName = regexp.MustCompile(`^--[a-z-]+`)
	// otherAddress matches the default address under another name than the one that the server prints.
	otherAddress = regexp.MustCompile(`(?:proxy_pass )?http://(?:127\.0\.0\.1|\[::1\]):9991`)
	compiles     = regexp.MustCompile(`go run (?:\./)?(?:app/)?cmd/stoa`)
)

// flagsOf returns the flags of the command to which the words belong, or of the group of commands, and reports whether
// there is one. What follows a command must be its arguments.
func flagsOf(all []*kong.Node, words []string) (flags []string, known bool) {
	var command *kong.Node
	for _, n := range all {
		path := strings.Fields(nameOf(n))
		rest, ok := cutPrefix(words, path)
		switch {
		case ok && (len(rest) == 0 || len(n.Positional) > 0):
			if command == nil || len(path) > len(strings.Fields(nameOf(command))) {
				command = n
			}
		case len(words) < len(path) && slices.Equal(path[:len(words)], words):
			known = true
		}
	}
	flags = []string{"--help"}
	if command == nil {
		return flags, known
	}
	for _, group := range command.AllFlags(false) {
		for _, f := range group {
			for _, name := range append([]string{f.Name}, f.Aliases...) {
				flags = append(flags, "--"+name)
			}
		}
	}
	return flags, true
}

// cutPrefix returns the words without the leading prefix, and reports whether they begin with it.
func cutPrefix(words, prefix []string) ([]string, bool) {
	if len(words) < len(prefix) || !slices.Equal(words[:len(prefix)], prefix) {
		return nil, false
	}
	return words[len(prefix):], true
}

// The commands in the documentation exist, with their flags, and none of them compiles the program anew. The server's
// default address has one name.
func TestDocumentedCommands(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..")
	seen := 0
	everything := filepath.Join(t.TempDir(), "stoa.yaml") // with modules that are off by default and have commands
	if err := os.WriteFile(everything, []byte("modules: {standard: {}, wasm: {}, ldap: {}, scim: {}}"),
		0o600); err != nil {
		t.Fatal(err)
	}
	all, _, err := cli.Commands(standard.Modules(), everything)
	if err != nil {
		t.Fatal(err)
	}
	check := func(path, line string) {
		words := strings.Fields(line)[1:]
		n := 0
		for n < len(words) && word.MatchString(words[n]) {
			n++
		}
		if n == 0 { // the README's tour calls curl like this, and other lines give only flags
			return
		}
		seen++
		flags, known := flagsOf(all, words[:n])
		if !known {
			t.Errorf("%s: %s: there is no such command", path, line)
			return
		}
		for _, w := range words[n:] {
			if f := flagName.FindString(w); f != "" && !slices.Contains(flags, f) {
				t.Errorf("%s: %s: there is no flag %s", path, line, f)
			}
		}
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == "node_modules" || name == "data" ||
				len(name) > 2 && name[0] == '.' && name != ".github" && name != ".ci" {
				return fs.SkipDir
			}
			return nil
		}
		if base := filepath.Base(path); filepath.Ext(path) != ".md" && base != "Makefile" &&
			filepath.Base(filepath.Dir(path)) != ".ci" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if found := compiles.Find(text); found != nil {
			t.Errorf("%s: %s compiles everything again; use bin/stoa", path, found)
		}
		for _, found := range otherAddress.FindAllString(string(text), -1) {
			if !strings.HasPrefix(found, "proxy_pass ") {
				t.Errorf("%s: %s is called http://localhost:9991 elsewhere", path, found)
			}
		}
		if filepath.Ext(path) == ".md" {
			for _, m := range append(codeSpan.FindAllSubmatch(text, -1), codeLine.FindAllSubmatch(text, -1)...) {
				check(path, string(m[1]))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 40 {
		t.Errorf("only %d commands were found", seen)
	}
}
