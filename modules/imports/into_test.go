package imports_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/user"
)

// meeting is an archive of Slack with people and a channel that exist in the organization of the test, too.
func meeting(t *testing.T, more ...string) string {
	t.Helper()
	files := maps.Clone(exported["slack"])
	files["users.json"] = `[{"id":"U1","name":"ada","is_owner":true,"is_primary_owner":true,"profile":{"real_name":"Ada",
		"email":"ada@example.com"}},{"id":"U2","name":"al","is_admin":true,"profile":{"real_name":"Somebody Else",
		"email":"ALICE@example.com"}}]`
	files["channels.json"] = `[{"id":"C1","name":"General","is_general":true,"members":["U1","U2"],"created":1716379200}]`
	files["General/2024-05-22.json"] = `[{"type":"message","user":"U1","text":"hello <@U2>","ts":"1716379201.000100"}` +
		strings.Join(more, "") + `]`
	delete(files, "garden/2024-05-22.json")
	return write(t, files)
}

// An archive can be imported into an existing organization: people become the accounts with their addresses, whose
// roles stay; what exists receives no messages; and nobody gains rights.
func TestInto(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		alice, olga := s.As("alice"), s.As("olga")
		alice.Do("POST /messages", "type", "channel", "to", `"general"`, "topic", "x", "content", "before").OK()
		before := olga.Do("GET /users").OK().Body
		flags := map[string]any{"Archive": meeting(t), "Into": "@root", "DryRun": true}
		dry, err := s.command(t.Context(), "import slack", flags)
		if err != nil || dry.Realm != 0 || !strings.Contains(strings.Join(dry.Notes, " "), `called "General (2)" here`) {
			t.Fatal(dry, err)
		}
		if got := olga.Do("GET /users").OK().Body; got != before {
			t.Error("the dry run changes people")
		}
		delete(flags, "DryRun")
		r, err := s.command(t.Context(), "import slack", flags)
		if err != nil || r.Realm != s.Realm {
			t.Fatal(r, err)
		}
		v, err := s.Ports.Directory.Verified(t.Context(), s.Realm)
		if err != nil {
			t.Fatal(err)
		}
		ada, al := v.UserByEmail("ada@example.com"), v.UserByEmail("alice@example.com")
		if ada == nil || ada.Role != user.Member || al.ID != s.UserID("alice") || al.FullName == "Somebody Else" {
			t.Errorf("ada: %+v, alice: %+v", ada, al)
		}
		if v.Realm().Deactivated || v.Realm().Settings.Name == "Imported" || v.ChannelByName("General (2)") == nil {
			t.Errorf("%+v", v.Realm())
		}
		alice, olga = s.As("alice"), s.As("olga")
		read := func(channel string) string {
			return alice.Do("GET /messages", "anchor", "newest", "num_before", "9", "num_after", "0", "apply_markdown",
				"false", "narrow", `[["channel","`+channel+`"]]`).OK().Body
		}
		if got := read("general"); strings.Contains(got, "hello") || !strings.Contains(got, "before") {
			t.Errorf("the existing channel: %s", got)
		}
		if got := read("General (2)"); !strings.Contains(got, "hello @**Alice|") {
			t.Errorf("the new channel: %s", got)
		}
		if got := olga.Do("GET /messages", "anchor", "newest", "num_before", "9", "num_after", "0", "narrow",
			`[["is","unread"]]`).OK().Body; strings.Contains(got, "hello") {
			t.Errorf("imported messages are unread: %s", got)
		}
		// later, with a message more
		flags["Archive"] = meeting(t, `,{"type":"message","user":"U2","text":"next","ts":"1716379202.000100"}`)
		if _, err = s.command(t.Context(), "import slack", flags); err != nil {
			t.Fatal(err)
		}
		if got := read("General (2)"); strings.Count(got, "hello @**Alice|") != 1 || !strings.Contains(got, `"next"`) {
			t.Errorf("after another import: %s", got)
		}
	})
}

// An import into an organization is refused before anything is written if it would mix what does not belong together.
func TestIntoRefused(t *testing.T) {
	s := start(t, "")
	slack := meeting(t)
	for name, c := range map[string]struct {
		command string
		flags   map[string]any
		want    string
	}{
		"none":      {"import slack", map[string]any{"Archive": slack, "Into": "nowhere"}, "no organization"},
		"of Stoa":   {"import stoa", map[string]any{"Archive": s.exportedTo(t), "Into": "@root"}, "of its own"},
		"nothing":   {"import open", map[string]any{"Organization": "@root"}, "not completed"},
		"not begun": {"import slack", map[string]any{"Archive": slack}, "an organization already"},
	} {
		if _, err := s.command(t.Context(), c.command, c.flags); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.command(t.Context(), "import slack", map[string]any{"Archive": slack, "Into": "@root"}); err != nil {
		t.Fatal(err)
	}
	archive := write(t, exported["zulip"])
	_, err := s.command(t.Context(), "import zulip", map[string]any{"Archive": archive, "Into": "@root"})
	if err == nil || !strings.Contains(err.Error(), "archives of slack") {
		t.Errorf("another program: %v", err)
	}
	_, err = s.command(t.Context(), "import slack", map[string]any{"Archive": slack})
	if err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("without --into: %v", err)
	}
}

// exportedTo returns a file with an export of the organization.
func (s *server) exportedTo(t *testing.T) string {
	t.Helper()
	s.allowExport()
	at := filepath.Join(t.TempDir(), "archive.tar.gz")
	if err := os.WriteFile(at, s.export(s.As("olga")), 0o600); err != nil {
		t.Fatal(err)
	}
	return at
}
