package topic

import "testing"

func TestResolving(t *testing.T) {
	for _, c := range []struct {
		old, now             string
		resolves, unresolves bool
	}{
		{"a", "✔ a", true, false},
		{"✔ a", "a", false, true},
		{"✔ ✔ a", "a", false, true},
		{"a", "✔ A", false, false},
		{"a", "✔a", false, false},
		{"a", "✔ ✔ a", false, false},
		{"✔ a", "✔ b", false, false},
		{"✔ a", "b", false, false},
		{"a", "a", false, false},
	} {
		if got := Resolving(c.old, c.now); got != c.resolves {
			t.Errorf("Resolving(%q, %q) = %v", c.old, c.now, got)
		}
		if got := Unresolving(c.old, c.now); got != c.unresolves {
			t.Errorf("Unresolving(%q, %q) = %v", c.old, c.now, got)
		}
	}
	for now, want := range map[string]bool{"✔": true, " ✔ ": true, "✔ general chat": true, "✔ (no topic)": true,
		"✔ a": false, "": false, "general chat": false} {
		if got := ResolvesEmpty(now); got != want {
			t.Errorf("ResolvesEmpty(%q) = %v", now, got)
		}
	}
}
