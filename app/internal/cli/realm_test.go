package cli_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/standard"
)

// at requests the caller's own user record at the given host name.
func at(t *testing.T, url, host, email, key string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/api/v1/users/me", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = host
	req.SetBasicAuth(email, key)
	res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var body struct {
		Code string `json:"code"`
	}
	if err := json.NewDecoder(res.Body).Decode(&body); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, body.Code
}

func TestRealms(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config := filepath.Join(dir, "c.yaml")
	text := "modules: {realm: {domain: chat.test}, accounts: {password_memory_kib: 64, password_passes: 1}, groups: {}, " +
		"channels: {}, messages: {}, events: {}, zulipnames: {}}\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	with := func(args ...string) []string { return append(args, "--config", config, "--data-dir", dir) }
	stoa(t, "", with("init", "--realm", "Stoics", "--owner-email", "o@example.com", "--owner-name", "Olga")...).ok(t)
	s := serve(t, standard.Modules(), with()...)
	create := with("realm", "create", "--name", "Skeptics", "--subdomain", "Skeptics", "--owner-email", "o@example.com",
		"--owner-name", "Olga")
	r := stoa(t, "nine unusual mosaics\n", append(create, "--password-stdin", "--json")...).ok(t)
	var made struct {
		Realm int    `json:"realm_id"`
		Email string `json:"email"`
		Key   string `json:"api_key"`
	}
	if err := json.Unmarshal([]byte(r.out), &made); err != nil {
		t.Fatalf("%v: %s", err, r.out)
	}
	const host = "skeptics.chat.test"
	answers := func(status int, code string) {
		t.Helper()
		kittest.Await(t, func() bool {
			got, why := at(t, s.url, host, made.Email, made.Key)
			return got == status && why == code
		})
	}
	answers(200, "")
	if status, code := at(t, s.url, "other.chat.test", made.Email, made.Key); status != 404 ||
		code != "NONEXISTENT_SUBDOMAIN" {
		t.Errorf("an unknown host: %d %s", status, code)
	}
	if status, _ := at(t, s.url, "chat.test", made.Email, made.Key); status != 401 {
		t.Errorf("the key in the other realm: %d", status)
	}
	stoa(t, "", create...).fails(t, 1, "already in use")
	stoa(t, "", with("realm", "create", "--name", "X", "--subdomain", "www", "--owner-email", "o@example.com",
		"--owner-name", "O")...).fails(t, 1, "reserved")
	stoa(t, "", with("realm", "create", "--name", "X", "--owner-email", "o@example.com", "--owner-name", "O")...).fails(t,
		2, "--subdomain")
	stoa(t, "", with("user", "list")...).fails(t, 2, "--realm 1 ")
	if got := stoa(t, "", with("user", "list", "--realm-id", "2")...).ok(t); !strings.Contains(got.out, "o@example.com") {
		t.Errorf("users: %s", got.out)
	}

	stoa(t, "", with("realm", "deactivate")...).fails(t, 2, "--realm 1 ")
	stoa(t, "", with("realm", "deactivate", "--subdomain", "skeptic")...).fails(t, 3, `did you mean "skeptics"?`)
	stoa(t, "", with("realm", "deactivate", "--realm-id", "77")...).fails(t, 3, "no realm 77")
	stoa(t, "", with("realm", "deactivate", "--subdomain", "skeptics", "--keep-days", "3")...).fails(t, 1,
		"at least 14 days")
	stoa(t, "", with("realm", "deactivate", "--subdomain", "skeptics", "--keep-days", "30")...).ok(t)
	answers(401, "REALM_DEACTIVATED")
	stoa(t, "", with("realm", "deactivate", "--realm-id", "2")...).fails(t, 1, "already")
	list := stoa(t, "", with("realm", "list")...).ok(t).out
	for _, want := range []string{"(root)", "Stoics", "skeptics", "Skeptics", "active", "deactivated", "KEPT UNTIL"} {
		if !strings.Contains(list, want) {
			t.Errorf("%q is not in\n%s", want, list)
		}
	}
	stoa(t, "", with("realm", "reactivate", "--subdomain", "skeptics")...).ok(t)
	answers(200, "")
	stoa(t, "", with("realm", "reactivate", "--subdomain", "")...).fails(t, 1, "not deactivated")
	if got := stoa(t, "", with("realm", "list", "--json")...).ok(t).out; !strings.Contains(got,
		`{"realm_id":2,"subdomain":"skeptics","name":"Skeptics","users":1,"is_active":true}`) {
		t.Errorf("list: %s", got)
	}
	if got := stoa(t, "", "realm", "--help").ok(t).out; !strings.Contains(got, "reactivate") {
		t.Errorf("help: %s", got)
	}
	s.stop(0)
}

// Operators show and change settings by the rules of the API, and delete what was deactivated.
func TestRealmCommands(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, a *administered) {
		queue := a.register()
		a.run("", "realm set description 'A porch.'").ok(t)
		a.await(queue, "update_dict", "A porch.")
		a.run("", "realm set can_create_groups role:moderators --quiet").ok(t)
		a.run("", "realm set message_content_edit_limit_seconds unlimited").ok(t)
		shown := decoded[struct {
			Name     string         `json:"name"`
			Settings map[string]any `json:"settings"`
		}](t, a.run("", "realm show --json"))
		if s := shown.Settings; shown.Name != "Stoics" || s["description"] != "A porch." || s["can_create_groups"] != 4.0 ||
			s["message_content_edit_limit_seconds"] != nil {
			t.Errorf("%v", shown)
		}
		for line, want := range map[string]string{
			"realm set descriptions x":               `did you mean "description"?`,
			"realm set invite_required maybe":        `"maybe" is no bool`,
			"realm set can_create_groups role:owner": `did you mean "role:owners"?`,
			"realm quota much":                       "mebibytes",
		} {
			a.run("", line).fails(t, 2, want)
		}
		a.run("", "realm set digest_weekday 9").fails(t, 1, "digest_weekday")
		list := a.run("", "audit list --action realm.setting_changed").ok(t).out
		if strings.Count(list, " operator ") != 3 {
			t.Error(list)
		}

		a.run("", "realm delete --yes").fails(t, 4, "deactivate it first")
		a.run("", "realm deactivate").ok(t)
		a.run("", "realm delete").fails(t, 4, `would delete realm 1 "Stoics" with 1 users and`, "--yes")
		effect := decoded[map[string]any](t, a.run("", "realm delete --dry-run --json"))
		if n := effect["counts"].(map[string]any)["users"]; n != 1.0 {
			t.Errorf("%v", effect)
		}
		a.run("", "realm delete --yes").ok(t)
		a.run("", "realm reactivate").fails(t, 1, "being deleted")
		a.run("", "job run server.erase").ok(t)
		if left := a.run("", "realm list --json").ok(t).out; left != "[]\n" {
			t.Error(left)
		}
	})
}
