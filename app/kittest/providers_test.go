package kittest

import (
	"errors"
	"testing"
)

func TestAdvice(t *testing.T) {
	const rest = ", which no module in this program provides"
	for text, want := range map[string]string{
		"modules.x: needs ports.Images" + rest: "\npass the Module of these packages as well: adapters/images",
		"modules.x: needs ports.Images" + rest + "\nmodules.y: needs ports.Realms" + rest +
			"\nmodules.z: needs ports.Images" + rest: "" +
			"\npass the Module of these packages as well: adapters/images, modules/realm",
		"modules.x: needs ports.Nothing" + rest: "",
		"something else":                        "",
	} {
		if got := advice(errors.New(text)); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if advice(nil) != "" {
		t.Error("advice on success")
	}
}
