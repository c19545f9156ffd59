package kittest

import (
	"go.yaml.in/yaml/v3"

	"github.com/stoachat/stoa/modules/kit"
)

// addModule adds a module to a configuration. Adapters that need settings must be in the text.
func addModule(text string, m kit.Module) string {
	if v, ok := m.Defaults.(interface{ Validate() error }); ok && m.Slot != "" && v.Validate() != nil {
		return text
	}
	if m.Slot != "" {
		return setDefault(text, "adapters", m.Slot, map[string]any{"use": m.Name})
	}
	text = setDefault(text, "modules", m.Name, map[string]any{})
	// Test logins need not resist attackers, and hashing as in production would take most of the time.
	if m.Name == "accounts" {
		text = withCheapHashing(text)
	}
	return text
}

// withCheapHashing configures cheap password hashing, unless the text sets its costs.
func withCheapHashing(text string) string {
	all := map[string]any{}
	if yaml.Unmarshal([]byte(text), &all) != nil {
		return text
	}
	modules, _ := all["modules"].(map[string]any)
	accounts, _ := modules["accounts"].(map[string]any)
	for key, minimum := range map[string]int{"password_memory_kib": 64, "password_passes": 1} {
		if _, ok := accounts[key]; !ok && accounts != nil {
			accounts[key] = minimum
		}
	}
	b, err := yaml.Marshal(all)
	if err != nil {
		return text
	}
	return string(b)
}

// withoutLimits disables rate limits and extends the handlers' time limit, unless the text sets these. Since the clock
// stands still, a rate limit once reached would apply forever.
func withoutLimits(text string) string {
	text = setDefault(text, "http", "handler_timeout", "10m")
	return setDefault(text, "http", "rate_limits", map[string]any{"enabled": false})
}

// withSecret configures a secret, unless the text does, so that tests leave no file behind.
func withSecret(text string) string {
	all := map[string]any{}
	if yaml.Unmarshal([]byte(text), &all) != nil || all["secret"] != nil {
		return text
	}
	all["secret"] = "a secret that only tests may be using"
	b, err := yaml.Marshal(all)
	if err != nil {
		return text
	}
	return string(b)
}

// setDefault adds a section or value unless it exists. It leaves invalid text to the server, which reports it.
func setDefault(text, kind, name string, section any) string {
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
