package wasm_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
)

// TestLife installs a module, lets it do what it can, upgrades and removes it.
func TestLife(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		w := start(t, database, "")
		wasm := entry{"module.wasm", guest(t)}
		file := map[string]any{"Bytes": pack(t, manifest("1.0", everything+routes), wasm)}
		what, err := w.command("module install", file, true)
		if want := "install probe 1.0 (not signed), which is allowed to: send messages as its bot; "; err != nil ||
			!strings.HasPrefix(what, want) {
			t.Errorf("%q, %v", what, err)
		}
		w.As("bob").Do("GET /modules/probe/hello").Error(404, "BAD_REQUEST", `There is no module "probe".`)
		w.run("module install", file)
		w.EventsOf("wasm_modules", `wasm_modules/changed nobody {}`)

		w.As("bob").Do("GET /modules/probe/hello", "a", "b").Is(200, fmt.Sprintf(`{"result":"success","msg":"",
			"version":"1","calls":1,"params":{"a":"b"},"second":true,"env":0,
			"user":{"id":%d,"name":"Bob","role":400,"bot":false,"active":true}}`, w.UserID("bob")))
		w.As("bob").Do("GET /modules/probe/hello").Is(200, `{"result":"success","msg":"","version":"1","calls":1,
			"params":{},"second":true,"env":0,"user":"*"}`)
		w.As("guest").Do("POST /modules/probe/do/get").Error(400, "BAD_REQUEST", "Not allowed for guest users")
		w.As("bob").Do("GET /modules/probe/do/get").Error(404, "BAD_REQUEST", "has no route GET /do/get")
		w.Anonymous().Do("GET /modules/probe/hello").Error(401, "UNAUTHORIZED", "")

		w.do("set", "key", "k", "value", "v").OK()
		w.do("own").OK()
		if got := w.value("k"); got != "v" {
			t.Errorf("stored %q", got)
		}
		got := kittest.JSON(w.do("users").OK().Get("users"))
		if !strings.Contains(got, `"name":"Olga"`) || strings.Contains(got, "@") {
			t.Errorf("users: %s", got)
		}
		w.do("send", "content", "I am a module").OK()

		first := w.send("alice", "general", "@**Probe**, not subscribed")
		w.RunJob("wasm.deliver")
		if got := w.value("last"); got != "" {
			t.Errorf("the module has read %q", got)
		}
		w.subscribe("general")
		id := w.send("alice", "general", "hello")
		w.RunJob("wasm.deliver")
		if got := w.value("last"); got != "Alice in general>t: hello" {
			t.Errorf("the module has read %q", got)
		}
		reactions := func(id int64) string {
			return kittest.JSON(w.As("bob").Do(fmt.Sprint("GET /messages/", id)).OK().Get("message.reactions"))
		}
		if got := reactions(id); !strings.Contains(got, `"octopus"`) || reactions(first) != "[]" {
			t.Errorf("reactions: %s, %s", got, reactions(first))
		}
		secret := w.send("alice", "secret", "@**Probe** psst")
		w.RunJob("wasm.deliver")
		if got := w.value("last"); strings.Contains(got, "psst") {
			t.Errorf("message %d: the module has read %q", secret, got)
		}

		w.Clock.Advance(time.Hour)
		w.RunJob("wasm.run")
		if got := w.value("job"); got != fmt.Sprint(w.Clock.Now().Unix()) {
			t.Errorf("the job ran at %q", got)
		}

		second := world{w.Another()}
		second.do("get", "key", "k").Error(503, "SERVICE_UNAVAILABLE", "The module probe is being prepared.")
		second.RunJob("wasm.prepare")
		if got := second.value("k"); got != "v" {
			t.Errorf("the other node reads %q", got)
		}
		w.install(manifest("2.0", routes), entry{"module.wasm", tiny(`{"body":{"version":"2"}}`)})
		w.As("bob").Do("GET /modules/probe/hello").Is(200, `{"result":"success","msg":"","version":"2"}`)
		w.Restart()
		w.As("bob").Do("GET /modules/probe/hello").Error(503, "SERVICE_UNAVAILABLE", "prepared")
		w.RunJob("wasm.prepare")
		w.As("bob").Do("GET /modules/probe/hello").Is(200, `{"result":"success","msg":"","version":"2"}`)
		if got := w.run("module list", nil); !strings.Contains(got, `"version":"2.0","permissions":null`) {
			t.Errorf("listed: %s", got)
		}
		what, err = w.command("module remove", map[string]any{"Name": "probe"}, true)
		if err != nil || what != "remove probe, and delete the 4 values that it has stored" {
			t.Errorf("%q, %v", what, err)
		}
		w.run("module remove", map[string]any{"Name": "probe"})
		w.As("bob").Do("GET /modules/probe/hello").Error(404, "BAD_REQUEST", "There is no module")
		if _, err := w.command("module remove", map[string]any{"Name": "probe"}, false); err == nil {
			t.Error("removed twice")
		}
		w.install(manifest("3.0", everything+routes), wasm)
		if got := w.value("k"); got != "" {
			t.Errorf("the new module reads %q", got)
		}
	})
}

