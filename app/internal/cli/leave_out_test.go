package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLeavingModulesOut tries the ways to leave modules out of the standard ones, and what is refused offers both
// remedies.
func TestLeavingModulesOut(t *testing.T) {
	file := filepath.Join(t.TempDir(), "without.yaml")
	for text, want := range map[string]string{
		"modules: {standard: {without: [drafts, widgets]}}": "",
		"modules: {drafts: false, widgets: false}":          "",
		"modules: {standard: {without: [images]}}": `modules.avatars: needs the module images; add modules: {images: {}}, or remove it
modules.emoji: needs the module images; add modules: {images: {}}, or remove it
modules.logos: needs the module images; add modules: {images: {}}, or remove it
`,
		"modules: {standard: {without: [mesages, sessions]}}": `modules.identities: needs the module sessions; add modules: {sessions: {}}, or remove it
modules.standard.without.0: unknown module "mesages"; did you mean "messages"?
modules.twofactor: needs the module sessions; add modules: {sessions: {}}, or remove it
modules.web: needs the module sessions; add modules: {sessions: {}}, or remove it
`,
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r := stoa(t, "", "modules", "--config", file)
		if r.err != want || (r.code == 0) != (want == "") {
			t.Errorf("%s: %d\n%s", text, r.code, r.err)
		}
		if want == "" && !strings.Contains(r.out, "off drafts: ") {
			t.Errorf("%s:\n%s", text, r.out)
		}
	}
}
