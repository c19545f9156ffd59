package cli_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/standard"
)

// administered is a running server that commands administer.
type administered struct {
	*running
	flags      []string // of commands
	email, key string   // of the owner
}

// eachWay runs a test of administrative commands on both databases: through the socket of the running server, and as a
// node beside it that has another data directory.
func eachWay(t *testing.T, test func(t *testing.T, a *administered)) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		for _, way := range []string{"socket", "node"} {
			t.Run(way, func(t *testing.T) {
				at, dir := url, t.TempDir()
				if at == kittest.Memory {
					at = "sqlite:" + filepath.Join(dir, "x.db")
				}
				test(t, administer(t, kittest.Real(t, at), dir, way == "socket"))
			})
		}
	})
}

func administer(t *testing.T, url, dir string, socket bool) *administered {
	t.Helper()
	made := stoa(t, "a long password\n", "init", "--database-url", url, "--data-dir", dir, "--realm", "Stoics",
		"--owner-email", "zeno@example.com", "--owner-name", "Zeno", "--password-stdin", "--json").ok(t)
	a := &administered{email: "zeno@example.com", flags: []string{"--database-url", url, "--data-dir", dir}}
	if !socket {
		a.flags[3] = t.TempDir()
	}
	a.key = decoded[map[string]any](t, made)["api_key"].(string)
	a.running = serve(t, standard.Modules(), "--database-url", url, "--data-dir", dir)
	t.Cleanup(func() { a.stop(0) })
	return a
}

// run runs a command.
func (a *administered) run(in, command string) result {
	a.t.Helper()
	return stoa(a.t, in, append(words(command), a.flags...)...)
}

// words splits a command line at spaces, except within single quotes.
func words(command string) []string {
	var out []string
	for i, part := range strings.Split(command, "'") {
		if i%2 == 1 {
			out = append(out, part)
		} else {
			out = append(out, strings.Fields(part)...)
		}
	}
	return out
}

// api sends a request of the owner and returns status and body.
func (a *administered) api(method, path string, form map[string][]string) (int, map[string]any) {
	a.t.Helper()
	return ask(a.t, method, a.url+"/api/v1"+path, a.email, a.key, form)
}

// await waits until the owner's event queue holds an event with all of the texts.
func (a *administered) await(queue string, texts ...string) {
	a.t.Helper()
	kittest.Await(a.t, func() bool {
		_, v := a.api("GET", "/events?dont_block=true&last_event_id=-1&queue_id="+queue, nil)
		all, _ := v["events"].([]any)
		for _, e := range all {
			text, found := kittest.JSON(e), true
			for _, want := range texts {
				found = found && strings.Contains(text, want)
			}
			if found {
				return true
			}
		}
		return false
	})
}

// register registers an event queue of the owner.
func (a *administered) register() string {
	a.t.Helper()
	status, v := a.api("POST", "/register", map[string][]string{})
	if status != 200 {
		a.t.Fatalf("register: %d %v", status, v)
	}
	return v["queue_id"].(string)
}

// decoded returns the JSON that a command has printed.
func decoded[T any](t *testing.T, r result) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(r.ok(t).out), &v); err != nil {
		t.Fatalf("%v: %s", err, r.out)
	}
	return v
}

func TestQueueCommands(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, a *administered) {
		queue := a.register()
		listed := decoded[[]map[string]any](t, a.run("", "queue list --json"))
		if len(listed) != 1 || listed[0]["queue_id"] != queue || listed[0]["email"] != a.email {
			t.Errorf("%v", listed)
		}
		a.run("", "queue list --email nobody@example.com").fails(t, 3, "nobody@example.com", "did you mean")
		a.run("", "queue drop").fails(t, 2, "--email or with --all")
		a.run("", "queue drop 7").fails(t, 3, `no event queue "7"`)
		a.run("", "queue drop "+queue).fails(t, 4, "would delete 1 event queues", "--yes", "--dry-run")
		if out := a.run("", "queue drop --all --dry-run").ok(t).out; out != "This would delete 1 event queues.\n" {
			t.Error(out)
		}
		if out := a.run("", "queue drop --all --yes").ok(t).out; out != "deleted 1 event queues\n" {
			t.Error(out)
		}
		if a.flags[3] == filepath.Dir(strings.TrimPrefix(a.flags[1], "sqlite:")) { // otherwise when the queue is saved
			if _, v := a.api("GET", "/events?last_event_id=-1&queue_id="+queue, nil); v["code"] != "BAD_EVENT_QUEUE_ID" {
				t.Errorf("%v", v)
			}
		}
		if listed := decoded[[]map[string]any](t, a.run("", "queue list --json")); len(listed) != 0 {
			t.Errorf("%v", listed)
		}
	})
}

func TestJobCommands(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, a *administered) {
		listed := a.run("", "job list").ok(t).out
		if !strings.Contains(listed, "\nevents.expire ") {
			t.Error(listed)
		}
		shown := decoded[map[string]any](t, a.run("", "job show events.expire --json"))
		if shown["every"] != "1m0s" || shown["deletes_old_data"] != true {
			t.Errorf("%v", shown)
		}
		ran := decoded[map[string]any](t, a.run("", "job run events.expire --json"))
		if ran["name"] != "events.expire" {
			t.Errorf("%v", ran)
		}
		a.run("", "job run events.expir").fails(t, 3, `did you mean "events.expire"?`)
		if r := a.run("", "job run events.save --quiet").ok(t); r.out != "" {
			t.Errorf("%q", r.out)
		}
	})
}
