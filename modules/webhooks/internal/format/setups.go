package format

import (
	"cmp"
	_ "embed" // setups.md
	"strings"
)

// setups.md says what to configure at the services with Go code, by name. Service files contain the same as setup.
//
//go:embed setups.md
var setups string

// setupOf returns Markdown: what setups.md says about a service; "": nothing.
func setupOf(name string) string {
	_, text, _ := strings.Cut(setups, "\n## "+name+"\n")
	text, _, _ = strings.Cut(text, "\n## ")
	return strings.TrimSpace(text)
}

// Steps returns Markdown: what to configure at the service, without links into the module's README.
func (i Integration) Steps() string { return cmp.Or(setupOf(i.Name), i.Setup) }
