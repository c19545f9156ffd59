package registry

import (
	"testing"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/kit"
)

// TestExtensions checks that operators of narrows that cannot work are refused.
func TestExtensions(t *testing.T) {
	operator := func(name, doc string) kit.Parts {
		return kit.Parts{Operators: []kit.Operator{kit.OperatorByMessage(name, doc,
			func(string) (func(*message.Message) bool, error) { return nil, nil })}}
	}
	one := func(p kit.Parts) []kit.Contribution { return []kit.Contribution{{Module: "m", Parts: p}} }
	for _, c := range []struct {
		all  []kit.Contribution
		want string
	}{
		{one(operator("ticket", "A.")), ""},
		{one(operator("sender", "A.")), `module m: operator "sender": is an operator of the server; choose another name`},
		{one(operator("pm-with", "A.")), `module m: operator "pm-with": is an operator of the server; choose another name`},
		{one(operator("-ticket", "A.")),
			`module m: operator "-ticket": the name must consist of lower-case letters, digits and hyphens, at most 40`},
		{one(operator("ticket", "")), `module m: operator "ticket": needs a sentence that says what it selects`},
		{one(kit.Parts{Operators: []kit.Operator{{Name: "ticket", Doc: "A."}}}), `module m: operator "ticket": has no ` +
			`function; create it with kit.OperatorByRows or kit.OperatorByMessage`},
		{append(one(operator("ticket", "A.")), kit.Contribution{Module: "n", Parts: operator("ticket", "A.")}),
			"module n: operator ticket is also in module m; keep one"},
	} {
		if got := Contributions(c.all).Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