// TestInterpreted checks that modules also run, and are stopped, without being compiled.
func TestInterpreted(t *testing.T) {
	w := start(t, "", `{modules: {wasm: {interpret: true, timeout: 5s}}}`)
	w.install(manifest("1.0", routes), entry{"module.wasm", guest(t)})
	w.As("bob").Do("GET /modules/probe/hello").OK()
	w.do("loop").Error(503, "SERVICE_UNAVAILABLE", "has failed")
}

// TestHostile calls a guest that does harm. Each call fails alone, and the server goes on.
func TestHostile(t *testing.T) {
	w := start(t, "", `{modules: {wasm: {timeout: 2s, memory_mib: 64, storage_mib: 1}}}`)
	w.install(manifest("1.0", everything+routes), entry{"module.wasm", guest(t)})
	const failed = "The module probe has failed."
	for _, act := range []string{"loop", "recurse", "bulk", "memory", "giant", "talk", "trap", "exit"} {
		w.In(t)
		w.do(act).Error(503, "SERVICE_UNAVAILABLE", failed)
		w.Clock.Advance(time.Minute) // too many failures at once would disable it
		w.As("bob").Do("GET /modules/probe/hello").OK()
	}
	w.do("sleep").OK()
	w.do("file").Error(400, "BAD_REQUEST", "open /etc/passwd")
	w.do("fill").Error(400, "BAD_REQUEST", "the storage is full: at most 10000 values with 1 MiB")
	w.do("fetch", "url", "https://example.com").Error(400, "BAD_REQUEST", "the manifest lacks the permission http")
	w.do("set", "key", strings.Repeat("k", 201), "value", "v").Error(400, "BAD_REQUEST", "keys have 1 to 200 bytes")

	w.install(manifest("1.1", `"permissions":["read_messages"],"hooks":["message"],`+routes),
		entry{"module.wasm", guest(t)})
	for act, permission := range map[string]string{
		"set": "storage", "get": "storage", "users": "users", "send": "send_messages", "fetch": "http",
	} {
		w.do(act, "key", "k").Error(400, "BAD_REQUEST", "the manifest lacks the permission "+permission)
	}

	w.subscribe("general")
	// Five failures within a minute disable the module, also those that nobody waits for.
	for range 5 {
		w.send("alice", "general", "trap")
		w.RunJob("wasm.deliver")
	}
	w.do("get").Error(503, "SERVICE_UNAVAILABLE", "The module probe is disabled.")
	if got := w.run("module list", nil); !strings.Contains(got, "disabled after 5 failures within a minute") {
		t.Errorf("listed: %s", got)
	}
	if status, _, body := w.Page(http.MethodGet, "/health", nil); status != 200 || !strings.Contains(body, "degraded") {
		t.Errorf("health: %d %s", status, body)
	}
	for name, text := range map[string]string{"no JSON": "{", "a list": "[]", "a wrong type": `{"body":7}`} {
		w.install(manifest("2.0", routes), entry{"module.wasm", tiny(text)})
		w.As("bob").Do("GET /modules/probe/hello").Error(503, "SERVICE_UNAVAILABLE", failed)
		t.Log(name)
	}
}
