package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/configs"
	"github.com/stoachat/stoa/modules/standard"
)

type needs struct{ fx.In }

func TestInit(t *testing.T) {
	t.Parallel()
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		if url == kittest.Memory {
			url = "sqlite:" + filepath.Join(t.TempDir(), "x.db")
		}
		url = kittest.Real(t, url)
		stoa(t, "", "init", "--database-url", url, "--owner-email", "o@example.com", "--owner-name", "O").fails(t, 1,
			"--realm")
		stoa(t, "", "user", "list", "--database-url", url).fails(t, 1, "no organization yet", "stoa init --database-url ")
		if path, ok := strings.CutPrefix(url, "sqlite:"); ok {
			absent(t, path)
		}
		r := stoa(t, "a long password\n", "init", "--database-url", url, "--realm", "Stoics", "--owner-email",
			"o@example.com",
			"--owner-name", "Olga", "--password-stdin", "--json").ok(t)
		var made struct {
			Realm    int    `json:"realm_id"`
			User     int    `json:"user_id"`
			Email    string `json:"email"`
			Key      string `json:"api_key"`
			Password string `json:"password"`
		}
		if err := json.Unmarshal([]byte(r.out), &made); err != nil {
			t.Fatalf("%v: %s", err, r.out)
		}
		if made.Realm == 0 || made.User == 0 || made.Email != "o@example.com" || len(made.Key) < 32 || made.Password != "" {
			t.Errorf("got %+v", made)
		}
		stoa(t, "", "init", "--database-url", url, "--realm", "S", "--owner-email", "p@example.com", "--owner-name", "P").
			fails(t, 1, "already contains a realm", "stoa user create")
		stoa(t, "", "user", "password", "--database-url", url, "--email", "nobody@example.com").fails(t, 3,
			"no user has the address")
		list := stoa(t, "", "user", "list", "--database-url", url).ok(t)
		if !strings.Contains(list.out, "o@example.com") || strings.Contains(list.out, "p@example.com") {
			t.Errorf("list:\n%s", list.out)
		}
	})
}

func TestUsersDuringServe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, standard.Modules(), "--data-dir", dir)
	s.wait("/users/me")
	r := stoa(t, "", "user", "create", "--data-dir", dir, "--email", "ann@example.com", "--name", "Ann", "--role",
		"moderator", "--json").ok(t)
	var ann struct {
		Key string `json:"api_key"`
	}
	if err := json.Unmarshal([]byte(r.out), &ann); err != nil {
		t.Fatal(err)
	}
	me := func(key string) int {
		status, _ := ask(t, "GET", s.url+"/api/v1/users/me", "ann@example.com", key, nil)
		return status
	}
	kittest.Await(t, func() bool { return me(ann.Key) == 200 })
	second := field(t, stoa(t, "", "user", "key", "--data-dir", dir, "--email", "Ann@example.com").ok(t).out, "API key")
	kittest.Await(t, func() bool { return me(second) == 200 })

	stoa(t, "", "user", "create", "--data-dir", dir, "--email", "ann@example.com", "--name", "Ann").fails(t, 1,
		"ann@example.com")
	stoa(t, "", "user", "create", "--data-dir", dir, "--email", "x@example.com", "--name", "X", "--role", "memmber").
		fails(t, 2, `unknown role "memmber"; did you mean "member"?`)
	stoa(t, "", "user", "deactivate", "--data-dir", dir, "--email", "an@example.com").fails(t, 3,
		`did you mean "ann@example.com"?`)
	stoa(t, "", "user", "list", "--data-dir", dir, "--realm-id", "77").fails(t, 3, "--realm-id")

	logIn := func(email, password string) int {
		status, _ := ask(t, "POST", s.url+"/api/v1/fetch_api_key", "", "",
			map[string][]string{"username": {email}, "password": {password}})
		return status
	}
	stoa(t, "staple horse battery\n", "user", "password", "--data-dir", dir, "--email", "ann@example.com",
		"--password-stdin").ok(t)
	kittest.Await(t, func() bool { return me(ann.Key) == 401 && me(second) == 401 })
	if got := logIn("ann@example.com", "staple horse battery"); got != 200 {
		t.Errorf("login with the new password: %d", got)
	}
	made := stoa(t, "", "user", "password", "--data-dir", dir, "--email", "ann@example.com").ok(t)
	password := private(t, field(t, made.out, "password file"))
	if strings.Contains(made.out+made.err, password) {
		t.Errorf("a password is printed although the output is not a terminal: %s", made.out)
	}
	if got := logIn("ann@example.com", password); got != 200 {
		t.Errorf("login with the generated password: %d", got)
	}
	stoa(t, "x", "user", "password", "--data-dir", dir, "--email", "ann@example.com", "--password-stdin").fails(t, 1,
		"The password must have at least 8 characters.")
	stoa(t, "", "user", "email", "--data-dir", dir, "--email", "ann@example.com", "--new-email",
		"owner@stoa.localhost").fails(t, 1, "owner@stoa.localhost")
	stoa(t, "", "user", "email", "--data-dir", dir, "--email", "ann@example.com", "--new-email", "anna@example.com").ok(t)
	kittest.Await(t, func() bool { return logIn("anna@example.com", password) == 200 })
	stoa(t, "", "user", "email", "--data-dir", dir, "--email", "anna@example.com", "--new-email", "ann@example.com").ok(t)

	stoa(t, "", "user", "deactivate", "--data-dir", dir, "--email", "ann@example.com").ok(t)
	stoa(t, "", "user", "password", "--data-dir", dir, "--email", "ann@example.com").fails(t, 1, "deactivated")
	kittest.Await(t, func() bool { return me(ann.Key) == 401 && me(second) == 401 })
	stoa(t, "", "user", "key", "--data-dir", dir, "--email", "ann@example.com").fails(t, 1, "deactivated")
	list := stoa(t, "", "user", "list", "--data-dir", dir, "--json").ok(t)
	if !strings.Contains(list.out,
		`"email":"ann@example.com","full_name":"Ann","role":"moderator","is_bot":false,"is_active":false`) {
		t.Errorf("list: %s", list.out)
	}
	s.stop(0)
}

