package kittest

import (
	"go.yaml.in/yaml/v3"

	"github.com/stoachat/stoa/modules/kit"
)

// named gives a config in which a module is on.
func named(text string, m kit.Module) string {
	if m.Slot != "" {
		return with(text, "adapters", m.Slot, map[string]any{"use": m.Name})
	}
	return with(text, "modules", m.Name, map[string]any{})
}

// with adds a section unless it is there. A text that can't be read is left for the server to refuse.
func with(text, kind, name string, section map[string]any) string {
	all := map[string]any{}
	if yaml.Unmarshal([]byte(text), &all) != nil {
		return text
	}
	sections, _ := all[kind].(map[string]any)
	if sections == nil {
		sections = map[string]any{}
	}
	if _, ok := sections[name]; !ok {
		sections[name] = section
	}
	all[kind] = sections
	b, err := yaml.Marshal(all)
	if err != nil {
		return text
	}
	return string(b)
}
