package configs_test

import (
	"context"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/stoachat/stoa/app"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/configs"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/standard"
	"github.com/stoachat/stoa/ports"
)

var update = flag.Bool("update", false, "write README.md")

// TestFilesStart starts each configuration twice on its database and checks its health.
func TestFilesStart(t *testing.T) {
	files, err := filepath.Glob("*.yaml")
	if err != nil || len(files) < 4 {
		t.Fatalf("files: %v, %v", files, err)
	}
	for _, f := range files {
		t.Run(f, func(t *testing.T) {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			set := map[string]string{"http.addr": "127.0.0.1:0", "data_dir": t.TempDir(), "log.level": "error"}
			if strings.Contains(string(text), "postgres://") {
				if os.Getenv("STOA_TEST_POSTGRES_URL") == "" {
					t.Skip("STOA_TEST_POSTGRES_URL does not name a server")
				}
				set["database.url"] = kittest.Postgres(t)
			}
			for range 2 {
				s, err := app.New(t.Context(), app.Options{
					ConfigText: string(text), Set: set, Environ: []string{"STOA_HTTP_STOP_DELAY=0s"},
				}, standard.Modules()...)
				if err != nil {
					t.Fatal(err)
				}
				if err := s.Serve(t.Context()); err != nil {
					t.Fatal(err)
				}
				checkHealth(t, "http://"+s.Addr()+"/health")
				ctx, cancel := context.WithTimeout(context.Background(), testrun.Patience)
				defer cancel()
				if err := s.Stop(ctx); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestStoreExamples checks the examples in s3.md, which need no store to be valid.
func TestStoreExamples(t *testing.T) {
	text, err := os.ReadFile("s3.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1)
	if len(blocks) != 6 {
		t.Errorf("%d examples", len(blocks))
	}
	for _, b := range blocks {
		s, err := app.New(t.Context(), app.Options{
			ConfigText: string(b[1]), ConfigBase: configs.Local(),
			Set: map[string]string{"data_dir": t.TempDir(), "log.level": "error"},
		}, standard.Modules()...)
		if err != nil {
			t.Errorf("%s%v", b[1], err)
			continue
		}
		if err := s.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func checkHealth(t *testing.T, url string) {
	t.Helper()
	client := &http.Client{Timeout: testrun.Patience, Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("%s: %d", url, res.StatusCode)
	}
}

func TestNoFileListsDemo(t *testing.T) {
	files, _ := filepath.Glob("*.yaml")
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil || strings.Contains(string(text), "demo") {
			t.Errorf("%s lists the module demo, which is for development only; %v", f, err)
		}
	}
	if !strings.Contains(configs.Local(), "realm: {}") {
		t.Error("the local default is empty")
	}
}

// TestSecrets checks that every secret of the server, its modules and adapters is masked when it is printed.
func TestSecrets(t *testing.T) {
	const sentinel = "do not print this"
	all := map[string]reflect.Type{"server": reflect.TypeOf(app.Defaults())}
	for _, m := range standard.Modules() {
		all[m.Slot+" "+m.Name] = reflect.TypeOf(m.Defaults)
	}
	found := 0
	for name, config := range all {
		if plain := kittest.PlainSecrets(config); len(plain) > 0 {
			t.Errorf("%s: %v must have the type kit.Secret", name, plain)
		}
		filled := reflect.New(config)
		found += fill(filled.Elem(), sentinel)
		text, err := yaml.Marshal(filled.Interface())
		if err != nil {
			t.Fatal(err)
		}
		for _, printed := range []string{string(text), fmt.Sprintf("%v %+v %#v", filled, filled, filled)} {
			if strings.Contains(printed, sentinel) {
				t.Errorf("%s is printed as %s", name, printed)
			}
		}
	}
	if found < 8 {
		t.Errorf("%d secrets were found", found)
	}
}

// fill sets all secrets in a struct and returns how many there are.
func fill(v reflect.Value, secret string) int {
	if v.Type() == reflect.TypeFor[kit.Secret]() {
		v.SetString(secret)
		return 1
	}
	n := 0
	if v.Kind() == reflect.Struct {
		for _, field := range v.Fields() {
			n += fill(field, secret)
		}
	}
	return n
}

// TestReadme compares README.md with the code. With -update, it writes the file.
func TestReadme(t *testing.T) {
	want := readme(t)
	if *update {
		if err := os.WriteFile("README.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("README.md")
	if err != nil || string(got) != want {
		t.Errorf("README.md is outdated (%v): run make generate", err)
	}
}

const head = `# Configuration

This file is generated from the code; ` + "`go test ./configs -update`" + ` writes it.

` + "`stoa serve --config FILE`" + ` reads YAML. Every key has a default, so a file holds only what differs from it:

` + "```yaml" + `
http:
  addr: 127.0.0.1:9991
  url: https://chat.example.com
database:
  url: postgres://stoa@127.0.0.1:5432/stoa
` + "```" + `

The server refuses unknown keys and modules, and reports all problems at once, with suggestions.
` + "`stoa config check`" + ` lists the problems, ` + "`stoa config print`" + ` prints every key with its
effective value.

An environment variable overrides the file. Its name is ` + "`STOA_`" + ` and the key in capitals, with
` + "`_`" + ` for dots, such as ` + "`STOA_HTTP_ADDR`" + ` for ` + "`http.addr`" + `. Lists in variables are
separated by commas. The flags ` + "`--http-addr`" + `, ` + "`--data-dir`" + ` and ` + "`--database-url`" + `
override both.

A file without ` + "`modules:`" + ` runs the standard modules in [local.yaml](local.yaml), with its
adapters for the slots that the file does not fill. A file with ` + "`modules:`" + ` runs exactly the modules
listed there (a module without settings as ` + "`drafts: {}`" + `), with the adapters that the file names. The
entry ` + "`standard: {}`" + ` stands for the standard modules with their adapters, so that a file can add a
module or change a setting: ` + "`modules: {standard: {}, uploads: {max_file_mib: 25}}`" + `.

To leave modules out, name them: ` + "`modules: {standard: {without: [drafts, calls]}}`" + `, or write
` + "`drafts: false`" + `. ` + "`stoa modules`" + ` lists what can be left out, and which modules leave with it because they need
it. ` + "`stoa modules --cost`" + ` shows what each contributes, and its memory.
` + "`standard: {replace: {drafts: mydrafts}}`" + ` runs a module of your own in place of a standard one, whose section
` + "`mydrafts`" + ` may then be missing.

SIGHUP (` + "`systemctl reload stoa`" + `) makes a running server read the file again. Keys marked *reloads* take effect, and
the files that they name are read again. The log names other keys that have changed; they take effect at the next start.
If the file is invalid, the log says why, and nothing changes.

If a module is left out, its routes respond with 404, and its events and its part of ` + "`/register`" + `
are missing, except that keys which clients require are empty. Its tables keep their content. When the module returns,
it catches up with what it has missed, and is then as if it had always been there, but for this:

| after an absence of | |
|---|---|
| ` + "`audit`" + ` | what has changed meanwhile is not in the log |
| ` + "`channels`" + ` | new accounts are in the default channels, but not in those of their invitation; the audit log says so |
| ` + "`events`" + ` | event queues of somebody who was deactivated and reactivated meanwhile continue |
| ` + "`groups`" + ` | new accounts are not in the groups of their invitation |
| ` + "`invites`" + ` | invitations of somebody who was deactivated and reactivated meanwhile are still valid |
| ` + "`messages`" + ` | notices, such as about an invitation that was used, are not sent, and subscriptions begin with the return |
| ` + "`mutes`" + ` | messages of muted users are unread |
| ` + "`notifications`" + `, ` + "`push`" + `, ` + "`mailnotify`" + `, ` + "`outgoing`" + ` | nobody is notified, and no bot is called |
| ` + "`push`" + ` | devices register again |
| ` + "`sessions`" + ` | people log in again |
| ` + "`scheduled`" + ` | messages that were due are not sent, and their senders are told |
| ` + "`topics`" + ` | mentions and reactions have made nobody follow a topic; policies for deleted topics remain |
| ` + "`welcomemails`" + `, ` + "`deactivationmail`" + ` | the emails are not sent |

All servers of a database should run the same modules: what happens on one that lacks a module is made up for only when
the module has been missing on all servers and starts again, or after the servers that lack it have been restarted with
it. While servers of one version differ, ` + "`/health`" + ` reports ` + "`degraded`" + ` with the check ` + "`server.modules`" + `, and the log names
the modules.

| file | purpose |
|---|---|
`

const guides = `
To operate a server, read [mail.md](mail.md), [postgresql.md](postgresql.md), [proxy.md](proxy.md),
[s3.md](s3.md), [backup.md](backup.md), [watch.md](watch.md), [scale.md](scale.md), [upgrade.md](upgrade.md) and
[privacy.md](privacy.md).
`

func readme(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(head)
	files, _ := filepath.Glob("*.yaml")
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var comment []string
		for line := range strings.Lines(string(text)) {
			c, ok := strings.CutPrefix(line, "# ")
			if !ok {
				break
			}
			comment = append(comment, strings.TrimSpace(c))
		}
		fmt.Fprintf(&b, "| [%s](%s) | %s |\n", f, f, strings.Join(comment, " "))
	}
	b.WriteString(guides)
	b.WriteString("\n## The server\n\n")
	keys(t, &b, reflect.ValueOf(app.Defaults()))
	modules := standard.Modules()
	slices.SortFunc(modules, func(a, b kit.Module) int { return strings.Compare(a.Slot+a.Name, b.Slot+b.Name) })
	for _, m := range modules {
		section := "modules." + m.Name
		if m.Slot != "" {
			section = "adapters." + m.Slot + ", use: " + m.Name
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", section, m.Doc)
		if reflect.TypeOf(m.Defaults).NumField() > 0 {
			b.WriteString("\n")
			keys(t, &b, reflect.ValueOf(m.Defaults))
		}
		if slices.Contains(m.Provides, reflect.TypeFor[ports.Blobs]()) {
			b.WriteString("| `moving_from` | empty | the store that has the files now, a section with use and its keys, while " +
				"stoa blobs move moves them to this one; see [s3.md](s3.md#move-files-between-stores) |\n")
		}
	}
	return b.String()
}

func keys(t *testing.T, b *strings.Builder, v reflect.Value) {
	t.Helper()
	b.WriteString("| key | default | meaning |\n|---|---|---|\n")
	rows(t, b, "", v, false)
}

func rows(t *testing.T, b *strings.Builder, path string, v reflect.Value, reloads bool) {
	t.Helper()
	docs := comments(t, v.Type())
	for f, value := range v.Fields() {
		key := path + strings.Split(f.Tag.Get("yaml"), ",")[0]
		reloads := reloads || f.Tag.Get("reload") == "true"
		if f.Type.Kind() == reflect.Struct {
			rows(t, b, key+".", value, reloads)
			continue
		}
		doc := docs[f.Name]
		if doc == "" { // the name is self-explanatory
			doc = strings.ReplaceAll(key[strings.LastIndexByte(key, '.')+1:], "_", " ")
		}
		if reloads {
			doc += " (*reloads*)"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", key, shown(value), strings.ReplaceAll(doc, "|", "\\|"))
	}
}

func shown(v reflect.Value) string {
	s := fmt.Sprint(v.Interface())
	if v.Kind() == reflect.String && s == "" || (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0 {
		return "empty"
	}
	return "`" + s + "`"
}

// comments returns the source comments of a struct's fields.
func comments(t *testing.T, of reflect.Type) map[string]string {
	t.Helper()
	dir := filepath.Join("..", strings.TrimPrefix(of.PkgPath(), "github.com/stoachat/stoa/"))
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no source of %v in %s", of, dir)
	}
	out := map[string]string{}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || spec.Name.Name != of.Name() {
				return true
			}
			s, ok := spec.Type.(*ast.StructType)
			if !ok {
				return true
			}
			for _, field := range s.Fields.List {
				text := strings.TrimSpace(field.Comment.Text())
				if text == "" {
					text = strings.TrimSpace(field.Doc.Text())
				}
				for _, n := range field.Names {
					out[n.Name] = strings.Join(strings.Fields(text), " ")
				}
			}
			return false
		})
	}
	return out
}
