package crash_test

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// TestImportSurvivesKills imports an archive of each program into two servers: into one at once, and into the other by
// a command that is killed again and again. Both must then contain the same, also after another import. Outside of long
// runs, it imports the archives of Slack and of Stoa, since the sources of all programs share one engine.
func TestImportSurvivesKills(t *testing.T) {
	kills, messages := 4, 1000
	archives := map[string]string{}
	if testrun.Long() {
		kills, messages = 50, 10_000
		archives["mattermost"], archives["zulip"] = ofMattermost(t, messages), ofZulip(t, messages)
	} else {
		harness.SQLiteSuffices(t, "imports are resumed on both databases by tests of the module imports")
	}
	archives["slack"] = ofSlack(t, messages)
	whole := map[string][]string{}
	for _, program := range slices.Sorted(maps.Keys(archives)) {
		s := harness.NewEmptyServer(t)
		s.Run("import", program, archives[program], "--quiet")
		whole[program] = exportedBy(s)
		if n := len(whole[program]); n < messages {
			t.Fatalf("%s: only %d lines were imported", program, n)
		}
		if program == "slack" {
			archives["stoa"] = filepath.Join(t.TempDir(), "archive.tar.gz")
			s.Run("export", "archive", "--output", archives["stoa"])
			again := harness.NewEmptyServer(t)
			again.Run("import", "stoa", archives["stoa"], "--quiet")
			whole["stoa"] = exportedBy(again)
		}
	}
	for _, program := range slices.Sorted(maps.Keys(archives)) {
		want := whole[program]
		s, killed := harness.NewEmptyServer(t), 0
		for range kills {
			if killedImport(s, program, archives[program]) {
				killed++
			}
		}
		if killed < kills/2 {
			t.Errorf("%s: only %d of %d imports were killed before they ended", program, killed, kills)
		}
		for range 2 {
			s.Run("import", program, archives[program], "--quiet")
			if got := exportedBy(s); !slices.Equal(got, want) {
				t.Errorf("%s: %d lines differ from those of an import that was not killed:\n%s", program, len(got),
					differing(got, want))
			}
		}
	}
}

// TestImportIntoSurvivesKills imports an archive into an existing organization by commands that are killed again and
// again. The organization is closed meanwhile. In the end it contains what an import adds that is not killed, and what
// it had before.
func TestImportIntoSurvivesKills(t *testing.T) {
	kills, messages := 3, 600
	if testrun.Long() {
		kills, messages = 50, 10_000
	} else {
		harness.SQLiteSuffices(t, "imports are resumed on both databases by tests of the module imports")
	}
	archive := ofSlack(t, messages)
	flags := []string{"slack", archive, "--into", "@root"}
	inhabited := func() *harness.Server {
		s := harness.NewServer(t)
		s.Start()
		s.Must("POST", "/users/me/subscriptions", url.Values{"subscriptions": {`[{"name":"garden"}]`}}) // as in the archive
		s.Kill()
		return s
	}
	whole := inhabited()
	whole.Run(slices.Concat([]string{"import"}, flags, []string{"--quiet"})...)
	want := timeless(exportedBy(whole))
	if len(want) < messages {
		t.Fatalf("only %d lines were imported", len(want))
	}
	s, killed := inhabited(), 0
	for range kills {
		if killedImport(s, flags...) {
			killed++
		}
	}
	if killed < kills/2 {
		t.Errorf("only %d of %d imports were killed before they ended", killed, kills)
	}
	for range 2 {
		s.Run(slices.Concat([]string{"import"}, flags, []string{"--quiet"})...)
		if got := timeless(exportedBy(s)); !slices.Equal(got, want) {
			t.Errorf("%d lines differ from those of an import that was not killed:\n%s", len(got), differing(got, want))
		}
	}
}

// thisYear matches the times of what the servers themselves have created.
var thisYear = regexp.MustCompile(`"` + time.Now().Format("2006") + `-[^"]*"`)

// timeless replaces the times at which the import itself created rows, which differ between servers.
func timeless(lines []string) []string {
	for i := range lines {
		lines[i] = thisYear.ReplaceAllString(lines[i], `"now"`)
	}
	slices.Sort(lines)
	return lines
}

