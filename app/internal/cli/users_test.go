package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/standard"
)

// Commands about accounts have the events and effects of the API.
func TestUserCommands(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, a *administered) {
		queue := a.register()
		secret := filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(secret, []byte("a stoic password\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		made := decoded[map[string]any](t, a.run("", "user create --email ada@example.com --name 'Ada L' --json "+
			"--password-file "+secret))
		key := made["api_key"].(string)
		a.await(queue, `"type":"realm_user"`, `"op":"add"`, `"full_name":"Ada L"`)
		me := func(key string) int {
			status, _ := ask(t, "GET", a.url+"/api/v1/users/me", "ada@example.com", key, nil)
			return status
		}
		login := func(password string) int {
			status, _ := ask(t, "POST", a.url+"/api/v1/fetch_api_key", "", "",
				map[string][]string{"username": {"ada@example.com"}, "password": {password}})
			return status
		}
		kittest.Await(t, func() bool { return me(key) == 200 && login("a stoic password") == 200 })

		if out := a.run("", "user role guest --email ada@example.com").ok(t).out; !strings.Contains(out,
			"from member to guest") {
			t.Error(out)
		}
		a.await(queue, `"op":"update"`, `"role":600`)
		a.run("", "user role king --email ada@example.com").fails(t, 2, `unknown role "king"`)
		a.run("", "user role member --email zeno@example.com").fails(t, 1, "only organization owner")
		a.run("", "user set --email ada@example.com --name 'Ada Lovelace'").ok(t)
		a.await(queue, `"op":"update"`, `"full_name":"Ada Lovelace"`)
		shown := decoded[map[string]any](t, a.run("", "user show --email ada@example.com --json"))
		if shown["role"] != "guest" || shown["is_active"] != true || shown["api_keys"] != 2.0 {
			t.Errorf("%v", shown)
		}

		keys := decoded[[]map[string]any](t, a.run("", "key list --json --email ada@example.com"))
		if len(keys) != 2 || strings.Contains(kittest.JSON(keys), key) {
			t.Errorf("%v", keys)
		}
		a.run("", "key revoke").fails(t, 2, "an ID or with --email")
		a.run("", "key revoke 0123 --yes").fails(t, 3, `no API key "0123"`)
		a.run("", "key revoke "+keys[0]["key_id"].(string)).fails(t, 4, "revoke 1 API keys of user", "--yes")
		a.run("", "key revoke --yes --email ada@example.com").ok(t)
		kittest.Await(t, func() bool { return me(key) == 401 })

		a.run("", "user reactivate --email ada@example.com").fails(t, 1, "not deactivated")
		a.run("", "user deactivate --email ada@example.com").ok(t)
		a.await(queue, `"op":"update"`, `"is_active":false`)
		a.run("", "user reactivate --email ada@example.com").ok(t)
		a.await(queue, `"op":"update"`, `"is_active":true`)
		kittest.Await(t, func() bool { return login("a stoic password") == 200 })

		a.run("", "user delete --email ada@example.com").fails(t, 4, "would delete the profile of user", "--yes")
		effect := decoded[map[string]any](t, a.run("", "user delete --email ada@example.com --dry-run --json"))
		if counts := effect["counts"].(map[string]any); counts["api_keys"] != 1.0 {
			t.Errorf("%v", effect)
		}
		kittest.Await(t, func() bool { return login("a stoic password") == 200 })
		a.run("", "user delete --yes --email ada@example.com").ok(t)
		a.await(queue, `"op":"update"`, `"full_name":"Deleted user"`)
		kittest.Await(t, func() bool { return login("a stoic password") != 200 })
		a.run("", "user delete --yes --email zeno@example.com").fails(t, 1, "only organization owner")
	})
}

// Passwords come from standard input, from a file, or are generated, but only once.
func TestPasswordFlags(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	serve(t, standard.Modules(), "--data-dir", dir).stop(0)
	run := func(in string, flags ...string) result {
		return stoa(t, in, append([]string{"user", "password", "--data-dir", dir, "--email", "owner@stoa.localhost"},
			flags...)...)
	}
	run("a long password\n", "--password-stdin").ok(t)
	run("", "--password-stdin").fails(t, 1, "standard input contains no password")
	run("x", "--password-stdin", "--password-file", "x").fails(t, 2, "only once")
	run("", "--password-file", filepath.Join(dir, "nowhere")).fails(t, 1, "--password-file", "nowhere")
	run("", "--password-prompt").fails(t, 2, "no terminal")
	made := decoded[map[string]any](t, run("", "--json"))
	if private(t, made["password_file"].(string)) == "" || made["email"] != "owner@stoa.localhost" {
		t.Errorf("%v", made)
	}
}
