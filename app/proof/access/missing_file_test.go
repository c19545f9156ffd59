package access_test

import (
	"strings"
	"testing"
)

// TestMissingFile checks that every route that requires a file says so in the same words if there is none.
func TestMissingFile(t *testing.T) {
	w := newFixture(t, nil)
	n := 0
	for _, m := range w.s.Ports.Collected.Modules {
		for _, e := range m.Parts.Endpoints {
			if e.FileLimit == 0 || strings.HasPrefix(e.Path, "/bots") { // the picture of a bot is optional
				continue
			}
			n++
			call := routeOf(e)
			a := w.ask(w.olga, strings.ReplaceAll(call, ":emoji_name", "made"), "night", "false", "file", "no file")
			if a.Status != 400 || a.String("msg") != "You must specify a file to upload" || a.String("code") != "BAD_REQUEST" {
				t.Errorf("%s: %d %s", call, a.Status, a.Body)
			}
		}
	}
	if n < 5 {
		t.Errorf("only %d routes require a file", n)
	}
}