// killedImport imports an archive until a random moment in one of its phases, and reports whether it was killed.
func killedImport(s *harness.Server, args ...string) bool {
	s.T.Helper()
	cmd := exec.Command(harness.Binary(s.T), append([]string{"import"}, args...)...)
	cmd.Env = s.Env
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		s.T.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	for n := 1 + rand.IntN(10); n > 0 && lines.Scan(); n-- { // a line per phase
	}
	time.Sleep(time.Duration(rand.IntN(150_000)) * time.Microsecond)
	_ = cmd.Process.Kill()
	for lines.Scan() {
	}
	return cmd.Wait() != nil
}

// random matches parts of the addresses of files.
var random = regexp.MustCompile(`/user_uploads/\d+/[^/]+/[^/]+/`)

// exportedBy returns the sorted lines of an export of what a server has imported. They have names instead of IDs, since
// PostgreSQL gives no ID twice, even if the transaction that used it was rolled back.
func exportedBy(s *harness.Server) []string {
	s.T.Helper()
	name := filepath.Join(s.T.TempDir(), "export.tar.gz")
	s.Run("export", "archive", "--output", name)
	f, err := os.Open(name)
	if err != nil {
		s.T.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		s.T.Fatal(err)
	}
	tables := map[string][]string{"messages": nil, "users": nil, "channels": nil, "subscriptions": nil}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return named(s.T, tables)
		}
		if err != nil {
			s.T.Fatal(err)
		}
		table, _, _ := strings.Cut(h.Name, "/")
		if _, compared := tables[table]; !compared {
			continue
		}
		text, err := io.ReadAll(r)
		if err != nil {
			s.T.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, `"system":true`) {
				continue // the server's own bots are as old as the server
			}
			tables[table] = append(tables[table], random.ReplaceAllString(line, "/user_uploads/"))
		}
	}
}

// The IDs in an export, outside and inside of texts.
var (
	idKey  = regexp.MustCompile(`"(id|sender_id|user_id|channel_id|first_message)":(\d+)`)
	idText = regexp.MustCompile(`(\*\*\w+\||data-user-id=\\"|data-stream-id=\\"|#narrow/channel/)\d+`)
)

// named returns the sorted lines of tables with names instead of IDs. Messages have none.
func named(t testing.TB, tables map[string][]string) []string {
	t.Helper()
	names := map[string]string{}
	for table, key := range map[string]string{"users": "full_name", "channels": "name", "first message": "content"} {
		for _, line := range tables[strings.Replace(table, "first message", "messages", 1)] {
			var row map[string]any
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatal(err)
			}
			names[fmt.Sprint(table, row["id"])] = fmt.Sprint(row[key])
		}
	}
	var all []string
	for table, lines := range tables {
		of := map[string]string{"id": table, "sender_id": "users", "user_id": "users", "channel_id": "channels",
			"first_message": "first message"}
		for _, line := range lines {
			line = idKey.ReplaceAllStringFunc(line, func(found string) string {
				parts := idKey.FindStringSubmatch(found)
				return fmt.Sprintf("%q:%q", parts[1], names[of[parts[1]]+parts[2]])
			})
			all = append(all, table+" "+idText.ReplaceAllString(line, "$1"))
		}
	}
	slices.Sort(all)
	return all
}

// differing returns the first lines that only one of two lists contains.
func differing(got, want []string) string {
	var out []string
	for _, line := range got {
		if _, ok := slices.BinarySearch(want, line); !ok && len(out) < 4 {
			out = append(out, "+ "+line)
		}
	}
	for _, line := range want {
		if _, ok := slices.BinarySearch(got, line); !ok && len(out) < 8 {
			out = append(out, "- "+line)
		}
	}
	return strings.Join(out, "")
}

// began is when the people of the archives began to write.
const began = 1_716_379_200

// unpacked writes the files of an archive into a folder.
func unpacked(t *testing.T, files map[string]any) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		text, ok := content.(string)
		if !ok {
			encoded, err := json.Marshal(content)
			if err != nil {
				t.Fatal(err)
			}
			text = string(encoded)
		}
		at := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

type object map[string]any

