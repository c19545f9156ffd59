package wasm_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/wasm"
	"github.com/stoachat/stoa/ports"
)

var others = []kit.Module{
	realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, events.Module,
}

func TestModule(t *testing.T) { kittest.Check(t, wasm.Module, others...) }

// world is a server with the module. It logs nothing, since failures of guests are errors of requests.
type world struct{ *kittest.Server }

func start(t *testing.T, database, config string) world {
	t.Helper()
	o := kittest.Options{DatabaseURL: database, Config: config, Log: slog.New(slog.DiscardHandler)}
	return world{kittest.StartWith(t, o, append(others, wasm.Module)...)}
}

// code returns the guest in testdata, which is built once.
var code = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "guest")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	out := filepath.Join(dir, "module.wasm")
	build := exec.Command("go", "build", "-trimpath", "-buildmode=c-shared", "-ldflags", "-s -w", "-o", out,
		"./testdata/guest")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	if text, err := build.CombinedOutput(); err != nil {
		return text, err
	}
	return os.ReadFile(out)
})

func guest(t *testing.T) []byte {
	t.Helper()
	b, err := code()
	if err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	return b
}

// tiny returns a guest that always writes the same reply.
func tiny(reply string) []byte {
	section := func(id byte, body string) string { return string([]byte{id}) + leb(len(body)) + body }
	name := func(s string) string { return leb(len(s)) + s }
	body := "\x00\x41\x00\x41" + signed(len(reply)) + "\x10\x00\x0b"
	return []byte("\x00asm\x01\x00\x00\x00" +
		section(1, "\x02\x60\x01\x7f\x00\x60\x02\x7f\x7f\x00") +
		section(2, "\x01"+name("stoa_1")+name("write")+"\x00\x01") +
		section(3, "\x01\x00") +
		section(5, "\x01\x00\x01") +
		section(6, "\x01\x7f\x00\x41\x00\x0b") +
		section(7, "\x02"+name("memory")+"\x02\x00"+name("stoa_1")+"\x00\x01") +
		section(10, "\x01"+leb(len(body))+body) +
		section(11, "\x01\x00\x41\x00\x0b"+name(reply)))
}

func leb(n int) string {
	var b []byte
	for ; n > 127; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return string(append(b, byte(n)))
}

func signed(n int) string {
	var b []byte
	for ; n > 63; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return string(append(b, byte(n)))
}

// entry is a file of a package.
type entry struct {
	name string
	text []byte
}

func pack(t testing.TB, files ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		out, err := w.Create(f.name)
		if err == nil {
			_, err = out.Write(f.text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const (
	everything = `"permissions":["send_messages","react","read_messages","users","storage"],"hooks":["message"],` +
		`"every":"1h",`
	routes = `"routes":[{"method":"GET","path":"/hello","access":"users"},` +
		`{"method":"POST","path":"/do/*","access":"members"}]}`
)

// manifest returns a manifest of the module "probe".
func manifest(version, fields string) entry {
	return entry{"manifest.json", []byte(`{"abi":1,"name":"probe","title":"Probe","version":"` + version + `",` + fields)}
}

// command runs a command of the module and returns its output, or what it would do.
func (w world) command(name string, flags map[string]any, ask bool) (string, error) {
	w.T.Helper()
	c, ok := w.Ports.Collected.Command(name)
	if !ok {
		w.T.Fatalf("there is no command %q", name)
	}
	text, err := json.Marshal(flags)
	if err != nil {
		w.T.Fatal(err)
	}
	by := kit.Actor{Realm: w.Realm, System: true}
	ctx := ports.WithCaller(context.Background(), by)
	if ask {
		effect, err := c.Effect(ctx, by, text)
		return effect.Text, err
	}
	var out strings.Builder
	err = c.Run(ctx, by, text, &out)
	return out.String(), err
}

func (w world) run(name string, flags map[string]any) string {
	w.T.Helper()
	out, err := w.command(name, flags, false)
	if err != nil {
		w.T.Fatalf("%s: %v", name, err)
	}
	return out
}

func (w world) install(files ...entry) {
	w.T.Helper()
	w.run("module install", map[string]any{"Bytes": pack(w.T, files...)})
}

// refuses checks that a package is refused before anything asks for consent, and when it is installed.
func (w world) refuses(want string, file []byte) {
	w.T.Helper()
	for _, ask := range []bool{true, false} {
		if _, err := w.command("module install", map[string]any{"Bytes": file}, ask); err == nil ||
			!strings.Contains(err.Error(), want) {
			w.T.Errorf("%v, want %q", err, want)
		}
	}
}

// do asks the guest of the tests to do something, as bob.
func (w world) do(what string, params ...string) *kittest.Response {
	w.T.Helper()
	return w.As("bob").Do("POST /modules/probe/do/"+what, params...)
}

// subscribe subscribes the bot of the module to a channel of alice.
func (w world) subscribe(channel string) {
	w.T.Helper()
	w.As("alice").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"`+channel+`"}]`,
		"principals", kittest.JSON([]any{w.bot()})).OK()
}

// bot returns the ID of the module's bot.
func (w world) bot() user.ID {
	w.T.Helper()
	v, err := w.Ports.Directory.View(w.T.Context(), w.Realm)
	if err != nil {
		w.T.Fatal(err)
	}
	for u := range v.Users() {
		if u.FullName == "Probe" {
			return u.ID
		}
	}
	w.T.Fatal("there is no bot")
	return 0
}

func (w world) value(key string) string {
	w.T.Helper()
	return w.do("get", "key", key).OK().String("value")
}

func (w world) send(who, channel, text string) int64 {
	w.T.Helper()
	sent := w.As(who).Do("POST /messages", "type", "channel", "to", channel, "topic", "t", "content", text).OK()
	return sent.Int("id")
}