// private returns the content of a file, and checks that only its owner can read it.
func private(t *testing.T, path string) string {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("%s has mode %v", path, info.Mode().Perm())
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

func absent(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Stat(path); err == nil {
		t.Errorf("%s was created", path)
	}
}

// Commands that need an organization do not create a database, and their hints repeat the flags in use.
func TestReadOnlyCommandsCreateNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a folder")
	for _, c := range []string{
		"user list", "realm list", "user create --email a@example.com --name A", "user password --email a@example.com",
		"realm deactivate --realm-id 1",
	} {
		stoa(t, "", append(strings.Fields(c), "--data-dir", dir)...).fails(t, 1, "there is no organization yet",
			"stoa init --data-dir '"+dir+"' --realm NAME")
		absent(t, dir)
	}
	if r := stoa(t, "", "migrate", "status", "--data-dir", dir).ok(t); !strings.Contains(r.out, "missing") ||
		!strings.Contains(r.err, "no database yet") {
		t.Errorf("migrate status: %s%s", r.out, r.err)
	}
	absent(t, dir)
	for _, c := range []string{"serve", "migrate up", "user list"} {
		stoa(t, "", append(strings.Fields(c), "--database-url", "sqlite:"+dir+"/x.db")...).fails(t, 1,
			"database.url: the folder "+dir, "does not exist")
		absent(t, dir)
	}
	dir = t.TempDir()
	stoa(t, "", "migrate", "up", "--data-dir", dir).ok(t)
	stoa(t, "", "user", "list", "--data-dir", dir).fails(t, 1, "there is no organization yet")
}

func TestVersion(t *testing.T) {
	one, other := stoa(t, "", "version").ok(t).out, stoa(t, "", "--version").ok(t).out
	if one != other || !strings.HasPrefix(one, "stoa "+testVersion) {
		t.Errorf("version: %q, --version: %q", one, other)
	}
	s := serve(t, standard.Modules(), "--data-dir", t.TempDir())
	if _, v := ask(t, "GET", s.url+"/api/v1/server_settings", "", "", nil); v["stoa_version"] != testVersion {
		t.Errorf("server_settings: stoa_version is %v", v["stoa_version"])
	}
	for _, want := range []string{`msg="server started" module=server version=` + testVersion + " config=default database=sqlite:",
		" url=" + s.url + "\n"} {
		if !strings.Contains(s.errs.String(), want) {
			t.Errorf("%q is missing from\n%s", want, s.errs)
		}
	}
	s.stop(0)
}

func TestHelp(t *testing.T) {
	t.Parallel()
	if a, b := stoa(t, "", "help", "user", "create").ok(t).out,
		stoa(t, "", "user", "create", "--help").ok(t).out; a != b || a == "" {
		t.Errorf("help user create: %s", a)
	}
	if a, b := stoa(t, "", "help").ok(t).out, stoa(t, "", "--help").ok(t).out; a != b || a == "" {
		t.Errorf("help: %s", a)
	}
	for _, c := range []string{
		"", "serve", "init", "user", "user create", "user list", "user deactivate", "user key", "user password", "user email",
		"mail", "mail test", "modules", "routes",
		"config", "config check", "config print", "migrate", "migrate status", "migrate up",
		"migrate finish", "upgrade check", "blobs", "blobs check",
		"blobs move", "version", "completion",
	} {
		r := stoa(t, "", append(strings.Fields(c), "--help")...).ok(t)
		if !strings.HasPrefix(r.out, "Usage: stoa "+c) || strings.Count(r.out, "\n") < 5 {
			t.Errorf("stoa %s --help:\n%s", c, r.out)
		}
	}
	for _, c := range []string{"", "sevre", "serve --port 3", "user", "user create"} {
		if r := stoa(t, "", strings.Fields(c)...); r.code != 2 || !strings.Contains(r.err, "stoa --help") {
			t.Errorf("stoa %s: %+v", c, r)
		}
	}
}

