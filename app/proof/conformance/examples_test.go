package conformance_test

import (
	"encoding/json"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// examples matches the programs on the page of an operation.
var examples = regexp.MustCompile(`data-language="(\w+)"><code>([^<]*)</code>`)

// TestExamples runs examples on the pages of the API, in each language that is installed.
func TestExamples(t *testing.T) {
	harness.SQLiteSuffices(t, "the examples are text")
	s := startAll(t)
	alice := s.As("alice")
	s.As("alice").Do("POST /messages", "type", "channel", "to", "general", "topic", "x", "content", "x").OK()
	programs := map[string][]string{"bash": {"bash"}, "python": {"python3"}, "javascript": {"node"}}
	suffix := map[string]string{"bash": "sh", "python": "py", "javascript": "mjs"}
	for _, id := range []string{"sendMessage", "getMessages", "registerQueue", "getUsers", "createDraft", "getOwnUser"} {
		a := s.Anonymous().Under("/api/docs").Do("GET /" + id)
		found := examples.FindAllStringSubmatch(a.Body, -1)
		if len(found) != 3 {
			t.Errorf("%s has %d examples: %d", id, len(found), a.Status)
		}
		for _, m := range found {
			t.Run(id+"/"+m[1], func(t *testing.T) {
				runExample(t, alice, programs[m[1]], suffix[m[1]], html.UnescapeString(m[2]))
			})
		}
	}
}

func runExample(t *testing.T, as *kittest.Client, program []string, suffix, text string) {
	if _, err := exec.LookPath(program[0]); err != nil {
		t.Skip(err)
	}
	text = strings.NewReplacer("bot@example.com", as.Email(), "API_KEY", as.Key()).Replace(text)
	if suffix == "py" { // prints JSON, so that the response can be compared
		text = "import json\n" + strings.Replace(text, "print(response.json())", "print(json.dumps(response.json()))", 1)
	}
	if suffix == "mjs" {
		text = strings.Replace(text, "(await response.json())", "(JSON.stringify(await response.json()))", 1)
	}
	file := filepath.Join(t.TempDir(), "example."+suffix)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program[0], file)
	out, err := cmd.CombinedOutput()
	var response struct{ Result string }
	if err != nil || json.Unmarshal(out, &response) != nil || response.Result != "success" {
		t.Errorf("%v\n%s\n%s", err, out, text)
	}
}
