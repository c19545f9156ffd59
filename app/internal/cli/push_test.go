package cli_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stoachat/stoa/modules/standard"
)

func TestPushRelay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config := filepath.Join(dir, "c.yaml")
	text := "modules: {realm: {}, accounts: {password_memory_kib: 64, password_passes: 1}, pushrelay: {}}\n" +
		"adapters: {delivery: {use: direct}}\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	with := func(args ...string) []string { return append(args, "--config", config, "--data-dir", dir) }
	stoa(t, "", with("init", "--realm", "Relay", "--owner-email", "o@example.com", "--owner-name", "Olga")...).ok(t)

	stoa(t, "", with("push", "keys", "rotate")...).fails(t, 1, "stoa push keys create")
	first := field(t, stoa(t, "", with("push", "keys", "create")...).ok(t).out, "public key")
	stoa(t, "", with("push", "keys", "create")...).fails(t, 1, "stoa push keys rotate")
	second := field(t, stoa(t, "", with("push", "keys", "rotate")...).ok(t).out, "public key")
	if b, err := base64.StdEncoding.DecodeString(second); err != nil || len(b) != 32 || first == second {
		t.Errorf("keys %q and %q: %v", first, second, err)
	}
	list := stoa(t, "", with("push", "keys", "list")...).ok(t).out
	if !strings.Contains(list, first) || !strings.Contains(list, second) || strings.Count(list, "in use") != 1 {
		t.Errorf("keys:\n%s", list)
	}

	added := stoa(t, "", with("push", "server", "add", "chat", "--notifications", "12")...).ok(t).out
	id, key := field(t, added, "server ID"), field(t, added, "server key")
	stoa(t, "", with("push", "server", "add", "chat")...).fails(t, 1, "already uses the relay")
	list = stoa(t, "", with("push", "server", "list")...).ok(t).out
	if !strings.Contains(list, id) || !strings.Contains(list, "12") || strings.Contains(list, key) {
		t.Errorf("servers:\n%s", list)
	}
	s := serve(t, standard.Modules(), with()...)
	call := func() int {
		status, _ := ask(t, "POST", s.url+"/api/v1/remotes/push/e2ee/register", id, key, nil)
		return status
	}
	if got := call(); got != 400 {
		t.Errorf("the server got status %d", got)
	}
	stoa(t, "", with("push", "server", "remove", "chat")...).fails(t, 4, "0 devices", "--yes")
	stoa(t, "", with("push", "server", "remove", "chat", "--yes")...).ok(t)
	if got := call(); got != 401 {
		t.Errorf("the removed server got status %d", got)
	}
	stoa(t, "", with("push", "server", "remove", "chat", "--yes")...).fails(t, 3, "chat")
	if servers := stoa(t, "", with("push", "server", "list", "--json")...).ok(t).out; servers != "[]\n" {
		t.Error(servers)
	}

	pair := stoa(t, "", "push", "keys", "vapid").ok(t).out
	private, public := field(t, pair, "private key"), field(t, pair, "public key")
	if len(private) != 43 || len(public) != 87 {
		t.Errorf("VAPID:\n%s", pair)
	}
}

// TestPushWithoutRelay checks that the commands say what is missing.
func TestPushWithoutRelay(t *testing.T) {
	dir := t.TempDir()
	stoa(t, "", "init", "--data-dir", dir, "--realm", "R", "--owner-email", "o@example.com", "--owner-name", "O").ok(t)
	stoa(t, "", "push", "server", "list", "--data-dir", dir).fails(t, 1, "not a push relay", "pushrelay")
}

// A test notification needs a push service and a device of the user.
func TestPushTest(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, a *administered) {
		a.run("", "push test --email "+a.email).fails(t, 1, "push")
	})
}