func ofMattermost(t *testing.T, n int) string {
	t.Helper()
	var text strings.Builder
	line := func(kind string, content any) {
		_ = json.NewEncoder(&text).Encode(object{"type": kind, kind: content}) // of text and numbers
	}
	line("version", 1)
	line("team", object{"name": "acme", "display_name": "Acme"})
	line("channel", object{"team": "acme", "name": "garden", "display_name": "garden", "type": "O"})
	for _, name := range []string{"ada", "ben"} {
		line("user", object{"username": name, "email": name + "@example.com", "roles": "system_user system_admin",
			"teams": []object{{"name": "acme", "channels": []object{{"name": "garden", "last_viewed_at": began * 1000}}}}})
	}
	files := map[string]any{}
	for i := range n {
		at := (began + int64(i)) * 1000
		post := object{"team": "acme", "channel": "garden", "user": "ada", "message": fmt.Sprintf("hello @ben %d", i),
			"create_at": at, "reactions": []object{{"user": "ben", "emoji_name": "tada", "create_at": at}}}
		if i%50 == 0 {
			name := fmt.Sprintf("%d.txt", i)
			files["data/"+name] = strings.Repeat(name, 100)
			post["attachments"] = []object{{"path": name}}
			post["replies"] = []object{{"user": "ben", "message": "yes", "create_at": at + 500}}
		}
		line("post", post)
	}
	files["import.jsonl"] = text.String()
	return unpacked(t, files)
}

func ofSlack(t *testing.T, n int) string {
	t.Helper()
	all := make([]object, n)
	files := map[string]any{}
	for i := range all {
		m := object{"type": "message", "user": "U1", "ts": fmt.Sprintf("%d.%06d", began+i, i),
			"text":      fmt.Sprintf("hello <@U2> %d", i),
			"reactions": []object{{"name": "tada", "users": []string{"U2"}, "count": 1}}}
		switch i % 50 {
		case 0:
			id := fmt.Sprintf("F%d", i)
			files["__uploads/"+id+"/notes.txt"] = strings.Repeat(id, 100)
			m["files"] = []object{{"id": id, "name": "notes.txt", "mimetype": "text/plain", "mode": "hosted",
				"url_private": "https://files.slack.com/" + id}}
		case 1:
			m["user"], m["thread_ts"] = "U2", all[i-1]["ts"]
		}
		all[i] = m
	}
	files["users.json"] = []object{
		{"id": "U1", "name": "ada", "is_primary_owner": true, "profile": object{"email": "ada@example.com"}},
		{"id": "U2", "name": "ben", "profile": object{"email": "ben@example.com"}},
	}
	files["channels.json"] = []object{{"id": "C1", "name": "garden", "created": began, "members": []string{"U1", "U2"}}}
	files["garden/2024-05-22.json"] = all
	return unpacked(t, files)
}

func ofZulip(t *testing.T, n int) string {
	t.Helper()
	files := map[string]any{"realm.json": object{
		"zerver_realm": []object{{"id": 1, "string_id": "acme", "name": "Acme", "date_created": began}},
		"zerver_userprofile": []object{
			{"id": 11, "delivery_email": "ada@example.com", "full_name": "Ada", "role": 100, "is_active": true,
				"date_joined": began},
			{"id": 12, "delivery_email": "ben@example.com", "full_name": "Ben", "role": 400, "is_active": true,
				"date_joined": began},
		},
		"zerver_stream":    []object{{"id": 21, "name": "garden", "date_created": began}},
		"zerver_recipient": []object{{"id": 33, "type": 2, "type_id": 21}},
		"zerver_subscription": []object{
			{"user_profile": 11, "recipient": 33, "active": true}, {"user_profile": 12, "recipient": 33, "active": true},
		},
	}}
	var attached []object
	for i := 0; i < n; i += 1000 {
		var all, flags []object
		for id := i; id < min(i+1000, n); id++ {
			text := fmt.Sprintf("hello @**Ben|12** %d", id)
			if id%50 == 0 {
				path := fmt.Sprintf("1/ab/%d/notes.txt", id)
				files["uploads/"+path] = strings.Repeat(path, 100)
				attached = append(attached, object{"id": id + 1, "owner": 11, "path_id": path, "file_name": "notes.txt",
					"create_time": began + id, "messages": []int{id + 1}})
				text += " [notes](/user_uploads/" + path + ")"
			}
			all = append(all, object{"id": id + 1, "sender": 11, "recipient": 33, "subject": "x", "content": text,
				"date_sent": began + id})
			flags = append(flags, object{"user_profile": 12, "message": id + 1, "flags_mask": id % 2})
		}
		files[fmt.Sprintf("messages-%06d.json", i/1000+1)] = object{"zerver_message": all, "zerver_usermessage": flags}
	}
	files["attachment.json"] = object{"zerver_attachment": attached}
	return unpacked(t, files)
}