func TestCompletion(t *testing.T) {
	fish := stoa(t, "", "completion", "fish").ok(t).out
	for _, want := range []string{"-a 'serve'", "-l 'owner-email'", "__fish_seen_subcommand_from user"} {
		if !strings.Contains(fish, want) {
			t.Errorf("fish: %q is missing", want)
		}
	}
	if zsh := stoa(t, "", "completion", "zsh").ok(t).out; !strings.Contains(zsh, "bashcompinit") {
		t.Error("zsh: does not load the completions for bash")
	}
	if r := stoa(t, "", "completion", "csh"); r.code != 2 {
		t.Errorf("csh gives %d", r.code)
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	script := stoa(t, "", "completion", "bash").ok(t).out
	for _, c := range []struct{ typed, want string }{
		{"stoa serv", "serve"},
		{"stoa user dea", "deactivate"}, {"stoa queue d", "drop"},
		{"stoa --config x.yaml user create --em", "--email"},
		{"stoa completion f", "fish"},
	} {
		words := strings.Fields(c.typed)
		line := script + "\nCOMP_WORDS=(" + c.typed + "); COMP_CWORD=" + string(rune('0'+len(words)-1)) +
			"; _stoa; echo \"${COMPREPLY[@]}\""
		out, err := exec.CommandContext(t.Context(), bash, "-c", line).CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != c.want {
			t.Errorf("%q completes to %q, %v", c.typed, out, err)
		}
	}
}

func TestInitDemo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := stoa(t, "", "init", "--demo", "--json", "--data-dir", dir).ok(t)
	var made struct {
		Email string `json:"email"`
		Key   string `json:"api_key"`
		File  string `json:"password_file"`
	}
	if err := json.Unmarshal([]byte(r.out), &made); err != nil || made.Email != "desdemona@zulip.com" {
		t.Fatalf("%v: %s", err, r.out)
	}
	if password := private(t, made.File); len(password) < 20 || strings.Contains(r.out, password) {
		t.Errorf("the generated password %q, in\n%s", password, r.out)
	}
	list := stoa(t, "", "user", "list", "--data-dir", dir).ok(t).out
	for _, who := range []string{"desdemona@zulip.com", "iago@zulip.com", "shiva@zulip.com", "polonius@zulip.com",
		"AARON@zulip.com", "ZOE@zulip.com"} {
		if !strings.Contains(list, who) {
			t.Errorf("%s is missing from\n%s", who, list)
		}
	}
	s := serve(t, standard.Modules(), "--data-dir", dir)
	status, v := ask(t, "GET", s.url+"/api/v1/messages?anchor=newest&num_before=200&num_after=0", made.Email,
		made.Key, nil)
	if all, _ := v["messages"].([]any); status != 200 || len(all) != 200 {
		t.Errorf("messages: %d, %d of them", status, len(all))
	}
	status, v = ask(t, "POST", s.url+"/api/v1/register", made.Email, made.Key, nil)
	if status != 200 || v["realm_bot_domain"] != "zulipdev.com" || v["realm_moderation_request_channel_id"] == -1.0 {
		t.Errorf("the realm: %d %v %v", status, v["realm_bot_domain"], v["realm_moderation_request_channel_id"])
	}
	if all, _ := v["presences"].(map[string]any); len(all) != 7 {
		t.Errorf("presences: %v", all)
	}
	types := ""
	fields, _ := v["custom_profile_fields"].([]any)
	for _, f := range fields {
		types += fmt.Sprint(f.(map[string]any)["type"])
	}
	if types != "121345678" {
		t.Errorf("profile fields of types %s", types)
	}
	status, v = ask(t, "POST", s.url+"/api/v1/dev_fetch_api_key", "", "", map[string][]string{"username": {made.Email}})
	if status != 404 {
		t.Errorf("a server without the module demo allows logins without a password: %d %v", status, v)
	}
	s.stop(0)
	file := filepath.Join(dir, "demo.yaml")
	text := strings.Replace(configs.Local(), "modules:\n", "modules:\n  demo: {}\n", 1)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	printed := stoa(t, "", "config", "print", "--config", file).ok(t).out
	for _, want := range []string{"email_gateway_pattern: '%s@zulipdev.com'", "mail_domain: zulipdev.com",
		"min_account_age: 0s"} {
		if !strings.Contains(printed, want) {
			t.Errorf("%q is missing from\n%s", want, printed)
		}
	}
}
