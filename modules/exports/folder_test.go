package exports_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// run runs stoa export archive, or stoa export folder.
func run(t *testing.T, s *kittest.Server, r realm.ID, flags map[string]any) ([]byte, error) {
	t.Helper()
	name := "export archive"
	if flags["Folder"] != nil {
		name = "export folder"
	}
	c, ok := s.Ports.Collected.Command(name)
	text, err := json.Marshal(flags)
	if !ok || err != nil {
		t.Fatal("no command", err)
	}
	var out bytes.Buffer
	err = c.Run(t.Context(), user.Actor{Realm: r, System: true}, text, &out)
	return out.Bytes(), err
}

// read reads a folder of an export: the names and texts of all files, and the lines of JSON like those of an archive.
func read(t *testing.T, dir string) contents {
	t.Helper()
	u := contents{lines: map[string][]map[string]any{}, files: map[string][]byte{}}
	var all strings.Builder
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		short, _ := filepath.Rel(dir, name)
		u.files[short] = body
		all.WriteString(short + "\n" + string(body))
		if filepath.Ext(short) == ".jsonl" {
			table := strings.TrimSuffix(filepath.Base(short), ".jsonl")
			for line := range strings.Lines(string(body)) {
				var v map[string]any
				if err := json.Unmarshal([]byte(line), &v); err != nil {
					return fmt.Errorf("%s: %w", short, err)
				}
				u.lines[table] = append(u.lines[table], v)
			}
		}
		return nil
	})
	if err != nil || json.Unmarshal(u.files["manifest.json"], &u.about) != nil {
		t.Fatal("no manifest", err)
	}
	u.text = all.String()
	return u
}

// The command writes the same archive as the API, and a folder with the same content, in which the links to files work.
func TestCommand(t *testing.T) {
	p := startDemo(t)
	p.extend()
	p.people["othello"].Do("PATCH /settings", "allow_private_data_export", "true").OK()
	const nothing = "does not allow exports of private data"
	if _, err := run(t, p.s, p.realm, map[string]any{"Type": "full_without_consent"}); err == nil ||
		!strings.Contains(err.Error(), nothing) {
		t.Errorf("everything, although the organization does not allow it: %v", err)
	}
	p.must(p.l.Settings.Set(t.Context(), p.realm, "owner_full_content_access", true))
	for _, kind := range []string{"public", "full_with_consent", "full_without_consent"} {
		api := export(t, p.s.In(t), p.people["desdemona"], "export_type", kind)
		out, err := run(t, p.s, p.realm, map[string]any{"Type": kind})
		p.must(err)
		same(t, kind+" archive", unpack(t, out), api)
		dir := filepath.Join(t.TempDir(), "out")
		_, err = run(t, p.s, p.realm, map[string]any{"Type": kind, "Folder": dir})
		p.must(err)
		u := read(t, dir)
		same(t, kind+" folder", u, api)
		checkLinks(t, u)
		texts := 0
		for name, text := range u.files {
			if filepath.Ext(name) == ".md" && name != "README.md" {
				texts += strings.Count(string(text), "\n**")
			}
		}
		if want := len(api.lines["messages"]); texts < want*9/10 {
			t.Errorf("%s: %d messages can be read, want %d", kind, texts, want)
		}
		for _, word := range []string{"whispered", "coreword", "before he came"} {
			if strings.Contains(u.text, word) != strings.Contains(api.text, word) {
				t.Errorf("%s: %q is in only one of folder and archive", kind, word)
			}
		}
		if _, err := run(t, p.s, p.realm, map[string]any{"Type": "public", "Folder": dir}); err == nil {
			t.Error("a folder was overwritten")
		}
	}
}

// same compares the lines and files of an export with those of an archive that the API has made.
func same(t *testing.T, what string, got, want contents) {
	t.Helper()
	for table, lines := range want.lines {
		if table != "presences" && len(got.lines[table]) != len(lines) {
			t.Errorf("%s: %d lines of %s, want %d", what, len(got.lines[table]), table, len(lines))
		}
	}
	for table := range got.lines {
		if want.lines[table] == nil {
			t.Errorf("%s: the table %s should not be there", what, table)
		}
	}
	for name, body := range want.files {
		if strings.HasPrefix(name, "files/") && !bytes.Equal(got.files[name], body) {
			t.Errorf("%s: %s differs", what, name)
		}
	}
	ids := want.ids("messages", "id")
	for id := range got.ids("messages", "id") {
		if ids[id] == nil {
			t.Errorf("%s: message %.0f should not be there", what, id)
		}
	}
}

var linked = regexp.MustCompile(`\((files/[^)]+)\)`)

// checkLinks checks that links in texts lead to files.
func checkLinks(t *testing.T, u contents) {
	t.Helper()
	n := 0
	for name, text := range u.files {
		if filepath.Ext(name) != ".md" {
			continue
		}
		for _, m := range linked.FindAllStringSubmatch(string(text), -1) {
			n++
			if body := u.files[filepath.Join(filepath.Dir(name), m[1])]; !strings.HasPrefix(string(body), "content of ") {
				t.Errorf("%s leads to %s, which is %q", name, m[1], body)
			}
		}
	}
	if n == 0 {
		t.Error("no text leads to a file")
	}
}

// Names of channels and people cannot leave the folder, nor collide. If the export fails, nothing is left.
func TestFolderNames(t *testing.T) {
	s := start(t)
	alice := s.As("alice")
	for _, name := range []string{"../../outside", "..", "/etc/passwd", `C:\windows`, "NUL", "Twice", strings.Repeat("é", 60)} {
		text, err := json.Marshal([]map[string]string{{"name": name}})
		if err != nil {
			t.Fatal(err)
		}
		alice.Do("POST /users/me/subscriptions", "subscriptions", string(text)).OK()
		text, _ = json.Marshal(name)
		alice.Do("POST /messages", "type", "channel", "to", string(text), "topic", "../x", "content", "in "+name).OK()
	}
	parent := t.TempDir()
	if _, err := run(t, s, s.Realm, map[string]any{"Type": "public", "Folder": filepath.Join(parent, "out")}); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(parent)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v %v", entries, err)
	}
	u := read(t, filepath.Join(parent, "out"))
	simple := regexp.MustCompile(`^(channels|direct)/[0-9a-f-]+-[\pL\pN\pM_.-]+/(README|\d{4}-\d\d|messages)\.(md|jsonl)$`)
	n := 0
	for name := range u.files {
		if strings.HasPrefix(name, "channels/") || strings.HasPrefix(name, "direct/") {
			n++
			if !simple.MatchString(name) {
				t.Errorf("%q", name)
			}
		}
	}
	if n < 3*7 {
		t.Errorf("%d files", n)
	}
	nowhere := filepath.Join(parent, "none", "out")
	if _, err := run(t, s, s.Realm, map[string]any{"Type": "public", "Folder": nowhere}); err == nil {
		t.Error("a folder within one that does not exist")
	}
}
