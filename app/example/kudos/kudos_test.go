package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/wasm"
)

// packed returns the package of the module.
func packed(t *testing.T) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "module.wasm")
	build := exec.Command("go", "build", "-trimpath", "-buildmode=c-shared", "-ldflags", "-s -w", "-o", out, ".")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, path := range []string{"manifest.json", out} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := w.Create(filepath.Base(path))
		if err == nil {
			_, err = f.Write(text)
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

// TestKudos installs the module, thanks somebody, and asks who has been thanked.
func TestKudos(t *testing.T) {
	s := kittest.Start(t, realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, events.Module,
		wasm.Module)
	install, ok := s.Ports.Collected.Command("module install")
	if !ok {
		t.Fatal("there is no command module install")
	}
	flags, err := json.Marshal(map[string]any{"Bytes": packed(t)})
	if err == nil {
		err = install.Run(t.Context(), kit.Actor{Realm: s.Realm, System: true}, flags, io.Discard)
	}
	if err != nil {
		t.Fatal(err)
	}
	say := func(text string) {
		t.Helper()
		s.As("bob").Do("POST /messages", "type", "channel", "to", "general", "topic", "x", "content", text).OK()
	}
	say("kudos to @**Alice**") // the bot does not receive this
	members, _ := s.As("bob").Do("GET /users").OK().Get("members").([]any)
	for _, m := range members {
		if u := m.(map[string]any); u["full_name"] == "Kudos" {
			s.As("bob").Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"general"}]`,
				"principals", kittest.JSON([]any{u["user_id"]})).OK()
		}
	}
	say("kudos to @**Alice** and kudos @**Olga**")
	say("kudos @**Bob** (that is me), KUDOS @**Olga**")
	s.RunJob("wasm.deliver")
	s.As("bob").Do("GET /modules/kudos/top").Is(200,
		`{"result":"success","msg":"","top":[{"user":"Olga","points":2},{"user":"Alice","points":1}]}`)
	s.As("guest").Do("GET /modules/kudos/top").Error(400, "BAD_REQUEST", "guest")
}
