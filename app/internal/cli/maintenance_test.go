package cli_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/standard"
)

// All servers of a database only read during maintenance, however it is begun and ended; the audit log tells.
func TestMaintenanceOfAll(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, a *administered) {
		servers := []*running{a.running}
		if url := a.flags[1]; strings.HasPrefix(url, "postgres") {
			other := serve(t, standard.Modules(), "--database-url", url, "--data-dir", t.TempDir())
			defer other.stop(0)
			servers = append(servers, other)
		}
		all := func(text string) {
			t.Helper()
			for _, s := range servers {
				kittest.Await(t, func() bool {
					_, v := ask(t, "GET", s.url+"/api/v1/maintenance", a.email, a.key, nil)
					told, on := v["maintenance"].(string)
					_, sent := ask(t, "POST", s.url+"/api/v1/mark_all_as_read", a.email, a.key, url.Values{})
					return told == text && on == (text != "") && on == (sent["code"] == "MAINTENANCE")
				})
			}
		}
		all("")
		a.run("", "maintenance off").ok(t)
		a.run("", "maintenance on --message 'Moving house.'").ok(t)
		all("Moving house.")
		a.run("", "maintenance on --message Soon.").ok(t)
		all("Soon.")
		a.run("", "maintenance off --quiet").ok(t)
		all("")
		var acted []string
		for _, e := range decoded[[]map[string]any](t, a.run("", "audit list --action maintenance. --json")) {
			acted = append(acted, e["action"].(string)+" "+e["actor"].(string)+" "+e["after"].(string))
		}
		if got := strings.Join(acted, "\n"); got != `maintenance.ended operator null
maintenance.begun operator {"message":"Soon."}
maintenance.begun operator {"message":"Moving house."}` {
			t.Error(got)
		}
	})
}

// During maintenance, people read and wait for events, and every change is refused with the operator's message.
func TestMaintenance(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, standard.Modules(), "--data-dir", dir)
	s.wait("/users/me")
	made := decoded[map[string]any](t, stoa(t, "", "user", "key", "--email", "owner@stoa.localhost", "--json",
		"--data-dir", dir))
	a := &administered{running: s, email: "owner@stoa.localhost", key: made["api_key"].(string),
		flags: []string{"--data-dir", dir}}
	send := func(want int, text string) {
		t.Helper()
		status, v := a.api("POST", "/messages", url.Values{"type": {"direct"}, "to": {"[]"}, "content": {"x"}})
		if msg, _ := v["msg"].(string); status != want || !strings.Contains(msg, text) {
			t.Errorf("%d %v, want %d", status, v, want)
		}
	}
	on := a.run("", "maintenance on --message 'Back at noon.'").ok(t)
	if on.out != "maintenance is on: Back at noon.\n" {
		t.Error(on.out)
	}
	send(503, "Back at noon.")
	if _, v := a.api("POST", "/settings", nil); v["code"] == "MAINTENANCE" {
		t.Errorf("an unknown route: %v", v)
	}
	req, err := http.NewRequestWithContext(t.Context(), "POST", s.url+"/api/v1/mark_all_as_read", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.SetBasicAuth(a.email, a.key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != 503 || res.Header.Get("Retry-After") != "60" {
		t.Errorf("%d, Retry-After %q", res.StatusCode, res.Header.Get("Retry-After"))
	}
	queue := a.register()
	if status, v := a.api("GET", "/events?dont_block=true&last_event_id=-1&queue_id="+queue, nil); status != 200 {
		t.Errorf("a poll: %d %v", status, v)
	}
	if status, v := a.api("POST", "/messages/render", url.Values{"content": {"*x*"}}); status != 200 {
		t.Errorf("a preview: %d %v", status, v)
	}
	if status, _ := a.api("DELETE", "/events", url.Values{"queue_id": {queue}}); status != 200 {
		t.Errorf("the end of a queue: %d", status)
	}
	s.stop(0)
	a.running = serve(t, standard.Modules(), "--data-dir", dir)
	send(503, "Back at noon.")
	a.run("", "maintenance on").ok(t)
	send(503, "under maintenance")
	if v := decoded[map[string]any](t, a.run("", "maintenance status --json")); v["on"] != true {
		t.Errorf("%v", v)
	}
	a.run("", "maintenance on --message "+strings.Repeat("x", 501)).fails(t, 2, "--message")
	a.run("", "maintenance off").ok(t)
	if _, v := a.api("POST", "/mark_all_as_read", url.Values{}); v["result"] != "success" {
		t.Errorf("after maintenance: %v", v)
	}
	a.stop(0)
}
