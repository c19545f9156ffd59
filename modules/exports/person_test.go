package exports_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/user"
)

// A user's archive contains what they wrote and own, and nothing of others, whose direct messages are only there with
// --context.
func TestUserExport(t *testing.T) {
	s := start(t)
	alice, bob := s.As("alice"), s.As("bob")
	alice.Do("POST /messages", "type", "channel", "to", `"general"`, "topic", "a", "content", "from alice").OK()
	bob.Do("POST /messages", "type", "channel", "to", `"general"`, "topic", "a", "content", "from bob").OK()
	bob.Do("POST /messages", "type", "direct", "to", `["alice@example.com"]`, "content", "to alice").OK()
	read := func(flags map[string]any) map[string]string {
		t.Helper()
		c, ok := s.Ports.Collected.Command("user export")
		if !ok {
			t.Fatal("no command")
		}
		text, err := json.Marshal(flags)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := c.Run(t.Context(), user.Actor{Realm: s.Realm, System: true}, text, &out); err != nil {
			t.Fatal(err)
		}
		z, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
		if err != nil {
			t.Fatal(err)
		}
		files := map[string]string{}
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			files[f.Name] = string(b)
		}
		return files
	}
	own := read(map[string]any{"Email": "alice@example.com"})
	if !strings.Contains(own["users.jsonl"], `"alice@example.com"`) || strings.Contains(own["users.jsonl"], "bob@") {
		t.Errorf("users: %s", own["users.jsonl"])
	}
	if m := own["messages.jsonl"]; !strings.Contains(m, "from alice") || strings.Contains(m, "bob") ||
		strings.Contains(m, "to alice") {
		t.Errorf("messages: %s", m)
	}
	all := read(map[string]any{"Email": "alice@example.com", "Context": true})
	if m := all["messages.jsonl"]; !strings.Contains(m, "to alice") || strings.Contains(m, "from bob") {
		t.Errorf("messages with context: %s", m)
	}
}
