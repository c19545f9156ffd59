package emoji_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stoachat/stoa/adapters/emoji"
)

// The names served to clients are those that the server accepts.
func TestServedNames(t *testing.T) {
	text, err := os.ReadFile("../../modules/realm/emoji.json")
	if err != nil {
		t.Fatal(err)
	}
	var served struct {
		Names map[string][]string `json:"code_to_names"`
	}
	if err := json.Unmarshal(text, &served); err != nil {
		t.Fatal(err)
	}
	e := emoji.New()
	for code, names := range served.Names {
		if got, _ := e.Name(code); got != names[0] {
			t.Errorf("%s is called %q, served as %q", code, got, names[0])
		}
		for _, name := range names {
			if got, _ := e.Code(name); got != code {
				t.Errorf("%s is %q, served as %s", name, got, code)
			}
		}
	}
}
