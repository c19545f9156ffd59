package imports_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/user"
)

var update = flag.Bool("update", false, "write the reports of peculiar archives to testdata")

// TestPeculiar imports generated archives to which everything was added that the formats are known to contain,
// well-formed or not, and compares the printed report with testdata. A dry run reports the same.
func TestPeculiar(t *testing.T) {
	s := start(t, "")
	c := generateCommunity(5, 7, 4, 25)
	for program, archive := range map[string]func(*testing.T, *community) files{
		"slack": peculiarSlack, "mattermost": peculiarMattermost, "zulip": peculiarZulip,
	} {
		in := map[string]any{"Archive": archive(t, c).save(t), "Realm": "odd-" + program}
		if program == "mattermost" {
			in["Workspace"] = "acme"
		}
		imported := s.printed("import "+program, in)
		in["DryRun"], in["Realm"] = true, "dry-"+program
		dry := s.printed("import "+program, in)
		_, report, _ := strings.Cut(imported, "\n")
		report, _, _ = strings.Cut(report, "\n\nPeople have no passwords yet")
		if dry != report {
			t.Errorf("%s: the dry run reports\n%s", program, difference(strings.Split(dry, "\n"), strings.Split(report, "\n")))
		}
		at := filepath.Join("testdata", program+".txt")
		if *update {
			if err := os.WriteFile(at, []byte(report+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(at)
		if err != nil {
			t.Fatal(err)
		}
		if string(want) != report+"\n" {
			t.Errorf("%s: got + and want - (-update writes %s)\n%s", program, at,
				difference(strings.Split(report, "\n"), strings.Split(string(want), "\n")))
		}
	}
}

// printed returns what a command prints.
func (s *server) printed(name string, in map[string]any) string {
	s.t.Helper()
	c, ok := s.Ports.Collected.Command(name)
	if !ok {
		s.t.Fatal("no command")
	}
	text, err := json.Marshal(in)
	if err != nil {
		s.t.Fatal(err)
	}
	var out bytes.Buffer
	if err := c.Run(s.t.Context(), user.Actor{System: true}, text, &out); err != nil {
		s.t.Fatalf("%s: %v", name, err)
	}
	v := reflect.New(c.Res)
	if err := json.Unmarshal(out.Bytes(), v.Interface()); err != nil {
		s.t.Fatal(err)
	}
	return fmt.Sprint(v.Elem().Interface())
}

// add adds elements, given as JSON, to a list of an archive, which may be a table in a file.
func (f files) add(t *testing.T, name, table, elements string) {
	t.Helper()
	var more []json.RawMessage
	if err := json.Unmarshal([]byte("["+elements+"]"), &more); err != nil {
		t.Fatalf("%s: %v in %s", name, err, elements)
	}
	all := []any{}
	if table == "" {
		all, _ = f[name].([]any)
	} else if old, err := json.Marshal(f[name].(object)[table]); err != nil {
		t.Fatal(err)
	} else if err := json.Unmarshal(old, &all); err != nil {
		t.Fatal(err)
	}
	for _, one := range more {
		all = append(all, one)
	}
	if table == "" {
		f[name] = all
		return
	}
	f[name].(object)[table] = all
}
