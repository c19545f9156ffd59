package registry

import (
	"strings"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/internal/config"
	"github.com/stoachat/stoa/modules/kit"
)

// A module that was split off from another one runs wherever the other one does, and can also be listed explicitly.
func TestSplitModules(t *testing.T) {
	define := func(name string) kit.Module {
		return kit.Define(name, "", kit.None{},
			func(kit.None, struct{ fx.In }) (kit.Parts, error) { return kit.Parts{}, nil })
	}
	catalog := []kit.Module{define("other"), define("part").SplitFrom("whole"), define("whole")}
	for text, want := range map[string]string{
		"modules: {whole: {}}":              "modules.part modules.whole",
		"modules: {part: {}, whole: {}}":    "modules.part modules.whole",
		"modules: {other: {}}":              "modules.other",
		"modules: {other: {}, part: {}}":    "modules.other modules.part",
		"modules: {whole: {}, part: false}": "modules.whole",
	} {
		raw, problems := config.Load(config.Sources{Text: text}, nil)
		plan, more := Resolve(catalog, raw, nil, nil)
		var got []string
		for _, m := range plan {
			got = append(got, m.Path)
		}
		if len(problems)+len(more) > 0 || strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s; %v %v", text, got, want, problems, more)
		}
	}
}
