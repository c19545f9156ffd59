package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestInspection(t *testing.T) {
	t.Parallel()
	db := "sqlite:" + filepath.Join(t.TempDir(), "x.db")
	for _, c := range []struct{ call, want string }{
		{"modules", "on  realm: "},
		{"modules", "needs   adapters.mail\n"},
		{"modules", "used by confirmations, deactivationmail, invites, mailnotify, welcomemails\n"},
		{"modules", "off demo: "},
		{"modules", "leaves with avatars, emoji, logos\n"},
		{"modules --cost", "\nimages            1"},
		{"routes", "/api/v1/messages "},
		{"routes", "/health"},
		{"config check", "ok: "},
		{"config print", "addr: 127.0.0.1:9991"},
		{"version", "feature level 496"},
		{"migrate status", "missing"},
		{"migrate up", " 0 missing"},
		{"migrate status", " 0 missing"},
		{"upgrade check", "no migrations are pending\ndowngrade: no, "},
		{"upgrade check --json", `"pending": []`},
	} {
		r := stoa(t, "", append(strings.Fields(c.call), "--database-url", db)...).ok(t)
		if !strings.Contains(r.out, c.want) {
			t.Errorf("stoa %s: %q is missing from\n%s", c.call, c.want, r.out)
		}
	}
}

func TestBadConfig(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bad.yaml")
	text := "modules:\n  realm: {}\n  acounts: {}\n  event: {}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	want := `modules.acounts: unknown module; did you mean "accounts"?
modules.event: unknown module; did you mean "events"?
modules: needs the module accounts; add modules: {accounts: {}}
`
	for _, c := range []string{"config check", "config print", "serve", "modules", "routes", "user list", "migrate up"} {
		if r := stoa(t, "", append(strings.Fields(c), "--config", file)...); r.code != 2 || r.err != want || r.out != "" {
			t.Errorf("stoa %s: %d\n%s%s", c, r.code, r.out, r.err)
		}
	}
}

// TestShortConfig uses a file without modules. The standard modules run, with the standard adapters for slots that the
// file does not fill.
func TestShortConfig(t *testing.T) {
	file := filepath.Join(t.TempDir(), "short.yaml")
	text := `http:
  url: https://chat.example.com
log: {level: warn}
adapters:
  mail: {use: smtp, host: mail.example.com, from: noreply@chat.example.com}
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ call, want string }{
		{"config check", "ok: "}, {"config print", "level: warn"}, {"config print", "use: smtp"},
		{"config print", "use: disk"},
		{"modules", "on  invites: "}, {"modules", "off mail.log: "}, {"modules", "off demo: "},
		{"routes", "/api/v1/invites "},
	} {
		r := stoa(t, "", append(strings.Fields(c.call), "--config", file)...).ok(t)
		if !strings.Contains(r.out, c.want) {
			t.Errorf("stoa %s: %q is missing from\n%s", c.call, c.want, r.out)
		}
	}
	if err := os.WriteFile(file, []byte("http: {addr: 127.0.0.1:0}\nlog: {level: loud}\nadapters: {mail: {use: smpt}}\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	r := stoa(t, "", "config", "check", "--config", file)
	for _, want := range []string{"log.level: unknown level \"loud\"", "adapters.mail.use: unknown adapter \"smpt\"",
		"modules.mail: needs an adapter for mail"} {
		if r.code != 2 || !strings.Contains(r.err, want) {
			t.Errorf("%d: %q is missing from\n%s", r.code, want, r.err)
		}
	}
	if strings.Contains(r.err, "ports.") {
		t.Errorf("Go types are shown:\n%s", r.err)
	}
}
