package cli_test

import (
	"bufio"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/standard"
)

// mailServer accepts one email and sends its text to got.
func mailServer(t *testing.T) (port string, got <-chan string) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	_, port, _ = net.SplitHostPort(l.Addr().String())
	text := make(chan string, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer func() { _ = c.Close() }()
		var data strings.Builder
		within := false
		_, _ = fmt.Fprint(c, "220 test\r\n")
		for lines := bufio.NewScanner(c); lines.Scan(); {
			line := lines.Text()
			switch {
			case within && line == ".":
				within = false
				text <- data.String()
				_, _ = fmt.Fprint(c, "250 ok\r\n")
			case within:
				data.WriteString(line + "\n")
			case strings.HasPrefix(line, "DATA"):
				within = true
				_, _ = fmt.Fprint(c, "354 go on\r\n")
			case strings.HasPrefix(line, "QUIT"):
				_, _ = fmt.Fprint(c, "221 bye\r\n")
				return
			default:
				_, _ = fmt.Fprint(c, "250 ok\r\n")
			}
		}
	}()
	return port, text
}

func TestMailTest(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	stoa(t, "", "mail", "test", "ann@example.com", "--data-dir", dir).fails(t, 1, "this server sends no email",
		"adapters.mail.use to smtp")
	port, got := mailServer(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	text := "http: {url: https://chat.example.com}\nadapters: {mail: {use: smtp, tls: none, host: 127.0.0.1, port: " +
		port + ", from: stoa@example.com}}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	stoa(t, "", "mail", "test", "nobody", "--config", file, "--data-dir", dir).fails(t, 1, "not sent")
	r := stoa(t, "", "mail", "test", "ann@example.com", "--config", file, "--data-dir", dir).ok(t)
	if mail := <-got; !strings.Contains(mail, "To: <ann@example.com>") || !strings.Contains(r.out, "ann@example.com") {
		t.Errorf("%s\n%s", mail, r.out)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(text, port, "1", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	stoa(t, "", "mail", "test", "ann@example.com", "--config", file, "--data-dir", dir).fails(t, 1, "not sent", "refused")
	absent(t, dir)
}

// Emails that a mail server does not accept wait in the queue, where operators retry or delete them.
func TestMailQueue(t *testing.T) {
	t.Parallel()
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "c.yaml")
	text := "http: {url: https://chat.example.com}\nmodules: {standard: {}, invites: {min_account_age: 0s}}\n" +
		"adapters: {mail: {use: smtp, tls: none, host: 127.0.0.1, port: 1, from: stoa@example.com}}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	made := decoded[map[string]any](t, stoa(t, "", "init", "--config", file, "--data-dir", dir, "--realm", "Stoics",
		"--owner-email", "zeno@example.com", "--owner-name", "Zeno", "--json"))
	a := &administered{email: "zeno@example.com", key: made["api_key"].(string)}
	a.running = serve(t, standard.Modules(), "--config", file, "--data-dir", dir)
	defer a.stop(0)
	a.url = "http://" + regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(a.errs.String())[1] // not http.url
	a.flags = []string{"--config", file, "--data-dir", dir}
	status, v := a.api("POST", "/invites", url.Values{
		"invitee_emails": {"ada@example.com,bob@example.com"}, "invite_as": {"400"}, "stream_ids": {"[]"},
	})
	if status != 200 {
		t.Fatalf("%d %v", status, v)
	}
	var waiting []map[string]any
	kittest.Await(t, func() bool {
		waiting = decoded[[]map[string]any](t, a.run("", "mail queue list --json"))
		return len(waiting) == 2 && waiting[0]["tries"] == 1.0 && waiting[1]["tries"] == 1.0
	})
	id := fmt.Sprint(waiting[0]["id"])
	a.run("", "mail queue retry").fails(t, 2, "--all")
	a.run("", "mail queue retry 77").fails(t, 3, "no email 77")
	a.run("", "mail queue retry "+id).ok(t)
	kittest.Await(t, func() bool {
		for _, m := range decoded[[]map[string]any](t, a.run("", "mail queue list --json")) {
			if fmt.Sprint(m["id"]) == id {
				return m["tries"] == 2.0 && m["sending"] == false
			}
		}
		return false
	})
	a.run("", "mail queue drop "+id).fails(t, 4, "would delete 1 emails", "--yes")
	a.run("", "mail queue drop --yes "+id).ok(t)
	a.run("", "mail queue drop --yes "+id).fails(t, 3, "no email")
	if out := a.run("", "mail queue drop --all --yes").ok(t).out; out != "deleted 1 emails\n" {
		t.Error(out)
	}
	if list := a.run("", "audit list --action mail.").ok(t).out; strings.Count(list, "mail.dropped") != 2 {
		t.Error(list)
	}
}
